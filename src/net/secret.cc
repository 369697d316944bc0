// SPDX-License-Identifier: Apache-2.0
// The hash itself is called, as OpenSSL 1.1 named it, and the system is asked for random bytes: the
// newer interfaces first load OpenSSL's configuration, its providers and tables of all their
// algorithms, a megabyte that a broker without TLS has no other use for.
#define OPENSSL_API_COMPAT 10101

#include "net/secret.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/assert.h"

namespace parley::net {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

// Of one text after the other.
Digest sha256(std::span<const unsigned char> first, std::string_view second) {
    Digest digest;
    SHA256_CTX context;
    ASSERT(SHA256_Init(&context) == 1);
    ASSERT(SHA256_Update(&context, first.data(), first.size()) == 1);
    ASSERT(SHA256_Update(&context, second.data(), second.size()) == 1);
    ASSERT(SHA256_Final(digest.data(), &context) == 1);
    return digest;
}

std::string hex(std::span<const unsigned char> bytes) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string text(2 * bytes.size(), '0');
    auto digit = text.begin();
    for (const unsigned char byte : bytes) {
        *digit++ = kHex[byte >> 4U];
        *digit++ = kHex[byte & 15U];
    }
    return text;
}

}  // namespace

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    ASSERT(::getentropy(bytes.data(), bytes.size()) == 0);
    return bytes;
}

std::string random_secret() {
    static constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const std::string random = random_bytes(33);
    const std::span bytes(reinterpret_cast<const unsigned char*>(random.data()), random.size());
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const unsigned group =
            (unsigned{bytes[i]} << 16U) | (unsigned{bytes[i + 1]} << 8U) | unsigned{bytes[i + 2]};
        for (int shift = 18; shift >= 0; shift -= 6) text += kAlphabet[(group >> shift) & 63U];
    }
    return text.substr(0, 43);
}

std::string sha256_hex(std::string_view text) {
    return hex(sha256({}, text));
}

// RFC 2104.
std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
    std::array<unsigned char, SHA256_CBLOCK> inner{};
    if (key.size() <= inner.size()) {
        std::copy(key.begin(), key.end(), inner.begin());
    } else {
        std::ranges::copy(sha256({}, key), inner.begin());
    }
    auto outer = inner;
    for (unsigned char& byte : inner) byte ^= 0x36U;
    for (unsigned char& byte : outer) byte ^= 0x5cU;
    const Digest digest = sha256(inner, text);
    return hex(sha256(outer, {reinterpret_cast<const char*>(digest.data()), digest.size()}));
}

std::string sha1(std::string_view text) {
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest;
    SHA_CTX context;
    ASSERT(SHA1_Init(&context) == 1);
    ASSERT(SHA1_Update(&context, text.data(), text.size()) == 1);
    ASSERT(SHA1_Final(digest.data(), &context) == 1);
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace parley::net
