// SPDX-License-Identifier: Apache-2.0
// Markdown as lines for a terminal: headings bold, lists with bullets, code set off, links with
// their address beside them, so that nothing is behind anything. The text is made safe; HTML is
// shown as it is written. Pure.
#pragma once

#include <string_view>

#include "prompt/block.h"

namespace parley {

Block markdown_block(std::string_view markdown, int cells, Charset charset);

}  // namespace parley
