// SPDX-License-Identifier: Apache-2.0
// Text of askers as lines in styles, where it is no markdown: `code` inside a sentence, and texts
// that are kept as they are written. Made safe. Pure.
#pragma once

#include <string_view>

#include "prompt/block.h"

namespace parley {

// A sentence in `style`, with what stands between two backticks as code. `text` is as shown_text
// gives it.
Line with_inline_code(std::string_view text, const TextStyle& style);

// A preview of a choice: markdown where it has a fence, else a drawing or a program, whose lines
// are kept.
Block preview_block(std::string_view preview, int cells, Charset charset);

}  // namespace parley
