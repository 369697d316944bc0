// SPDX-License-Identifier: Apache-2.0
// What a drawing shows of the two panes that scroll: the context (with what is permitted) and the
// preview (or the help).
#pragma once

namespace parley {

struct PaneRange {
    int context_max = 0;       // how far there is to scroll, in lines
    int context_page = 1;      // lines that are in sight at once
    int context_below = 0;     // lines that are out of sight below
    bool ends_context = true;  // its last line is in sight, or there is none
    int preview_max = 0;
    int preview_page = 1;
};

}  // namespace parley
