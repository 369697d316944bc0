// SPDX-License-Identifier: Apache-2.0
// Lists: what is pending from memory, the rest from the store.
#include <algorithm>
#include <iterator>
#include <utility>

#include "broker/broker.h"
#include "broker/limits.h"
#include "broker/visible.h"
#include "core/limits.h"
#include "core/weight.h"

namespace parley {

namespace {

// Goes along ids in the order of the query until `is_enough` says so.
template <class Ids, class IsEnough>
void walk(const Ids& ids, const AskQuery& query, IsEnough is_enough) {
    const auto go = [&](auto at, auto end) {
        while (at != end && !is_enough(*at)) ++at;
    };
    if (query.order == ListOrder::newest_first) {
        const auto before = query.after ? ids.lower_bound(*query.after) : ids.end();
        go(std::make_reverse_iterator(before), std::make_reverse_iterator(ids.begin()));
    } else {
        go(query.after ? ids.upper_bound(*query.after) : ids.begin(), ids.end());
    }
}

}  // namespace

void LoopBroker::list_asks(AskQuery query, const Viewer& viewer, Done<AskPage> done) {
    query.limit = std::min(query.limit, limits::kListPageMax);
    narrow(query, viewer);
    if (query.state == AskState::pending && query.order != ListOrder::last_settled_first) {
        wiring_.home.post(
            alive_.guard([done = std::move(done), page = list_pending(query, viewer)]() mutable {
                done(std::move(page));
            }));
        return;
    }
    wiring_.store.list_asks(
        std::move(query),
        alive_.guard([this, viewer, done = std::move(done)](Result<AskPage> page) mutable {
            if (page) {
                // Of what is pending the broker knows more than the store does.
                for (AskPtr& ask : page->asks)
                    if (AskPtr known = ask->is_pending() ? ledger_.find_pending(ask->id) : nullptr)
                        ask = std::move(known);
                hide(*page, viewer);
            }
            done(std::move(page));
        }));
}

AskPage LoopBroker::list_pending(const AskQuery& query, const Viewer& viewer) const {
    AskPage page;
    std::size_t bytes = 0;
    std::size_t looked_at = 0;
    const auto is_enough = [&](const AskPtr& ask) {
        const bool is_listed =
            is_shown(*ask, viewer) && (!query.asker || ask->spec->asker == *query.asker);
        const bool is_full = page.asks.size() == query.limit || bytes >= query.bytes;
        page.has_more = ++looked_at > limits::kPendingLooksMax || (is_listed && is_full);
        if (page.has_more) return true;
        page.last = ask->id;
        if (is_listed) {
            bytes += weight_of(*ask);
            page.asks.push_back(ask);
        } else {
            ++page.hidden;
        }
        return false;
    };
    if (!query.session) {
        walk(ledger_.pending(), query, [&](const auto& each) { return is_enough(each.second); });
    } else if (const auto* entry = ledger_.find_session(*query.session)) {
        walk(entry->pending, query, [&](AskId id) { return is_enough(ledger_.find_pending(id)); });
    }
    return page;
}

AskPtr LoopBroker::pending_after(AskId after, std::optional<SessionId> session,
                                 const Viewer& viewer) const {
    AskPtr found;
    const AskQuery query{.after = after};
    const auto is_found = [&](AskPtr ask) {
        found = shown(std::move(ask), viewer);
        return found != nullptr;
    };
    if (!session) {
        walk(ledger_.pending(), query, [&](const auto& each) { return is_found(each.second); });
    } else if (const auto* entry = ledger_.find_session(*session)) {
        walk(entry->pending, query, [&](AskId id) { return is_found(ledger_.find_pending(id)); });
    }
    return found;
}

const Ledger::SessionEntry* LoopBroker::live_before(std::optional<SessionId> before,
                                                    const Viewer& viewer) const {
    const auto& sessions = ledger_.sessions();
    auto at = before ? sessions.lower_bound(*before) : sessions.end();
    while (at != sessions.begin())
        if (--at; is_shown(*at->second.session, viewer)) return &at->second;
    return nullptr;
}

void LoopBroker::list_sessions(SessionQuery query, const Viewer& viewer, Done<SessionPage> done) {
    if (is_agent(viewer))
        return fail(done, {ErrorCode::denied,
                           "people list sessions; an agent finds its own by their names"});
    query.limit = std::min(query.limit, limits::kListPageMax);
    wiring_.store.list_sessions(query, std::move(done));
}

void LoopBroker::list_events(EventQuery query, const Viewer& viewer, Done<ShownEvents> done) {
    query.limit = std::min(query.limit, limits::kEventsPageMax);
    auto read = [viewer, done = std::move(done)](Result<EventPage> page) mutable {
        if (!page) return done(reject(std::move(page).error()));
        done(hide(std::move(*page), viewer));
    };
    if (!query.session) return wiring_.store.list_events(query, std::move(read));
    auto found = [this, query, read = std::move(read)](const Result<SessionPtr>& session) mutable {
        if (!session) return read(reject(session.error()));
        wiring_.store.list_events(query, std::move(read));
    };
    find_session(query.session->str(), viewer, alive_.guard(std::move(found)));
}

}  // namespace parley
