// SPDX-License-Identifier: Apache-2.0
// What asks say that were opened a short while ago: who hears that one of them is settled need not
// read it from the store again. Each is told of once, so what is here waits to be settled.
#pragma once

#include <unordered_map>
#include <utility>

#include "parley/values.h"
#include "store/limits.h"

namespace parley::stored {

class RecentSpecs {
public:
    // Of those that wait for longer, some are read again.
    void remember(AskId ask, SharedSpec spec) {
        if (specs_.size() >= limits::kRecentSpecs) specs_.clear();
        specs_.insert_or_assign(ask, std::move(spec));
    }
    // Null where it is not known.
    SharedSpec take(AskId ask) {
        auto node = specs_.extract(ask);
        return node ? std::move(node.mapped()) : SharedSpec();
    }

private:
    std::unordered_map<AskId, SharedSpec> specs_;
};

}  // namespace parley::stored
