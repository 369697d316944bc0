// SPDX-License-Identifier: Apache-2.0
// What was stored is listed: events by cursor, asks and sessions by id, in pages that are bounded
// by count and by size.
#include <algorithm>
#include <vector>

#include "core/limits.h"
#include "store/engine_conformance.h"

namespace parley {

TEST_P(EngineConformance, CursorsRiseByOneFromTheFirstAcrossReopenings) {
    const SessionPtr session = open_session();
    for (int i = 0; i < 3; ++i) {
        const AskPtr ask = open_ask(session->id);
        commit({SettleAsk{ask->id, make_.settlement(Outcome::answered)}, make_.notice(session->id),
                make_.draft(ask->id, "late")});
        EXPECT_EQ(reopen().head, reported().back()->cursor);
    }
    for (std::size_t i = 0; i < reported().size(); ++i)
        EXPECT_EQ(reported()[i]->cursor.value, first_.value + 1 + i);
}

TEST_P(EngineConformance, ListedEventsAreThoseThatWereReported) {
    const SessionPtr session = open_session("build-7");
    const AskPtr ask = open_ask(session->id, {.key = "k"});
    const AddMessage message = make_.message(session->id, "line\nwith \"quotes\" and ✓");
    commit(
        {ChangeSession{.session = session->id, .at = make_.tick(), .activity = Activity::working},
         message, TakeMessages{session->id, make_.tick(), message.message.id},
         make_.part(session->id), make_.notice(SessionId()), make_.draft(ask->id, "half")});
    const AskPtr pending = open_ask(session->id);
    commit({SettleAsk{ask->id, make_.settlement(Outcome::answered)}});
    commit({make_.end(session->id, "over")});

    for (const bool is_reopened : {false, true}) {
        if (is_reopened) reopen();
        const EventPage page = list_events({.after = first_});
        EXPECT_FALSE(page.has_gap);
        EXPECT_FALSE(page.has_more);
        EXPECT_EQ(describe(page.events, Detail::left_out), describe(reported(), Detail::left_out));
    }
}

TEST_P(EngineConformance, TheNewestDraftEventShowsTheDraftThatStands) {
    const AskPtr ask = open_ask(open_session()->id);
    commit({make_.draft(ask->id, "ha"), make_.draft(ask->id, "half")});
    reopen();
    const EventPage page = list_events({.after = first_});
    EXPECT_EQ(describe(*page.events.back()), describe(*reported().back()));
}

TEST_P(EngineConformance, EventsComeInPagesAndBySession) {
    const SessionPtr one = open_session();
    const SessionPtr two = open_session();
    std::vector<EventPtr> of_two = {reported().back()};
    for (int i = 0; i < 5; ++i) {
        open_ask(one->id);
        open_ask(two->id);
        of_two.push_back(reported().back());
    }
    std::vector<EventPtr> seen;
    EventPage page;
    Cursor after = first_;
    do {
        page = list_events({.after = after, .limit = 5});
        ASSERT_FALSE(page.events.empty());
        ASSERT_LE(page.events.size(), 5U);
        seen = concat(seen, page.events);
        after = page.events.back()->cursor;
    } while (page.has_more);
    EXPECT_EQ(describe(seen), describe(reported()));

    page = list_events({.after = first_, .session = two->id, .limit = 6});
    EXPECT_FALSE(page.has_more);
    EXPECT_EQ(describe(page.events), describe(of_two));
    page = list_events({.after = of_two[2]->cursor, .session = two->id, .limit = 2});
    EXPECT_TRUE(page.has_more);
    EXPECT_EQ(describe(page.events), describe(std::vector{of_two[3], of_two[4]}));
}

TEST_P(EngineConformance, ACursorOutsideTheStoreIsAGap) {
    open_session();
    const Cursor head = reported().back()->cursor;
    EXPECT_FALSE(list_events({.after = first_}).has_gap);
    const EventPage at_head = list_events({.after = head});
    EXPECT_FALSE(at_head.has_gap);
    EXPECT_TRUE(at_head.events.empty());
    for (const Cursor outside :
         {Cursor{0}, Cursor{first_.value - 1}, Cursor{head.value + 1}, Cursor{~0ULL >> 1}}) {
        const EventPage page = list_events({.after = outside});
        EXPECT_TRUE(page.has_gap);
        EXPECT_TRUE(page.events.empty());
        EXPECT_FALSE(page.has_more);
    }
}

TEST_P(EngineConformance, ACursorOfAStoreMadeAtAnotherTimeIsAGap) {
    open_session();
    const Cursor ours = reported().back()->cursor;
    const StillClock later(clock_.wall() + Millis(5));
    const auto other_store = GetParam().make_store();
    const auto other = other_store->make_engine(later);
    const auto opened = other->open();
    ASSERT_TRUE(opened) << opened.error().message;
    const auto foreign = other->list_events({.after = ours});
    ASSERT_TRUE(foreign);
    EXPECT_TRUE(foreign->has_gap);
    EXPECT_TRUE(list_events({.after = opened->head}).has_gap);
}

TEST_P(EngineConformance, AsksAreListedByIdInPagesByStateAndSession) {
    const SessionPtr one = open_session();
    const SessionPtr two = open_session();
    std::vector<AskPtr> of_one;
    for (int i = 0; i < 7; ++i) {
        of_one.push_back(open_ask(one->id));
        open_ask(two->id);
    }
    for (const std::size_t i : {1U, 3U, 4U})
        commit_one(SettleAsk{of_one[i]->id, make_.settlement(Outcome::dismissed)});
    const auto list = [&](const AskQuery& query) {
        auto page = engine_->list_asks(query);
        EXPECT_TRUE(page) << page.error().message;
        return std::move(*page);
    };
    EXPECT_EQ(list({}).asks.size(), 14U);
    EXPECT_EQ(ids_of(list({.session = one->id}).asks), ids_of(of_one));
    EXPECT_EQ(list({.state = AskState::pending}).asks.size(), 11U);
    EXPECT_EQ(list({.state = AskState::answered}).asks.size(), 0U);
    EXPECT_EQ(ids_of(list({.state = AskState::dismissed}).asks),
              ids_of({of_one[1], of_one[3], of_one[4]}));
    EXPECT_EQ(ids_of(list({.state = AskState::pending, .session = one->id}).asks),
              ids_of({of_one[0], of_one[2], of_one[5], of_one[6]}));

    AskPage page = list({.state = AskState::pending, .session = one->id, .limit = 2});
    EXPECT_TRUE(page.has_more);
    page = list({.state = AskState::pending,
                 .session = one->id,
                 .after = page.asks.back()->id,
                 .limit = 2});
    EXPECT_FALSE(page.has_more) << "exactly a page is left";
    EXPECT_EQ(ids_of(page.asks), ids_of({of_one[5], of_one[6]}));
    page = list({.state = AskState::dismissed, .after = of_one[1]->id, .limit = 1});
    EXPECT_TRUE(page.has_more);
    EXPECT_EQ(page.asks.at(0)->settlement->outcome, Outcome::dismissed);
    EXPECT_TRUE(list({.after = AskId(IdBits{~0ULL, ~0ULL})}).asks.empty());
}

TEST_P(EngineConformance, AsksAreListedNewestFirstToo) {
    const SessionPtr one = open_session();
    const SessionPtr two = open_session();
    std::vector<AskPtr> asks;
    for (int i = 0; i < 5; ++i) {
        asks.push_back(open_ask(one->id));
        open_ask(two->id);
    }
    commit_one(SettleAsk{asks[2]->id, make_.settlement(Outcome::dismissed)});
    AskQuery query{.session = one->id, .limit = 3, .order = ListOrder::newest_first};
    auto page = engine_->list_asks(query);
    ASSERT_TRUE(page);
    EXPECT_TRUE(page->has_more);
    EXPECT_EQ(ids_of(page->asks), ids_of({asks[4], asks[3], asks[2]}));
    query.after = asks[2]->id;
    page = engine_->list_asks(query);
    ASSERT_TRUE(page);
    EXPECT_FALSE(page->has_more);
    EXPECT_EQ(ids_of(page->asks), ids_of({asks[1], asks[0]}));
    page = engine_->list_asks({.order = ListOrder::newest_first});
    EXPECT_EQ(page->asks.size(), 10U);
    page = engine_->list_asks({.state = AskState::dismissed, .order = ListOrder::newest_first});
    EXPECT_EQ(ids_of(page->asks), ids_of({asks[2]}));
    page = engine_->list_asks({.state = AskState::pending,
                               .session = one->id,
                               .limit = 2,
                               .order = ListOrder::newest_first});
    EXPECT_EQ(ids_of(page->asks), ids_of({asks[4], asks[3]}));
}

TEST_P(EngineConformance, EventsAreListedNewestFirstToo) {
    const SessionPtr one = open_session();
    const SessionPtr two = open_session();
    for (int i = 0; i < 3; ++i) {
        open_ask(one->id);
        open_ask(two->id);
    }
    const std::vector<EventPtr> events = list_events({.after = first_}).events;
    ASSERT_EQ(events.size(), 8U);
    const auto cursors = [](const EventPage& page) {
        std::string text;
        for (const EventPtr& event : page.events) text += fmt::format("{} ", event->cursor.value);
        return text;
    };
    EventQuery query{.after = {}, .limit = 5, .order = ListOrder::newest_first};
    EventPage page = list_events(query);
    EXPECT_TRUE(page.has_more);
    EXPECT_EQ(page.events.front()->cursor, events.back()->cursor);
    EXPECT_EQ(page.events.back()->cursor, events[3]->cursor);
    query.after = page.events.back()->cursor;
    page = list_events(query);
    EXPECT_FALSE(page.has_more);
    EXPECT_EQ(cursors(page), fmt::format("{} {} {} ", events[2]->cursor.value,
                                         events[1]->cursor.value, events[0]->cursor.value));
    page = list_events({.after = {}, .session = two->id, .order = ListOrder::newest_first});
    EXPECT_EQ(page.events.size(), 4U);
    EXPECT_EQ(page.events.back()->cursor, events[1]->cursor);
    page = list_events({.after = first_, .order = ListOrder::newest_first});
    EXPECT_TRUE(page.events.empty());
    EXPECT_FALSE(page.has_gap);
}

TEST_P(EngineConformance, AsksAreListedByIdAlsoWhenTheyWereOpenedInAnotherOrder) {
    const SessionPtr session = open_session();
    const AskPtr low = make_.ask(session->id);
    const AskPtr high = make_.ask(session->id);
    commit({OpenAsk{high}, OpenAsk{low}});
    const std::string ascending = ids_of({low, high});
    EXPECT_EQ(ids_of(engine_->list_asks({})->asks), ascending);
    EXPECT_EQ(ids_of(engine_->list_asks({.session = session->id})->asks), ascending);
    EXPECT_EQ(ids_of(reopen().pending), ascending);
    EXPECT_EQ(reopen().top_ask, high->id);
}

TEST_P(EngineConformance, SessionsAreListedByIdWithTheEndedOnes) {
    std::vector<SessionPtr> sessions;
    for (int i = 0; i < 5; ++i) sessions.push_back(open_session(fmt::format("s{}", i)));
    commit_one(make_.end(sessions[2]->id));
    auto page = engine_->list_sessions({.limit = 3});
    ASSERT_TRUE(page);
    EXPECT_TRUE(page->has_more);
    ASSERT_EQ(page->sessions.size(), 3U);
    EXPECT_EQ(page->sessions[0]->id, sessions[0]->id);
    EXPECT_TRUE(page->sessions[2]->ended_at);
    page = engine_->list_sessions({.after = sessions[2]->id, .limit = 2});
    ASSERT_TRUE(page);
    EXPECT_FALSE(page->has_more);
    EXPECT_EQ(page->sessions.at(1)->id, sessions[4]->id);
}

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

// What this engine wrote was reported when it was: only others' work comes by the feed.
TEST_P(EngineConformance, TheFeedHoldsWhatOthersWroteAndNothingElse) {
    const SessionPtr session = open_session();
    EXPECT_TRUE(engine_->poll_feed().value().events.empty());
    commit({OpenAsk{make_.ask(session->id)}, PutToken{make_.token("laptop", "aa11")}});
    EXPECT_TRUE(engine_->poll_feed().value().events.empty());
    reopen();
    EXPECT_TRUE(engine_->poll_feed().value().events.empty());
}

}  // namespace parley
