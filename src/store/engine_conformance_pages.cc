// SPDX-License-Identifier: Apache-2.0
// Lists of large things come in smaller pages.
#include <algorithm>
#include <vector>

#include "base/limits.h"
#include "store/engine_conformance.h"

namespace parley {

// What is listed is never more than a page's bytes and one row, and nothing is left out.
TEST_P(EngineConformance, PagesEndWhereTheirBytesAreReached) {
    const SessionPtr session = open_session();
    std::vector<AskPtr> opened;
    for (int i = 0; i < 7; ++i) opened.push_back(open_ask(session->id));
    for (const ListOrder order : {ListOrder::oldest_first, ListOrder::newest_first}) {
        std::vector<AskPtr> asks;
        for (AskQuery query{.order = order, .bytes = 1};;) {
            const auto page = engine_->list_asks(query);
            ASSERT_TRUE(page);
            ASSERT_EQ(page->asks.size(), 1U);
            asks.push_back(page->asks.front());
            query.after = asks.back()->id;
            if (!page->has_more) break;
        }
        if (order == ListOrder::newest_first) std::ranges::reverse(asks);
        ASSERT_EQ(asks.size(), opened.size());
        for (std::size_t i = 0; i < asks.size(); ++i) EXPECT_EQ(asks[i]->id, opened[i]->id);
        std::vector<EventPtr> events;
        const Cursor start = order == ListOrder::oldest_first ? first_ : Cursor{};
        for (EventQuery query{.after = start, .order = order, .bytes = 1};;) {
            const EventPage page = list_events(query);
            ASSERT_EQ(page.events.size(), 1U);
            events.push_back(page.events.front());
            query.after = events.back()->cursor;
            if (!page.has_more) break;
        }
        if (order == ListOrder::newest_first) std::ranges::reverse(events);
        EXPECT_EQ(describe(events), describe(reported()));
    }
    EXPECT_EQ(engine_->list_asks({.bytes = limits::kPageBytes})->asks.size(), 7U);
}

}  // namespace parley
