// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/assert.h"
#include "text/json.h"
#include "text/limits.h"
#include "text/swar.h"

namespace parley::json {
namespace {

constexpr std::size_t kDocumentBytesUsual = 256;  // saves a short one from growing in steps
// Up to here a text is gathered with its neighbours; above, a copy more costs more than it saves.
constexpr std::size_t kShortSize = 200;
constexpr std::string_view kHexDigits = "0123456789abcdef";

// Whole doubles below this have no more digits than a double holds, so none of them is padding.
constexpr double kPlainDoublesEnd = 1e15;

constexpr bool needs_escape(char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == '"' || byte == '\\';
}

constexpr swar::Word needs_escape_in(swar::Word bytes) {
    return swar::below(bytes, ' ') | swar::equal(bytes, '"') | swar::equal(bytes, '\\');
}

// Copies `text` and tells whether that was all there is to do, since nothing in it needs an escape.
// The last bytes are copied in a word that overlaps the one before, not one by one.
bool copy_plain(char* to, std::string_view text) {
    const auto step = [&]<class Word>(Word, std::size_t at) {
        const auto word = swar::load<Word>(text.substr(at));
        std::memcpy(to + at, &word, sizeof(word));
        return word;
    };
    const std::size_t size = text.size();
    if (size >= 8) {
        swar::Word found = needs_escape_in(step(swar::Word(), size - 8));
        for (std::size_t at = 0; at + 8 < size; at += 8)
            found |= needs_escape_in(step(swar::Word(), at));
        return found == 0;
    }
    if (size >= 4) {
        const swar::Word first = step(std::uint32_t(), 0);
        const swar::Word last = step(std::uint32_t(), size - 4);
        return needs_escape_in(first << 32U | last) == 0;
    }
    text.copy(to, size);
    return std::ranges::none_of(text, needs_escape);
}

struct Escape {
    std::array<char, 6> text = {'\\', 'u', '0', '0', '0', '0'};
    std::size_t size = 6;
};

constexpr Escape escape_of(char byte) {
    constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    Escape escape;
    if (const std::size_t at = kShort.find(byte); at != kShort.npos) {
        escape.text[1] = kLetters[at];
        escape.size = 2;
        return escape;
    }
    const auto value = static_cast<unsigned char>(byte);
    escape.text[4] = kHexDigits[value >> 4U];
    escape.text[5] = kHexDigits[value & 15U];
    return escape;
}

constexpr auto kEscapes = [] {
    std::array<Escape, 256> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = escape_of(static_cast<char>(i));
    return all;
}();

// Bytes that need escapes come in runs, where somebody means it: they are appended together.
void append_escaped(std::string& out, std::string_view text) {
    std::array<char, std::size_t{64} * 6> escapes;
    while (!text.empty()) {
        const auto* const plain_end = std::ranges::find_if(text, needs_escape);
        const auto plain = static_cast<std::size_t>(plain_end - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        std::size_t size = 0;
        std::size_t read = 0;
        for (; read < text.size() && needs_escape(text[read]) && size + 6 <= escapes.size();
             ++read) {
            const Escape& escape = kEscapes[static_cast<unsigned char>(text[read])];
            std::memcpy(escapes.data() + size, escape.text.data(), escape.text.size());
            size += escape.size;
        }
        out.append(escapes.data(), size);
        text.remove_prefix(read);
    }
}

template <class Integer>
void append_integer(std::string& out, Integer value) {
    std::array<char, 24> digits;
    const auto [end, problem] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    ASSERT(problem == std::errc{});
    out.append(digits.data(), end);
}

// The shortest text that reads back as the same double. A whole number gets ".0", so that it also
// reads back as a double and not as an integer, and no exponent as long as all its digits are
// exact.
void append_double(std::string& out, double value) {
    ASSERT(std::isfinite(value));
    const auto format = std::abs(value) < kPlainDoublesEnd && std::trunc(value) == value
                            ? std::chars_format::fixed
                            : std::chars_format::general;
    std::array<char, 32> digits;
    const auto [end, problem] =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, format);
    ASSERT(problem == std::errc{});
    const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_dom(std::string& out, const Value& dom) {
    switch (dom.kind()) {
        case boost::json::kind::null: out += "null"; return;
        case boost::json::kind::bool_: out += dom.get_bool() ? "true" : "false"; return;
        case boost::json::kind::int64: append_integer(out, dom.get_int64()); return;
        case boost::json::kind::uint64: append_integer(out, dom.get_uint64()); return;
        case boost::json::kind::double_: append_double(out, dom.get_double()); return;
        case boost::json::kind::string: append_quoted(out, dom.get_string()); return;
        case boost::json::kind::array: {
            char before = '[';
            for (const Value& item : dom.get_array()) {
                out += before;
                append_dom(out, item);
                before = ',';
            }
            out += before == '[' ? "[]" : "]";
            return;
        }
        case boost::json::kind::object: {
            char before = '{';
            for (const auto& member : dom.get_object()) {
                out += before;
                append_quoted(out, member.key());
                out += ':';
                append_dom(out, member.value());
                before = ',';
            }
            out += before == '{' ? "{}" : "}";
            return;
        }
    }
}

}  // namespace

// Most are short and plain: these are put together first, since each append to a string asks anew
// whether there is room.
void append_quoted(std::string& out, std::string_view text) {
    std::array<char, kShortSize + 2> whole;
    if (text.size() <= kShortSize && copy_plain(whole.data() + 1, text)) {
        whole[0] = '"';
        whole[text.size() + 1] = '"';
        out.append(whole.data(), text.size() + 2);
        return;
    }
    out += '"';
    append_escaped(out, text);
    out += '"';
}

std::string quoted(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
    append_quoted(out, text);
    return out;
}

std::string serialize(const Value& value) {
    std::string out;
    out.reserve(kDocumentBytesUsual);
    append_dom(out, value);
    return out;
}

char* Writer::room_for(std::size_t bytes) {
    static_assert(kShortSize + 2 <= kHeldSize && Key::kRoom <= kHeldSize);
    if (held_ + bytes > kHeldSize) flush();
    return held_text_ + held_;
}

void Writer::flush() {
    out_.append(held_text_, held_);
    held_ = 0;
}

void Writer::put(char byte) {
    *room_for(1) = byte;
    ++held_;
}

void Writer::put(std::string_view text) {
    if (text.size() > kShortSize) {
        flush();
        out_ += text;
        return;
    }
    text.copy(room_for(text.size()), text.size());
    held_ += text.size();
}

void Writer::put_quoted(std::string_view text) {
    if (text.size() <= kShortSize) {
        char* const room = room_for(text.size() + 2);
        if (copy_plain(room + 1, text)) {
            room[0] = '"';
            room[text.size() + 1] = '"';
            held_ += text.size() + 2;
            return;
        }
    }
    flush();
    append_quoted(out_, text);
}

void Writer::before_value() {
    if (after_key_) {
        after_key_ = false;
    } else {
        // Inside an object a key must come first; outside of everything there is one value only.
        ASSERT(depth_ == 0 ? !need_comma_ : !is_in_object());
        if (need_comma_) put(',');
    }
    need_comma_ = true;
}

Writer& Writer::after_value() {
    if (depth_ == 0) flush();
    return *this;
}

void Writer::begin(Level level, char bracket) {
    before_value();
    static_assert(limits::kJsonWrittenDepth <= std::numeric_limits<decltype(objects_)>::digits);
    ASSERT(depth_ < limits::kJsonWrittenDepth);
    objects_ = (objects_ << 1U) | static_cast<std::uint64_t>(level);
    ++depth_;
    need_comma_ = false;
    put(bracket);
}

void Writer::end(Level level, char bracket) {
    ASSERT(depth_ > 0 && (objects_ & 1U) == static_cast<std::uint64_t>(level) && !after_key_);
    objects_ >>= 1U;
    --depth_;
    need_comma_ = true;
    put(bracket);
    if (depth_ == 0) flush();
}

Writer& Writer::begin_object() {
    begin(Level::object, '{');
    return *this;
}

Writer& Writer::end_object() {
    end(Level::object, '}');
    return *this;
}

Writer& Writer::begin_array() {
    begin(Level::array, '[');
    return *this;
}

Writer& Writer::end_array() {
    end(Level::array, ']');
    return *this;
}

Writer& Writer::key(const Key& name) {
    ASSERT(is_in_object() && !after_key_);
    const std::size_t skipped = need_comma_ ? 0 : 1;
    // All of it, whatever the name's length: a copy of a fixed size is a few instructions.
    char* const room = room_for(Key::kRoom);
    std::memcpy(room, name.text_ + skipped, Key::kRoom - 1);
    held_ += name.size_ - skipped;
    after_key_ = true;
    return *this;
}

Writer& Writer::key_text(std::string_view name) {
    ASSERT(is_in_object() && !after_key_);
    if (need_comma_) put(',');
    put_quoted(name);
    put(':');
    after_key_ = true;
    return *this;
}

Writer& Writer::string(std::string_view text) {
    before_value();
    put_quoted(text);
    return after_value();
}

Writer& Writer::number(std::int64_t value) {
    before_value();
    flush();
    append_integer(out_, value);
    return *this;
}

Writer& Writer::number(std::uint64_t value) {
    before_value();
    flush();
    append_integer(out_, value);
    return *this;
}

Writer& Writer::number(double value) {
    before_value();
    flush();
    append_double(out_, value);
    return *this;
}

Writer& Writer::boolean(bool value) {
    before_value();
    put(value ? "true" : "false");
    return after_value();
}

Writer& Writer::null() {
    before_value();
    put("null");
    return after_value();
}

Writer& Writer::value(const Value& dom) {
    before_value();
    flush();
    append_dom(out_, dom);
    return *this;
}

Writer& Writer::raw(std::string_view json) {
    before_value();
    put(json);
    return after_value();
}

Writer& Writer::members(std::string_view object) {
    ASSERT(is_in_object() && !after_key_ && object.starts_with('{') && object.ends_with('}'));
    const std::string_view inside = object.substr(1, object.size() - 2);
    if (inside.empty()) return *this;
    if (need_comma_) put(',');
    put(inside);
    need_comma_ = true;
    return *this;
}

}  // namespace parley::json
