// SPDX-License-Identifier: Apache-2.0
// Stores that are large: nothing is lost among many. PARLEY_SCALE=1 takes the sizes that the
// product promises, 1,000,000 events and 10,000 pending asks; every run takes a part of them.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "store/engine_conformance.h"

namespace parley {

namespace {

struct Scale {
    std::size_t events;
    std::size_t pending;
};

Scale scale() {
    if (std::getenv("PARLEY_SCALE") != nullptr) return {1'000'000, 10'000};
    return {20'000, 500};
}

constexpr std::size_t kBatch = 1000;

}  // namespace

TEST_P(EngineConformance, TheEventsOfAQuietSessionAreFoundAmongMany) {
    const SessionPtr quiet = open_session("quiet");
    std::vector<SessionPtr> busy;
    for (int i = 0; i < 20; ++i) busy.push_back(open_session());
    commit({make_.notice(quiet->id, "early")});
    for (std::size_t left = scale().events; left > 0;) {
        const std::size_t count = std::min(left, kBatch);
        std::vector<Change> changes;
        for (std::size_t i = 0; i < count; ++i)
            changes.emplace_back(make_.notice(busy[i % busy.size()]->id));
        commit(changes);
        left -= count;
        while (engine_->tidy_up().value()) {
        }
    }
    commit({make_.notice(quiet->id, "late"), make_.part(quiet->id)});

    const EventPage start = list_events({.after = first_, .limit = 1});
    const Cursor oldest = start.has_gap ? start.oldest : first_;
    std::vector<EventPtr> own;
    for (const EventPtr& event : reported())
        if (event->session == quiet->id && event->cursor > oldest) own.push_back(event);
    ASSERT_GE(own.size(), 2U);
    for (const bool is_reopened : {false, true}) {
        if (is_reopened) reopen();
        EventPage page = list_events({.after = oldest, .session = quiet->id});
        EXPECT_FALSE(page.has_more);
        EXPECT_EQ(describe(page.events), describe(own));
        page = list_events(
            {.after = {}, .session = quiet->id, .limit = 2, .order = ListOrder::newest_first});
        EXPECT_EQ(page.has_more, own.size() > 2);
        EXPECT_EQ(describe(page.events), describe(std::vector{own.rbegin()[0], own.rbegin()[1]}));
    }
}

TEST_P(EngineConformance, ManyPendingAsksAreListedAndLoaded) {
    std::vector<SessionPtr> sessions;
    for (int i = 0; i < 20; ++i) sessions.push_back(open_session());
    std::vector<AskPtr> asks;
    for (std::size_t left = scale().pending; left > 0;) {
        const std::size_t count = std::min(left, kBatch);
        std::vector<Change> changes;
        for (std::size_t i = 0; i < count; ++i) {
            asks.push_back(make_.ask(sessions[i % sessions.size()]->id,
                                     {.asker = i == 0 ? "rare" : "tester"}));
            changes.emplace_back(OpenAsk{asks.back()});
        }
        commit(changes);
        left -= count;
    }
    const std::string all = ids_of(asks);
    for (const bool is_reopened : {false, true}) {
        if (is_reopened) EXPECT_EQ(ids_of(reopen().pending), all);
        std::vector<AskPtr> listed;
        for (AskQuery query{.state = AskState::pending, .limit = kBatch};;) {
            const auto page = engine_->list_asks(query);
            ASSERT_TRUE(page) << page.error().message;
            listed = concat(listed, page->asks);
            if (!page->has_more) break;
            query.after = page->last;
        }
        EXPECT_EQ(ids_of(listed), all);
        const auto of_rare = engine_->list_asks({.asker = "rare", .limit = kBatch});
        ASSERT_TRUE(of_rare);
        EXPECT_EQ(of_rare->asks.size(), (scale().pending + kBatch - 1) / kBatch);
        EXPECT_FALSE(of_rare->has_more);
    }
}

// A page ends where as many were looked at as it may: what fits is in one of those that follow.
TEST_P(EngineConformance, NoPageLooksAtMoreThanItMay) {
    const SessionPtr session = open_session();
    std::vector<AskPtr> asks;
    for (int i = 0; i < 30; ++i) {
        asks.push_back(open_ask(session->id, {.asker = i % 10 == 9 ? "rare" : "tester"}));
        commit_one(SettleAsk{asks.back()->id, make_.settlement(Outcome::answered)});
    }
    for (const auto order :
         {ListOrder::oldest_first, ListOrder::newest_first, ListOrder::last_settled_first}) {
        std::vector<AskPtr> found;
        int pages = 0;
        for (AskQuery query{.session = session->id, .asker = "rare", .order = order, .looks = 4};
             pages < 30; ++pages) {
            const auto page = engine_->list_asks(query);
            ASSERT_TRUE(page) << page.error().message;
            EXPECT_LE(page->asks.size(), 4U);
            found = concat(found, page->asks);
            if (!page->has_more) break;
            query.after = page->last;
        }
        EXPECT_LT(pages, 10);
        if (order != ListOrder::oldest_first) std::ranges::reverse(found);
        EXPECT_EQ(ids_of(found), ids_of({asks[9], asks[19], asks[29]}));
    }
}

TEST_P(EngineConformance, TheLastSettlementComesFirst) {
    const SessionPtr session = open_session();
    std::vector<AskPtr> asks;
    for (int i = 0; i < 9; ++i) asks.push_back(open_ask(session->id));
    std::vector<AskPtr> settled;
    for (const std::size_t i : {4U, 0U, 8U, 2U, 6U}) {
        settled.insert(settled.begin(), asks[i]);
        commit_one(SettleAsk{asks[i]->id,
                             make_.settlement(i == 8 ? Outcome::dismissed : Outcome::answered)});
    }
    for (const bool is_reopened : {false, true}) {
        if (is_reopened) reopen();
        AskQuery query{.limit = 2, .order = ListOrder::last_settled_first};
        std::vector<AskPtr> found;
        for (bool has_more = true; has_more;) {
            const auto page = engine_->list_asks(query);
            ASSERT_TRUE(page);
            found = concat(found, page->asks);
            query.after = page->last;
            has_more = page->has_more;
        }
        EXPECT_EQ(ids_of(found), ids_of(settled));
        const auto dismissed = engine_->list_asks(
            {.state = AskState::dismissed, .order = ListOrder::last_settled_first});
        EXPECT_EQ(ids_of(dismissed->asks), ids_of({asks[8]}));
    }
}

TEST_P(EngineConformance, SessionsAreListedByOrderAndState) {
    std::vector<SessionPtr> sessions;
    for (int i = 0; i < 6; ++i) sessions.push_back(open_session(fmt::format("s{}", i)));
    for (const std::size_t i : {1U, 4U}) commit_one(make_.end(sessions[i]->id));
    const auto names = [&](SessionQuery query) {
        std::string all;
        query.limit = 2;
        for (bool has_more = true; has_more;) {
            const auto page = engine_->list_sessions(query);
            EXPECT_TRUE(page);
            for (const SessionPtr& session : page->sessions) all += *session->name + " ";
            has_more = page->has_more;
            if (has_more) query.after = page->sessions.back()->id;
        }
        return all;
    };
    EXPECT_EQ(names({.order = ListOrder::newest_first}), "s5 s4 s3 s2 s1 s0 ");
    EXPECT_EQ(names({.state = SessionState::live}), "s0 s2 s3 s5 ");
    EXPECT_EQ(names({.state = SessionState::ended}), "s1 s4 ");
    EXPECT_EQ(names({.state = SessionState::live, .order = ListOrder::newest_first}),
              "s5 s3 s2 s0 ");
    EXPECT_EQ(names({.state = SessionState::ended, .order = ListOrder::newest_first}), "s4 s1 ");
}

}  // namespace parley
