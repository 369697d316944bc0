// SPDX-License-Identifier: Apache-2.0
// The little cryptography that tokens and signed texts need, from OpenSSL.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::net {

std::string random_bytes(std::size_t count);  // at most 256
// 256 random bits as 43 URL-safe characters.
std::string random_secret();
// 64 hex digits.
std::string sha256_hex(std::string_view text);
// The same of a text under a key.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);
// 20 bytes. Broken as a signature; the WebSocket handshake asks for nothing better.
std::string sha1(std::string_view text);
// Takes as long for texts that differ at once as for equal ones of that length.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace parley::net
