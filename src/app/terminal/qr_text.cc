// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/qr_text.h"

#include <qrencode.h>

#include <cstddef>
#include <memory>

namespace parley::app {

namespace {

constexpr int kQuiet = 2;  // light cells around it, which readers need

class Code {
public:
    explicit Code(std::string_view text)
        : code_(QRcode_encodeData(static_cast<int>(text.size()),
                                  reinterpret_cast<const unsigned char*>(text.data()), 0,
                                  QR_ECLEVEL_L),
                QRcode_free) {}

    bool is_valid() const { return code_ != nullptr; }
    int side() const { return code_->width; }
    bool is_light(int x, int y) const {
        if (x < 0 || y < 0 || x >= side() || y >= side()) return true;
        return (code_->data[static_cast<std::size_t>(y) * static_cast<std::size_t>(side()) +
                            static_cast<std::size_t>(x)] &
                1) == 0;
    }

private:
    std::unique_ptr<QRcode, decltype(&QRcode_free)> code_;
};

// Two cells, one above the other, in one character.
std::string_view half_blocks(bool is_top_light, bool is_bottom_light) {
    if (is_top_light) return is_bottom_light ? "█" : "▀";
    return is_bottom_light ? "▄" : " ";
}

}  // namespace

std::string qr_text(std::string_view text, const PlainStyle& style) {
    const Code code(text);
    if (!code.is_valid()) return {};
    const bool has_colour = style.emphasis != Emphasis::none;
    const int end = code.side() + kQuiet;
    const int cells_each = style.charset == Charset::ascii ? 2 : 1;
    if ((end + kQuiet) * cells_each > style.columns) return {};
    std::string drawn;
    const auto add_row = [&](auto add_cells) {
        if (has_colour) drawn += "\x1b[97;40m";
        for (int x = -kQuiet; x < end; ++x) add_cells(x);
        drawn += has_colour ? "\x1b[0m\n" : "\n";
    };
    if (style.charset == Charset::ascii) {
        for (int y = -kQuiet; y < end; ++y)
            add_row([&](int x) { drawn += code.is_light(x, y) ? "##" : "  "; });
        return drawn;
    }
    for (int y = -kQuiet; y < end; y += 2)
        add_row([&](int x) { drawn += half_blocks(code.is_light(x, y), code.is_light(x, y + 1)); });
    return drawn;
}

}  // namespace parley::app
