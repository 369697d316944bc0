// SPDX-License-Identifier: Apache-2.0
// Texts that Codex makes for people, taken apart again. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::codex {

// The words of a command line as a POSIX shell splits it, without any expansion. Nullopt for one
// that it would not take, or that means more than its words: an operator, a variable, a comment.
std::optional<std::vector<std::string>> split_shell_words(std::string_view line);

// What stands in the last pair of double quotes; empty without one.
std::string quoted_name(std::string_view text);

}  // namespace parley::codex
