// SPDX-License-Identifier: Apache-2.0
// One key as a program wants to know it, whatever bytes the terminal sends for it. A value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parley {

struct Key {
    enum class Code : std::uint8_t {
        text,  // one character, in `text`; Ctrl-C is "c" with is_ctrl
        paste,
        enter,
        escape,
        tab,
        backspace,
        del,
        insert,
        up,
        down,
        left,
        right,
        home,
        end,
        page_up,
        page_down,
        focus_in,  // the terminal's window, where it tells
        focus_out,
    };

    Code code = Code::text;
    std::string text = {};  // of text and paste: valid UTF-8; a paste may have any characters
    bool is_ctrl = false;
    bool is_alt = false;
    bool is_shift = false;  // told for keys that have no text

    bool is_plain() const { return !is_ctrl && !is_alt; }
    bool is(Code wanted) const { return code == wanted; }
    bool is_char(std::string_view character) const {
        return code == Code::text && is_plain() && text == character;
    }
    bool is_ctrl_char(std::string_view character) const {
        return code == Code::text && is_ctrl && !is_alt && text == character;
    }
    bool is_alt_char(std::string_view character) const {
        return code == Code::text && is_alt && !is_ctrl && text == character;
    }
    bool is_typed() const { return code == Code::text && is_plain(); }

    bool operator==(const Key&) const = default;
};

}  // namespace parley
