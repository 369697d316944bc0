// SPDX-License-Identifier: Apache-2.0
// A QR code drawn with characters.
#pragma once

#include <string>
#include <string_view>

#include "prompt/plain_page.h"

namespace parley::app {

// Lines for a terminal; "" if the text is too long for a code. With colours it is black on white;
// without, its light parts are drawn, which suits a dark terminal.
std::string qr_text(std::string_view text, const PlainStyle& style);

}  // namespace parley::app
