// SPDX-License-Identifier: Apache-2.0
// Bytes from a terminal to keys. Fed as they come; what a byte means may depend on the next one, so
// its owner says when nothing has come for a while. Unknown sequences are dropped whole: none of
// their bytes is ever taken for typed text. No I/O, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parley/values.h"
#include "term/key.h"

namespace parley {

class KeyDecoder {
public:
    std::vector<Key> feed(std::string_view bytes);

    // How long to wait for more before time_out() is called; nullopt: nothing is pending.
    std::optional<Millis> patience() const;
    // Nothing came: an escape byte alone is the Escape key; a paste whose end is missing ends.
    std::vector<Key> time_out();
    // A paste has begun, and more of it comes.
    bool is_pasting() const { return is_pasting_; }

private:
    // Takes one key or sequence off the front of pending_; false if more bytes are needed.
    bool take();
    bool take_paste();
    bool take_escape();
    bool take_csi();
    bool take_string();
    bool take_mouse();
    bool take_character(bool is_alt, std::size_t from);
    void end_csi(std::string_view parameters, char final);
    void emit(Key key) { keys_.push_back(std::move(key)); }

    std::string pending_;
    std::vector<Key> keys_;
    bool is_pasting_ = false;
};

}  // namespace parley
