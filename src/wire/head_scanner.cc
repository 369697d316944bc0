// SPDX-License-Identifier: Apache-2.0
#include "wire/head_scanner.h"

#include <cstring>

#include "wire/limits.h"

namespace parley::wire {

namespace {

bool is_token_char(char c) {
    static constexpr std::string_view kPunctuation = "!#$%&'*+-.^_`|~";
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           kPunctuation.find(c) != std::string_view::npos;
}

}  // namespace

HeadScanner::Found HeadScanner::scan(std::string_view text) {
    while (true) {
        if (line_start_ < text.size()) {
            const char first = text[line_start_];
            if (line_start_ == skip_) {
                // Neither a method nor a status line can begin otherwise: no need to wait for more.
                if (!is_token_char(first) && first != '\r') return Found::no_start;
            } else if (first == ' ' || first == '\t') {
                return Found::folded_line;
            }
        }
        const void* at = seen_ < text.size()
                             ? std::memchr(text.data() + seen_, '\n', text.size() - seen_)
                             : nullptr;
        if (at == nullptr) {
            seen_ = text.size();
            return Found::nothing;
        }
        const auto line_end = static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
        seen_ = line_end + 1;
        if (line_end == line_start_ || text[line_end - 1] != '\r') return Found::bare_line_feed;
        const bool blank = line_end - 1 == line_start_;
        const bool before_start = line_start_ == skip_;
        line_start_ = seen_;
        if (!blank) continue;
        if (!before_start) return Found::end;
        skip_ = line_start_;
        if (skip_ > limits::kBlankBytes) return Found::no_start;
    }
}

}  // namespace parley::wire
