// SPDX-License-Identifier: Apache-2.0
// What agents have on its way to the store: asks and sessions that the ledger does not know yet.
// They count towards the quotas too, so that many at once find the same limit as one after another.
// Confined to the broker's thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "broker/ledger.h"
#include "parley/ids.h"

namespace parley {

class Openings {
public:
    void add_ask(AskId id, const std::string& principal, std::size_t bytes);
    void add_session(SessionId id, const std::string& principal);
    // It is stored, or it will not be. Nothing if that was said before.
    void end_ask(AskId id);
    void end_session(SessionId id);

    Ledger::Usage usage_of(std::string_view principal) const;

private:
    struct OpeningAsk {
        std::string principal;
        std::size_t bytes = 0;
    };
    using UsageMap = std::map<std::string, Ledger::Usage, std::less<>>;
    void forget_idle(UsageMap::iterator usage);

    std::unordered_map<AskId, OpeningAsk> asks_;
    std::unordered_map<SessionId, std::string> sessions_;  // and whose
    UsageMap usage_;                                       // by principal
};

}  // namespace parley
