// SPDX-License-Identifier: Apache-2.0
// The files of the page as web/build.mjs made them, inside the program.
#pragma once

#include <span>
#include <string_view>

namespace parley::page {

struct Asset {
    std::string_view path;          // "/app.js"
    std::string_view content_type;  // a literal
    std::string_view content;
    std::string_view gzipped;
};

std::span<const Asset> assets();

}  // namespace parley::page
