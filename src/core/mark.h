// SPDX-License-Identifier: Apache-2.0
// What the nodes on one store keep for each other, and a node for its next run: a short value under
// a key, such as who holds the seat of a chat session. Plain values.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "parley/values.h"

namespace parley {

struct Mark {
    std::string key;  // a kind and what it is about: "seat/ses_…"
    std::string value;
    Instant at = {};
    std::optional<Instant> expires_at = {};  // it may be dropped then

    bool operator==(const Mark&) const = default;
};

using MarkPtr = std::shared_ptr<const Mark>;

}  // namespace parley
