// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.h"

#include <utf8proc.h>

#include "base/assert.h"
#include "text/swar.h"

namespace parley::utf8 {
namespace {

constexpr Scalar kInvalid{.value = 0xFFFD, .bytes = 1, .valid = false};

unsigned byte_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

// Table 3-7 of the Unicode standard: the length by the first byte, and the range of the second,
// which alone rules out overlong forms, surrogates and values above U+10FFFF.
struct Form {
    std::size_t bytes;
    unsigned second_min;
    unsigned second_max;
};
constexpr Form form_of(unsigned lead) {
    if (lead < 0x80) return {1, 0, 0};
    if (lead < 0xC2) return {0, 0, 0};
    if (lead < 0xE0) return {2, 0x80, 0xBF};
    if (lead == 0xE0) return {3, 0xA0, 0xBF};
    if (lead == 0xED) return {3, 0x80, 0x9F};
    if (lead < 0xF0) return {3, 0x80, 0xBF};
    if (lead == 0xF0) return {4, 0x90, 0xBF};
    if (lead < 0xF4) return {4, 0x80, 0xBF};
    if (lead == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

}  // namespace

Scalar next(std::string_view text) {
    if (text.empty()) return {.value = 0, .bytes = 0};
    const unsigned lead = byte_at(text, 0);
    const Form form = form_of(lead);
    if (form.bytes == 1) return {.value = lead, .bytes = 1};
    if (form.bytes == 0 || text.size() < form.bytes) return kInvalid;
    const unsigned second = byte_at(text, 1);
    if (second < form.second_min || second > form.second_max) return kInvalid;
    char32_t value = lead & (0x7FU >> form.bytes);
    value = (value << 6U) | (second & 0x3FU);
    for (std::size_t i = 2; i < form.bytes; ++i) {
        const unsigned byte = byte_at(text, i);
        if ((byte & 0xC0U) != 0x80) return kInvalid;
        value = (value << 6U) | (byte & 0x3FU);
    }
    return {.value = value, .bytes = form.bytes};
}

std::optional<std::size_t> find_invalid(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::string_view rest = text.substr(at);
        if (const std::size_t skipped = swar::words_without(rest, swar::not_ascii); skipped > 0) {
            at += skipped;
            continue;
        }
        const Scalar scalar = next(rest);
        if (!scalar.valid) return at;
        at += scalar.bytes;
    }
    return std::nullopt;
}

void append(std::string& out, char32_t scalar) {
    ASSERT(scalar <= 0x10FFFF && (scalar < 0xD800 || scalar > 0xDFFF));
    const auto tail = [&out, scalar](unsigned shift) {
        out += static_cast<char>(0x80U | ((scalar >> shift) & 0x3FU));
    };
    if (scalar < 0x80) {
        out += static_cast<char>(scalar);
    } else if (scalar < 0x800) {
        out += static_cast<char>(0xC0U | (scalar >> 6U));
        tail(0);
    } else if (scalar < 0x10000) {
        out += static_cast<char>(0xE0U | (scalar >> 12U));
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0U | (scalar >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::size_t count_scalars(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) at += next(text.substr(at)).bytes;
    return count;
}

std::size_t cluster_bytes(std::string_view text) {
    const Scalar first = next(text);
    // Between two ASCII characters there is always a boundary, but for CR LF.
    if (first.bytes == 1 && first.value != '\r' && (text.size() == 1 || byte_at(text, 1) < 0x80))
        return 1;
    std::size_t at = first.bytes;
    char32_t before = first.value;
    utf8proc_int32_t state = 0;
    while (at < text.size()) {
        const Scalar after = next(text.substr(at));
        if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                             static_cast<utf8proc_int32_t>(after.value), &state))
            break;
        before = after.value;
        at += after.bytes;
    }
    return at;
}

std::size_t count_clusters(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) at += cluster_bytes(text.substr(at));
    return count;
}

}  // namespace parley::utf8
