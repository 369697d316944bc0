// SPDX-License-Identifier: Apache-2.0
#include "door/native/known_names.h"

#include <utility>

#include "broker/limits.h"

namespace parley {

std::string_view KnownNames::find(SessionId id) const {
    if (const std::string_view name = broker_.session_name(id); !name.empty()) return name;
    const auto found = ended_.find(id);
    return found == ended_.end() ? std::string_view() : found->second;
}

bool KnownNames::is_known(SessionId id) const {
    return id == SessionId() || broker_.find_live(id, kUnrestricted) != nullptr ||
           !broker_.session_name(id).empty() || ended_.contains(id);
}

void KnownNames::remember(SessionId id, std::string name) {
    if (!ended_.emplace(id, std::move(name)).second) return;
    order_.push_back(id);
    if (order_.size() <= limits::kEndedNamesKept) return;
    ended_.erase(order_.front());
    order_.pop_front();
}

void KnownNames::look_up(std::span<const AskPtr> asks, Task then) {
    std::set<SessionId> missing;
    for (const AskPtr& ask : asks)
        if (!is_known(ask->session)) missing.insert(ask->session);
    look_up(missing, std::move(then));
}

void KnownNames::look_up(const std::set<SessionId>& missing, Task then) {
    if (missing.empty()) return then();
    struct Rest {
        std::size_t count;
        Task then;
    };
    const auto rest = std::make_shared<Rest>(Rest{missing.size(), std::move(then)});
    for (const SessionId id : missing) {
        broker_.find_session(
            id.str(), kUnrestricted,
            [self = shared_from_this(), id, rest](const Result<SessionPtr>& found) {
                if (found) self->remember(id, (*found)->name.value_or(""));
                if (--rest->count == 0) rest->then();
            });
    }
}

}  // namespace parley
