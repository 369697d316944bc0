// SPDX-License-Identifier: Apache-2.0
// UTF-8: validity, scalar values, grapheme clusters. Pure functions over bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::utf8 {

// Offset of the first byte that is not valid UTF-8 (overlong forms, surrogates and values above
// U+10FFFF are invalid); nullopt when all is valid.
std::optional<std::size_t> find_invalid(std::string_view text);
inline bool is_valid(std::string_view text) {
    return !find_invalid(text);
}

struct Scalar {
    char32_t value = 0;     // U+FFFD for an invalid byte
    std::size_t bytes = 0;  // how many bytes it took; 0 only at the end of the text
    bool valid = true;
};
// The scalar at the start of `text`. An invalid byte is taken alone.
Scalar next(std::string_view text);
void append(std::string& out, char32_t scalar);

std::size_t count_scalars(std::string_view text);

// Bytes of the first extended grapheme cluster of `text`; 0 at the end. Valid UTF-8 only.
std::size_t cluster_bytes(std::string_view text);
std::size_t count_clusters(std::string_view text);

}  // namespace parley::utf8
