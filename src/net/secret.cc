// SPDX-License-Identifier: Apache-2.0
#include "net/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <cstddef>
#include <span>

#include "base/assert.h"

namespace parley::net {

namespace {

std::string hex(std::span<const unsigned char> bytes) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const unsigned char byte : bytes) {
        text += kHex[byte >> 4U];
        text += kHex[byte & 15U];
    }
    return text;
}

}  // namespace

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
    // Every request has a token: finding the algorithm costs OpenSSL more than running it.
    static const EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    ASSERT(kSha256 != nullptr);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    ASSERT(EVP_Digest(text.data(), text.size(), digest.data(), &size, kSha256, nullptr) == 1);
    return hex({digest.data(), size});
}

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    ASSERT(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(),
                digest.data(), &size) != nullptr);
    return hex({digest.data(), size});
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace parley::net
