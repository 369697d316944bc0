// SPDX-License-Identifier: Apache-2.0
// The list of models that the servers of both APIs give: where it is asked for, and which names it
// has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/llm/request.h"

namespace parley::llm {

// The path below a server's address.
std::string models_path(Api api, std::string_view base_path);

// The names, as requests give them; an Error if this is no such list.
[[nodiscard]] Result<std::vector<std::string>> read_models(std::string_view body);

}  // namespace parley::llm
