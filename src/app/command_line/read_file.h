// SPDX-License-Identifier: Apache-2.0
// A whole file that an argument names, up to a limit. Blocks.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace parley::app {

// "-" is stdin. Refused: what cannot be read, what is larger than `bytes_max`.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t bytes_max);

}  // namespace parley::app
