// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <cstddef>

#include "base/sizes.h"

namespace parley::limits {

// HTTP, both sides.
inline constexpr std::size_t kHttpHeadBytes = 32 * kKiB;    // start line and fields; more is 431
inline constexpr std::size_t kHttpTargetBytes = 24 * kKiB;  // tRPC puts its input there; 414
inline constexpr std::size_t kHttpFields = 100;
inline constexpr std::size_t kBodyBytes = 4 * kMiB;  // of a request, unless its route says more
inline constexpr std::size_t kChunkLineBytes = 4 * kKiB;      // a chunk's size line, or the trailer
inline constexpr std::size_t kChunkOverheadBytes = 1 * kMiB;  // all framing of one chunked body
inline constexpr std::size_t kQueryParameters = 256;
inline constexpr std::size_t kSseEventBytes = 16 * kMiB;  // one event read by a client

// Of a body that was announced, and of one that is gone: memory that is set aside.
inline constexpr std::size_t kBodyReserveBytes = 64 * kKiB;

// A robust peer may send one blank line too many after a body; more than a few is an attack.
inline constexpr std::size_t kBlankBytes = 8;

inline constexpr std::size_t kWsControlBytes = 125;  // RFC 6455: the payload of a control frame

// An id of JSON-RPC that is a text. It is held for as long as its call, which may wait for a
// person.
inline constexpr std::size_t kRpcIdBytes = 200;

}  // namespace parley::limits
