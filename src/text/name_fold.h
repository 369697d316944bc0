// SPDX-License-Identifier: Apache-2.0
// Names as they are compared: what is written differently and looks the same is the same. Pure.
#pragma once

#include <string>
#include <string_view>

namespace parley {

// Without regard to case, to the form of letters (NFKC) and to invisible characters. What is no
// valid UTF-8 stays as it is.
std::string fold_name(std::string_view name);

}  // namespace parley
