// SPDX-License-Identifier: Apache-2.0
#include "text/safe_text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include "text/char_class.h"
#include "text/char_names.h"
#include "text/limits.h"
#include "text/swar.h"
#include "text/utf8.h"

namespace parley {
namespace {

enum class Fitness : std::uint8_t {
    safe,
    unsafe,
    unattached,  // a mark at the start of a line would combine with what we print before the line
    crowded,     // more scalars than any real cluster has; piled marks spill over other lines
};

// The flags of England, Scotland and Wales are the only emoji made with tags.
constexpr std::array<std::string_view, 3> kFlagTags = {
    "\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
    "\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
    "\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F",
};
constexpr std::size_t kFlagTagScalars = 6;

bool is_visible_letter_or_mark(char32_t c) {
    return (is_letter(c) || is_mark(c)) && !is_selector_or_joiner(c) && !is_never_shown(c);
}

constexpr swar::Word not_plain_ascii(swar::Word bytes) {
    return swar::not_ascii(bytes) | swar::below(bytes, ' ') | swar::equal(bytes, '\x7f');
}

bool is_keycap_base(char32_t c) {
    return is_between(c, '0', '9') || c == '#' || c == '*';
}

// Judges a text scalar by scalar. It remembers what was shown so far, not what was read, so that
// its verdicts hold for the text that comes out, in which unsafe characters have become ASCII.
class Judge {
public:
    // The fitness on the scalar at the start of `rest`.
    Fitness take(std::string_view rest, utf8::Scalar scalar) {
        const Fitness fitness = judge(rest, scalar);
        if (fitness != Fitness::safe) show_ascii(kEscapeEnd);
        return fitness;
    }
    // How many bytes of plain ASCII at the start of `rest` need no look at each.
    std::size_t skip_ascii(std::string_view rest) {
        if (before_ >= 0x80) return 0;
        std::size_t bytes = swar::words_without(rest, not_plain_ascii);
        while (bytes < rest.size() && is_between(static_cast<unsigned char>(rest[bytes]), ' ', '~'))
            ++bytes;
        if (bytes > 0) show_ascii(static_cast<unsigned char>(rest[bytes - 1]));
        return bytes;
    }
    void start_line() { *this = Judge(); }

private:
    static constexpr char32_t kLineStart = 0;
    static constexpr char32_t kEscapeEnd = '}';

    Fitness judge(std::string_view rest, utf8::Scalar scalar) {
        const char32_t c = scalar.value;
        if (before_ < 0x80 && is_between(c, ' ', '~')) {
            show_ascii(c);
            return Fitness::safe;
        }
        if (!scalar.valid || is_never_shown(c)) return Fitness::unsafe;
        const char32_t before = std::exchange(before_, c);
        const bool starts_cluster =
            before == kLineStart ||
            utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                             static_cast<utf8proc_int32_t>(c), &break_state_);
        cluster_scalars_ = starts_cluster ? 1 : cluster_scalars_ + 1;
        if (cluster_scalars_ > limits::kClusterScalarsMax) return Fitness::crowded;
        if (is_selector_or_joiner(c))
            return is_called_for(before, rest, scalar) ? Fitness::safe : Fitness::unsafe;
        if (before == kLineStart && is_mark(c)) return Fitness::unattached;
        return Fitness::safe;
    }

    void show_ascii(char32_t c) {
        before_ = c;
        break_state_ = 0;
        cluster_scalars_ = 1;
        flag_tags_ahead_ = 0;
    }

    // Whether the neighbours of a selector or joiner are those that it is made for.
    bool is_called_for(char32_t before, std::string_view rest, utf8::Scalar scalar) {
        const char32_t c = scalar.value;
        // The scalar after it must not be refused for want of room, or this one would dangle.
        const bool has_room = cluster_scalars_ < limits::kClusterScalarsMax;
        const char32_t after =
            has_room ? utf8::next(rest.substr(scalar.bytes)).value : char32_t{kLineStart};
        if (is_between(c, 0xE0020, 0xE007F)) return is_flag_tag(before, rest);
        if (is_between(c, 0x180B, 0x180F)) {
            return is_mongolian_letter(before) &&
                   (c != kMongolianVowelSeparator || is_mongolian_letter(after));
        }
        if (is_between(c, 0xFE0E, 0xFE0F))
            return is_pictograph(before) || (is_keycap_base(before) && after == kKeycap);
        if (c != kZeroWidthJoiner && c != kZeroWidthNonJoiner) return is_ideograph(before);
        if (is_virama(before)) return true;
        if (is_visible_letter_or_mark(before) && is_visible_letter_or_mark(after)) return true;
        return c == kZeroWidthJoiner && is_pictograph(after) &&
               (is_pictograph(before) || is_skin_tone(before) || before == kEmojiSelector);
    }

    bool is_flag_tag(char32_t before, std::string_view rest) {
        if (flag_tags_ahead_ > 0) {
            --flag_tags_ahead_;
            return true;
        }
        const auto starts_rest = [rest](std::string_view tags) { return rest.starts_with(tags); };
        if (before != kBlackFlag || !std::ranges::any_of(kFlagTags, starts_rest) ||
            cluster_scalars_ + kFlagTagScalars > limits::kClusterScalarsMax)
            return false;
        flag_tags_ahead_ = kFlagTagScalars - 1;
        return true;
    }

    char32_t before_ = kLineStart;
    std::int32_t break_state_ = 0;
    std::size_t cluster_scalars_ = 0;
    std::size_t flag_tags_ahead_ = 0;
};

std::string describe(utf8::Scalar scalar, unsigned char first_byte, Fitness fitness) {
    if (!scalar.valid) return fmt::format("byte 0x{:02X}, which is not valid UTF-8", first_byte);
    std::string name = char_name(scalar.value);
    if (fitness == Fitness::unattached) name += ", which has nothing before it to combine with";
    if (fitness == Fitness::crowded) name += ", one of too many combined in one character";
    return name;
}

void append_escape(std::string& out, utf8::Scalar scalar, unsigned char first_byte) {
    if (!scalar.valid || scalar.value < 0x80) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", first_byte);
    } else {
        fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}",
                       static_cast<std::uint32_t>(scalar.value));
    }
}

}  // namespace

std::string normalize_newlines(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\r', at), text.size());
        out += text.substr(at, end - at);
        if (end == text.size()) break;
        out += '\n';
        at = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
    }
    return out;
}

std::optional<UnsafeChar> find_unsafe(std::string_view label) {
    Judge judge;
    for (std::size_t at = 0; at < label.size();) {
        at += judge.skip_ascii(label.substr(at));
        const std::string_view rest = label.substr(at);
        if (rest.empty()) break;
        const utf8::Scalar scalar = utf8::next(rest);
        const Fitness fitness = judge.take(rest, scalar);
        if (fitness != Fitness::safe) {
            const auto byte = static_cast<unsigned char>(rest.front());
            return UnsafeChar{
                .offset = at, .value = scalar.value, .name = describe(scalar, byte, fitness)};
        }
        at += scalar.bytes;
    }
    return std::nullopt;
}

namespace {

template <class AppendEscape>
std::string escape_with(std::string_view text, AppendEscape append_escape_of) {
    std::string out;
    out.reserve(text.size());
    Judge judge;
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size();) {
        at += judge.skip_ascii(text.substr(at));
        const std::string_view rest = text.substr(at);
        if (rest.empty()) break;
        const utf8::Scalar scalar = utf8::next(rest);
        if (scalar.value == '\n' || scalar.value == '\t') {
            judge.start_line();
        } else if (judge.take(rest, scalar) != Fitness::safe) {
            out += text.substr(copied, at - copied);
            append_escape_of(out, scalar, static_cast<unsigned char>(rest.front()));
            copied = at + scalar.bytes;
        }
        at += scalar.bytes;
    }
    out += text.substr(copied);
    return out;
}

void append_json_escape(std::string& out, utf8::Scalar scalar, unsigned char) {
    auto value = static_cast<std::uint32_t>(scalar.valid ? scalar.value : U'\uFFFD');
    if (value > 0xFFFF) {
        value -= 0x10000;
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", 0xD800 + (value >> 10));
        value = 0xDC00 + (value & 0x3FF);
    }
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", value);
}

}  // namespace

std::string escape_unsafe(std::string_view text) {
    return escape_with(text, append_escape);
}

std::string escape_unsafe_json(std::string_view document) {
    return escape_with(document, append_json_escape);
}

bool is_blank_throughout(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const utf8::Scalar scalar = utf8::next(text.substr(at));
        if (!is_space(scalar.value) && scalar.value != kBrailleBlank) return false;
        at += scalar.bytes;
    }
    return true;
}

}  // namespace parley
