// SPDX-License-Identifier: Apache-2.0
// What this program was made from.
#pragma once

#include <string>
#include <string_view>

namespace parley::app {

// "0.1.0 (1a2b3c4d5e, 2026-11-17, Release, LTO, clang 19.1.4)"; without what is not known. A commit
// that ends in "+" had changes that were not committed; LTO is what packages are built with.
std::string version_text();

// Of the commit, "2026-11-17"; empty if it is not known.
std::string_view source_date();

}  // namespace parley::app
