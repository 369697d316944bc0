// SPDX-License-Identifier: Apache-2.0
#include "door/stop_session.h"

#include <algorithm>

namespace parley {

Result<void> check_may_stop(const LoopBroker& broker, const Caller& caller, std::string_view ref) {
    const auto id = broker.resolve(ref);
    const auto* entry = id ? broker.ledger().find_session(*id) : nullptr;
    if (entry == nullptr) return {};
    const bool sees_all = std::ranges::all_of(entry->pending, [&](AskId ask) {
        return may_see(caller, *broker.ledger().find_pending(ask));
    });
    if (sees_all) return {};
    return reject(ErrorCode::denied, "asks of other agents wait in this session");
}

}  // namespace parley
