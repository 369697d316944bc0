// SPDX-License-Identifier: Apache-2.0
// The owner's token on disk: one line of plain text that only its owner may read. Made on the first
// start of a broker.
#pragma once

#include <filesystem>
#include <string>

#include "base/private_file.h"
#include "base/result.h"

namespace parley::app {

// The secret in the file; a new one is made, and written with mode 0600, where there is no file.
// From a file that others can read they are shut out; one of another user is refused.
[[nodiscard]] Result<std::string> read_or_make_token(const std::filesystem::path& path,
                                                     const OnMended& on_mended = {});

}  // namespace parley::app
