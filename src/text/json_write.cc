// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/assert.h"
#include "text/json.h"
#include "text/swar.h"

namespace parley::json {
namespace {

constexpr std::size_t kDocumentBytesUsual = 256;  // saves a short one from growing in steps
constexpr std::string_view kHexDigits = "0123456789abcdef";

// Whole doubles below this have no more digits than a double holds, so none of them is padding.
constexpr double kPlainDoubleMax = 1e15;

constexpr bool needs_escape(char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == '"' || byte == '\\';
}

constexpr swar::Word needs_escape_in(swar::Word bytes) {
    return swar::below(bytes, ' ') | swar::equal(bytes, '"') | swar::equal(bytes, '\\');
}

// Whether all of `text` can be copied as it is. Most strings are short and plain: their last bytes
// are looked at in a word that overlaps the one before, not one by one.
bool is_plain(std::string_view text) {
    if (text.size() >= 8) {
        const std::size_t plain = swar::words_without(text, needs_escape_in);
        return text.size() - plain < 8 &&
               needs_escape_in(swar::load<swar::Word>(text.substr(text.size() - 8))) == 0;
    }
    if (text.size() >= 4) {
        const swar::Word first = swar::load<std::uint32_t>(text);
        const swar::Word last = swar::load<std::uint32_t>(text.substr(text.size() - 4));
        return needs_escape_in(first << 32U | last) == 0;
    }
    return std::ranges::none_of(text, needs_escape);
}

void append_escape(std::string& out, char byte) {
    switch (byte) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\b': out += "\\b"; return;
        case '\f': out += "\\f"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: break;
    }
    out += "\\u00";
    const auto value = static_cast<unsigned char>(byte);
    out += kHexDigits[value >> 4U];
    out += kHexDigits[value & 15U];
}

void append_escaped(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const auto* const plain_end = std::ranges::find_if(text, needs_escape);
        const auto plain = static_cast<std::size_t>(plain_end - text.begin());
        out += text.substr(0, plain);
        if (plain == text.size()) return;
        append_escape(out, text[plain]);
        text.remove_prefix(plain + 1);
    }
}

// The quoted text, with a byte before or behind it unless that is NUL. Most are short and plain:
// these are put together first, since each append to a string asks anew whether there is room.
template <char before, char behind>
void append_string(std::string& out, std::string_view text) {
    constexpr std::size_t kShort = 60;
    const auto add = [](char*& end, char byte) {
        if (byte != '\0') *end++ = byte;
    };
    if (text.size() <= kShort && is_plain(text)) {
        std::array<char, kShort + 4> whole;
        char* end = whole.data();
        add(end, before);
        *end++ = '"';
        end += text.copy(end, text.size());
        *end++ = '"';
        add(end, behind);
        out.append(whole.data(), static_cast<std::size_t>(end - whole.data()));
        return;
    }
    if (before != '\0') out += before;
    out += '"';
    if (is_plain(text)) {
        out += text;
    } else {
        append_escaped(out, text);
    }
    out += '"';
    if (behind != '\0') out += behind;
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
    const auto format = std::abs(value) < kPlainDoubleMax && std::trunc(value) == value
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

void append_quoted(std::string& out, std::string_view text) {
    append_string<'\0', '\0'>(out, text);
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

void Writer::before_value() {
    if (after_key_) {
        after_key_ = false;
    } else {
        // Inside an object a key must come first; outside of everything there is one value only.
        ASSERT(depth_ == 0 ? !need_comma_ : !is_in_object());
        if (need_comma_) out_ += ',';
    }
    need_comma_ = true;
}

void Writer::begin(Level level, char bracket) {
    before_value();
    if (depth_ == 0 && out_.capacity() < kDocumentBytesUsual) out_.reserve(kDocumentBytesUsual);
    ASSERT(depth_ < kDepthMax);
    objects_ = (objects_ << 1U) | static_cast<std::uint64_t>(level);
    ++depth_;
    need_comma_ = false;
    out_ += bracket;
}

void Writer::end(Level level, char bracket) {
    ASSERT(depth_ > 0 && (objects_ & 1U) == static_cast<std::uint64_t>(level) && !after_key_);
    objects_ >>= 1U;
    --depth_;
    need_comma_ = true;
    out_ += bracket;
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

Writer& Writer::key(std::string_view name) {
    ASSERT(is_in_object() && !after_key_);
    need_comma_ ? append_string<',', ':'>(out_, name) : append_string<'\0', ':'>(out_, name);
    after_key_ = true;
    return *this;
}

Writer& Writer::string(std::string_view text) {
    before_value();
    append_quoted(out_, text);
    return *this;
}

Writer& Writer::number(std::int64_t value) {
    before_value();
    append_integer(out_, value);
    return *this;
}

Writer& Writer::number(std::uint64_t value) {
    before_value();
    append_integer(out_, value);
    return *this;
}

Writer& Writer::number(double value) {
    before_value();
    append_double(out_, value);
    return *this;
}

Writer& Writer::boolean(bool value) {
    before_value();
    out_ += value ? "true" : "false";
    return *this;
}

Writer& Writer::null() {
    before_value();
    out_ += "null";
    return *this;
}

Writer& Writer::value(const Value& dom) {
    before_value();
    append_dom(out_, dom);
    return *this;
}

Writer& Writer::raw(std::string_view json) {
    before_value();
    out_ += json;
    return *this;
}

}  // namespace parley::json
