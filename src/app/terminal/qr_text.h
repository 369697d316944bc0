// SPDX-License-Identifier: Apache-2.0
// A QR code drawn with characters.
#pragma once

#include <string>
#include <string_view>

#include "prompt/plain_page.h"

namespace parley::app {

// Lines for a terminal; "" if the text is too long for a code, or the code wider than the style's
// columns: one that is broken over two lines cannot be read. With colours it is black on white;
// without, its light parts are drawn, which suits a dark terminal.
std::string qr_text(std::string_view text, const PlainStyle& style);

}  // namespace parley::app
