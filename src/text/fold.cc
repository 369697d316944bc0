// SPDX-License-Identifier: Apache-2.0
#include "text/fold.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace parley {

namespace {

constexpr std::string_view kBlanks = " \t\n";

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::string fold_case(std::string_view text) {
    std::string folded(text);
    if (is_ascii(text)) {
        for (char& c : folded)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return folded;
    }
    utf8proc_uint8_t* mapped = nullptr;
    const auto length = utf8proc_map(
        reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
        static_cast<utf8proc_ssize_t>(text.size()), &mapped,
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(mapped, &std::free);
    if (length < 0) return folded;
    return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length)};
}

bool WordSearch::finds_in(std::string_view text) const {
    const std::string folded = fold_case(text);
    std::string_view rest = words_;
    for (;;) {
        const std::size_t start = rest.find_first_not_of(kBlanks);
        if (start == std::string_view::npos) return true;
        rest.remove_prefix(start);
        const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
        if (folded.find(word) == std::string::npos) return false;
        rest.remove_prefix(word.size());
    }
}

}  // namespace parley
