// SPDX-License-Identifier: Apache-2.0
// What a call keeps while a person thinks is bounded by what it asks: the ask counts towards its
// agent's quota, and nothing that stands beside it does.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "bridge/limits.h"
#include "core/weight.h"
#include "parley/values.h"

namespace parley {

inline Result<void> check_kept(const AskSpec& spec, std::size_t bytes) {
    const Ask ask{.id = {}, .session = {}, .spec = std::make_shared<const AskSpec>(spec)};
    const std::size_t bytes_max = 2 * weight_of(ask) + limits::kKeptBesideAsk;
    if (bytes <= bytes_max) return {};
    return reject(ErrorCode::too_large,
                  "the call holds {} bytes beside what it asks; at most {} may wait for the answer",
                  bytes, bytes_max);
}

}  // namespace parley
