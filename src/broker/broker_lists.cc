// SPDX-License-Identifier: Apache-2.0
// Lists: what is pending from memory, the rest from the store.
#include <algorithm>
#include <iterator>
#include <utility>

#include "broker/broker.h"
#include "broker/limits.h"
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
    if (query.state == AskState::pending && query.order != ListOrder::last_settled_first) {
        wiring_.home.post(
            alive_.guard([done = std::move(done), page = list_pending(query, viewer)]() mutable {
                done(std::move(page));
            }));
        return;
    }
    // Who acts for one session sees all that was asked there, whoever asked it.
    if (!viewer.sees_all && !viewer.only_session) query.asker = viewer.principal;
    wiring_.store.list_asks(
        std::move(query),
        alive_.guard([this, viewer, done = std::move(done)](Result<AskPage> page) mutable {
            if (page) {
                // Of what is pending the broker knows more than the store does.
                for (AskPtr& ask : page->asks)
                    if (AskPtr known = ask->is_pending() ? ledger_.find_pending(ask->id) : nullptr)
                        ask = std::move(known);
                page->hidden = std::erase_if(page->asks, [&](const AskPtr& ask) {
                    if (may_see(viewer, *ask)) return false;
                    page->hidden_bytes += weight_of(*ask);
                    return true;
                });
            }
            done(std::move(page));
        }));
}

AskPage LoopBroker::list_pending(const AskQuery& query, const Viewer& viewer) const {
    AskPage page;
    std::size_t bytes = 0;
    std::size_t looked_at = 0;
    const auto is_enough = [&](const AskPtr& ask) {
        const bool is_shown =
            may_see(viewer, *ask) && (!query.asker || ask->spec->asker == *query.asker);
        const bool is_full = page.asks.size() == query.limit || bytes >= query.bytes;
        page.has_more = ++looked_at > limits::kPendingLooksMax || (is_shown && is_full);
        if (page.has_more) return true;
        page.last = ask->id;
        if (is_shown) {
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

void LoopBroker::list_sessions(SessionQuery query, Done<SessionPage> done) {
    query.limit = std::min(query.limit, limits::kListPageMax);
    wiring_.store.list_sessions(query, std::move(done));
}

void LoopBroker::list_events(EventQuery query, Done<EventPage> done) {
    query.limit = std::min(query.limit, limits::kEventsPageMax);
    wiring_.store.list_events(query, std::move(done));
}

}  // namespace parley
