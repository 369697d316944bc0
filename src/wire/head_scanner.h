// SPDX-License-Identifier: Apache-2.0
// Finds where an HTTP head ends, byte by byte as it arrives, and refuses what would let two readers
// see different heads: bare line feeds and folded lines. Part of the parsers.
#pragma once

#include <cstddef>
#include <string_view>

namespace parley::wire {

class HeadScanner {
public:
    enum class Found { nothing, end, bare_line_feed, folded_line, no_start };

    // `text` is all of the head so far; only what was added since the last call is looked at.
    Found scan(std::string_view text);
    // Of the head, blank line included; valid after `end`.
    std::size_t head_bytes() const { return line_start_; }
    // Blank lines before the start line, which are to be skipped.
    std::size_t skip_bytes() const { return skip_; }
    bool start_line_complete() const { return line_start_ > skip_; }

private:
    std::size_t skip_ = 0;
    std::size_t line_start_ = 0;
    std::size_t seen_ = 0;
};

}  // namespace parley::wire
