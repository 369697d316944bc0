// SPDX-License-Identifier: Apache-2.0
#include "net/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <cstddef>

#include "base/assert.h"

namespace parley::net {

std::string random_secret() {
    static constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::array<unsigned char, 33> bytes{};
    ASSERT(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const unsigned group =
            (unsigned{bytes[i]} << 16U) | (unsigned{bytes[i + 1]} << 8U) | unsigned{bytes[i + 2]};
        for (int shift = 18; shift >= 0; shift -= 6) text += kAlphabet[(group >> shift) & 63U];
    }
    return text.substr(0, 43);
}

std::string sha256_hex(std::string_view text) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    ASSERT(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
    std::string hex;
    for (unsigned i = 0; i < size; ++i) {
        hex += kHex[digest[i] >> 4U];
        hex += kHex[digest[i] & 15U];
    }
    return hex;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace parley::net
