// SPDX-License-Identifier: Apache-2.0
// Files with what people said and with what opens the doors: they are one user's, and nobody else
// may read or write them.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace parley {

// Told of each file that others could read or write, and cannot any more.
using OnMended = std::function<void(const std::string& path)>;

// Takes the rights of others from an open file; whether they had any. A file of another user is
// `denied`, and so is one whose rights cannot be taken: the error says what to do.
[[nodiscard]] Result<bool> make_private(int descriptor, const std::string& path);

// The same for a file that may not be there, or is no plain file: then there is nothing to do.
[[nodiscard]] Result<bool> make_private(const std::string& path);

// Before anything is made beside it: a file of another user is `denied`; none at all is ours.
[[nodiscard]] Result<void> check_ours(const std::string& path);

}  // namespace parley
