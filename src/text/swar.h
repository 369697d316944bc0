// SPDX-License-Identifier: Apache-2.0
// Looking at eight bytes at once in an ordinary register, for scans that mostly find nothing. Pure
// functions, for use inside src/text only; each tells whether a match exists, never where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace parley::swar {

using Word = std::uint64_t;

inline constexpr Word kOnes = 0x0101010101010101;  // every byte 1
inline constexpr Word kTops = 0x80 * kOnes;        // the top bit of every byte

// The first bytes of `text`, of which there must be enough.
template <class T>
T load(std::string_view text) {
    T value;
    std::memcpy(&value, text.data(), sizeof(value));
    return value;
}

constexpr Word not_ascii(Word bytes) {
    return bytes & kTops;
}

// Not zero if any byte is below `limit`, which is at most 0x80. The subtraction borrows from the
// next byte only past a byte that did match, so that no match gives zero.
constexpr Word below(Word bytes, unsigned char limit) {
    return (bytes - limit * kOnes) & ~bytes & kTops;
}

constexpr Word equal(Word bytes, char byte) {
    return below(bytes ^ (static_cast<unsigned char>(byte) * kOnes), 1);
}

// The bytes at the start of `text`, in whole words, in none of which `matches` is not zero.
template <class Matches>
std::size_t words_without(std::string_view text, Matches matches) {
    std::size_t at = 0;
    while (text.size() - at >= sizeof(Word) && matches(load<Word>(text.substr(at))) == 0)
        at += sizeof(Word);
    return at;
}

}  // namespace parley::swar
