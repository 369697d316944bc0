// SPDX-License-Identifier: Apache-2.0
// Names of the characters that a person may be told about because we refused them. For use inside
// src/text only.
#pragma once

#include <string>

namespace parley {

// "U+202E RIGHT-TO-LEFT OVERRIDE", or "U+0301" alone for what has no name here.
std::string char_name(char32_t c);

}  // namespace parley
