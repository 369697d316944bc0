// SPDX-License-Identifier: Apache-2.0
#include "wire/header_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "wire/http_message.h"

namespace parley::wire {

namespace {

// Calls `each` for the pieces between `separator`s that stand outside quotes, trimmed.
template <class Each>
void for_each_piece(std::string_view text, char separator, Each each) {
    std::size_t start = 0;
    bool quoted = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size()) {
            if (quoted && text[i] == '\\' && i + 1 < text.size()) {
                ++i;
                continue;
            }
            if (text[i] == '"') quoted = !quoted;
            if (quoted || text[i] != separator) continue;
        }
        each(trim(text.substr(start, i - start)));
        start = i + 1;
    }
}

std::string_view before(std::string_view text, char separator) {
    return trim(text.substr(0, text.find(separator)));
}

// "0.8" as 800; what cannot be read counts as 1, as most servers do.
int parse_quality(std::string_view text) {
    if (text == "1" || text.starts_with("1.")) return 1000;
    if (!text.starts_with("0")) return 1000;
    int value = 0;
    int scale = 100;
    for (const char c : text.substr(std::min<std::size_t>(2, text.size()))) {
        if (c < '0' || c > '9') return 1000;
        value += (c - '0') * scale;
        scale /= 10;
    }
    return value;
}

// How specific the range is: 3 the type itself, 2 "type/*", 1 "*/*", 0 no match.
int match_range(std::string_view range, std::string_view type) {
    if (equals_ignoring_case(range, type)) return 3;
    if (range == "*/*") return 1;
    if (!range.ends_with("/*")) return 0;
    const std::string_view main = range.substr(0, range.size() - 1);
    return equals_ignoring_case(main, type.substr(0, main.size())) ? 2 : 0;
}

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The text after "Scheme ", if that is the scheme.
std::optional<std::string_view> after_scheme(std::string_view authorization,
                                             std::string_view scheme) {
    const std::string_view value = trim(authorization);
    const std::size_t space = value.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    if (!equals_ignoring_case(value.substr(0, space), scheme)) return std::nullopt;
    const std::string_view rest = trim(value.substr(space));
    if (rest.empty()) return std::nullopt;
    return rest;
}

}  // namespace

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool list_contains(std::string_view value, std::string_view token) {
    bool found = false;
    for_each_piece(value, ',', [&](std::string_view piece) {
        if (equals_ignoring_case(piece, token)) found = true;
    });
    return found;
}

bool is_media_type(std::string_view content_type, std::string_view type) {
    return equals_ignoring_case(before(before(content_type, ','), ';'), type);
}

int accept_quality(std::string_view accept, std::string_view type) {
    if (trim(accept).empty()) return 1000;
    int best_match = 0;
    int quality = 0;
    for_each_piece(accept, ',', [&](std::string_view range) {
        const int match = match_range(before(range, ';'), type);
        if (match <= best_match) return;
        best_match = match;
        quality = 1000;
        for_each_piece(range, ';', [&](std::string_view parameter) {
            if (equals_ignoring_case(before(parameter, '='), "q")) {
                const std::size_t equals = parameter.find('=');
                if (equals != std::string_view::npos) {
                    quality = parse_quality(trim(parameter.substr(equals + 1)));
                }
            }
        });
    });
    return quality;
}

std::optional<std::string_view> find_cookie(std::string_view cookie_header, std::string_view name) {
    std::optional<std::string_view> found;
    for_each_piece(cookie_header, ';', [&](std::string_view pair) {
        const std::size_t equals = pair.find('=');
        if (found || equals == std::string_view::npos) return;
        if (trim(pair.substr(0, equals)) != name) return;
        std::string_view value = trim(pair.substr(equals + 1));
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
            value = value.substr(1, value.size() - 2);
        }
        found = value;
    });
    return found;
}

std::optional<std::string_view> bearer_token(std::string_view authorization) {
    return after_scheme(authorization, "bearer");
}

std::optional<BasicCredentials> basic_credentials(std::string_view authorization) {
    const auto encoded = after_scheme(authorization, "basic");
    if (!encoded) return std::nullopt;
    const auto decoded = base64_decode(*encoded);
    if (!decoded) return std::nullopt;
    const std::size_t colon = decoded->find(':');
    if (colon == std::string::npos) return std::nullopt;
    return BasicCredentials{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

std::string base64_encode(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text.push_back(k <= count ? kBase64[group >> (18 - 6 * k) & 63U] : '=');
        }
    }
    return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        std::size_t padding = 0;
        if (last && text[i + 3] == '=') padding = text[i + 2] == '=' ? 2 : 1;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const bool padded = k >= 4 - padding;
            const std::size_t value = padded ? 0 : kBase64.find(text[i + k]);
            if (value == std::string_view::npos) return std::nullopt;
            group = group << 6 | static_cast<std::uint32_t>(value);
        }
        // Bits that no byte carries must be zero, or two texts would mean the same bytes.
        const std::uint32_t unused = padding == 0 ? 0 : (1U << (8 * padding)) - 1;
        if ((group & unused) != 0) return std::nullopt;
        for (std::size_t k = 0; k < 3 - padding; ++k) {
            bytes.push_back(static_cast<char>(group >> (16 - 8 * k) & 0xffU));
        }
    }
    return bytes;
}

std::string base64url_encode(std::string_view bytes) {
    std::string text = base64_encode(bytes);
    while (text.ends_with('=')) text.pop_back();
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return text;
}

std::optional<std::string> base64url_decode(std::string_view text) {
    if (text.find_first_of("+/=") != std::string_view::npos) return std::nullopt;
    std::string padded(text);
    std::ranges::replace(padded, '-', '+');
    std::ranges::replace(padded, '_', '/');
    padded.append((4 - padded.size() % 4) % 4, '=');
    return base64_decode(padded);
}

}  // namespace parley::wire
