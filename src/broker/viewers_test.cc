// SPDX-License-Identifier: Apache-2.0
// Whose sessions are: what one agent cannot see, hear, change or take of another's.
#include <gmock/gmock.h>

#include "broker/broker_fixture.h"
#include "broker/limits.h"

namespace parley {
namespace {

class ViewersTest : public SubscriptionTest {
protected:
    template <class T, class Call>
    Result<T> get(Call call) {
        Result<T> got = reject(ErrorCode::internal, "not called");
        call([&](Result<T> result) { got = std::move(result); });
        process_->settle_down();
        return got;
    }
    Result<OpenedAsk> ask_as(const Actor& actor, std::string session,
                             std::optional<std::string> agent = {}) {
        return get<OpenedAsk>([&](auto done) {
            AskSpec asked = spec();
            asked.agent = std::move(agent);
            broker().ask({std::move(asked), std::move(session)}, kOpenProfile, actor, done);
        });
    }
    Result<SessionPtr> open_as(const Actor& actor, std::string name) {
        return get<SessionPtr>([&](auto done) {
            broker().open_session({.name = std::move(name)}, actor.viewer(), done);
        });
    }
    Result<SessionPtr> find_as(const Actor& actor, std::string_view ref) {
        return get<SessionPtr>(
            [&](auto done) { broker().find_session(ref, actor.viewer(), done); });
    }
    static Actor agent(std::string principal) {
        return {.principal = std::move(principal), .door = "test", .sees_all = false};
    }

    const Actor one_ = agent("prn_one");
    const Actor two_ = agent("prn_two");
};

TEST_F(ViewersTest, WhatAnotherAgentHasIsNotThereForWhoReads) {
    const auto opened = ask_as(one_, "release");
    ASSERT_TRUE(opened);
    const AskPtr& ask = opened->ask;
    const Viewer two = two_.viewer();
    EXPECT_EQ(find_as(two_, "release").error().code, ErrorCode::not_found);
    EXPECT_EQ(find_as(two_, ask->session.str()).error().code, ErrorCode::not_found);
    EXPECT_EQ(broker().find_live("release", two), nullptr);
    EXPECT_EQ(broker().find_pending(ask->id, two), nullptr);
    EXPECT_TRUE(broker().pending_in(ask->session, two).empty());
    const auto found = get<AskPtr>([&](auto done) { broker().find_ask(ask->id, two, done); });
    EXPECT_EQ(found.error().code, ErrorCode::not_found);
    const auto waited =
        get<AskPtr>([&](auto done) { broker().wait(ask->id, two, done).release(); });
    EXPECT_EQ(waited.error().code, ErrorCode::not_found);
    const auto page = get<AskPage>([&](auto done) { broker().list_asks({}, two, done); });
    ASSERT_TRUE(page);
    EXPECT_TRUE(page->asks.empty());
    EXPECT_EQ(page->hidden, 0U) << "what another asked is not even looked at";
    EXPECT_TRUE(find_as(one_, "release"));
    EXPECT_TRUE(find_as(ada_, "release"));
}

// By a refusal too, nobody learns more than it brought.
TEST_F(ViewersTest, WhatIsHiddenIsRefusedInTheWordsOfWhoAsks) {
    const auto opened = ask_as(one_, "release");
    ASSERT_TRUE(opened);
    const std::string id = opened->ask->session.str();
    EXPECT_EQ(find_as(two_, "release").error().message, "there is no live session named release");
    EXPECT_EQ(find_as(ada_, "nothing").error().message, "there is no live session named nothing");
    EXPECT_EQ(find_as(two_, id).error().message, "there is no session " + id);
    EXPECT_EQ(ask_as(two_, id).error().message.find("release"), std::string::npos);
    EXPECT_EQ(ask_as(two_, "release").error().message.find(id), std::string::npos);
}

TEST_F(ViewersTest, AKeyThatWasGuessedDoesNotTellTheAsk) {
    const auto ask_by_key = [&](const Actor& actor, std::string text) {
        return get<OpenedAsk>([&](auto done) {
            AskSpec asked = spec();
            asked.questions.front().text = std::move(text);
            asked.key = "region";
            broker().ask({std::move(asked), "release"}, kOpenProfile, actor, done);
        });
    };
    ASSERT_TRUE(open_as(one_, "release"));
    const auto adas = ask_by_key(ada_, "Which region?");
    ASSERT_TRUE(adas);
    for (const auto* text : {"Which region?", "Which planet?"}) {
        const auto guessed = ask_by_key(one_, text);
        ASSERT_FALSE(guessed);
        EXPECT_EQ(guessed.error().code, ErrorCode::key_conflict);
        EXPECT_EQ(guessed.error().message.find(adas->ask->id.str()), std::string::npos) << text;
    }
}

TEST_F(ViewersTest, ALogHasWhatItsReaderMaySee) {
    const Cursor start = broker().ledger().head();
    ASSERT_TRUE(open_as(one_, "release"));
    const auto mine = ask_as(one_, "release");
    const auto adas = ask_as(ada_, "release");
    ASSERT_TRUE(mine && adas);
    ASSERT_TRUE(get<DraftReply>([&](auto done) {
        broker().put_draft(mine->ask->id, ada_.viewer(), {.answers = {{.other = "half"}}}, done);
    }));
    const auto logged = [&](const Actor& reader) {
        const auto page = get<ShownEvents>([&](auto done) {
            broker().list_events({.after = start, .session = mine->ask->session}, reader.viewer(),
                                 done);
        });
        std::vector<AskId> asks;
        for (const EventPtr& event : page->events) {
            EXPECT_FALSE(std::holds_alternative<DraftChanged>(event->body));
            if (const auto* opened = std::get_if<AskOpened>(&event->body))
                asks.push_back(opened->ask->id);
        }
        return asks;
    };
    EXPECT_THAT(logged(one_), testing::ElementsAre(mine->ask->id));
    EXPECT_THAT(logged(ada_), testing::ElementsAre(mine->ask->id, adas->ask->id));
}

TEST_F(ViewersTest, ALogOfAnothersSessionIsNotThere) {
    const auto mine = ask_as(one_, "release");
    ASSERT_TRUE(mine);
    const auto page = get<ShownEvents>([&](auto done) {
        broker().list_events({.after = {}, .session = mine->ask->session}, two_.viewer(), done);
    });
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().code, ErrorCode::not_found);
}

TEST_F(ViewersTest, APageOfALogGoesOnBehindWhatIsHidden) {
    const Cursor start = broker().ledger().head();
    ASSERT_TRUE(open_as(one_, "release"));
    const auto adas = ask_as(ada_, "release");
    const auto mine = ask_as(one_, "release");
    ASSERT_TRUE(adas && mine);
    std::size_t pages = 0;
    std::vector<AskId> asks;
    std::optional<Cursor> after = start;
    for (; after; ++pages) {
        const auto page = get<ShownEvents>([&](auto done) {
            broker().list_events({.after = *after, .session = mine->ask->session, .limit = 1},
                                 one_.viewer(), done);
        });
        for (const EventPtr& event : page->events)
            if (const auto* opened = std::get_if<AskOpened>(&event->body))
                asks.push_back(opened->ask->id);
        after = page->next;
    }
    EXPECT_THAT(asks, testing::ElementsAre(mine->ask->id));
    EXPECT_GE(pages, 3U);
}

TEST_F(ViewersTest, PeopleListSessions) {
    ASSERT_TRUE(open_as(one_, "release"));
    const auto list = [&](const Actor& actor) {
        return get<SessionPage>(
            [&](auto done) { broker().list_sessions({}, actor.viewer(), done); });
    };
    EXPECT_EQ(list(ada_)->sessions.size(), 1U);
    EXPECT_EQ(list(one_).error().code, ErrorCode::denied);
}

TEST_F(ViewersTest, NothingIsKeptBesideWhatIsHidden) {
    const auto opened = ask_as(one_, "release");
    ASSERT_TRUE(opened);
    const AskId id = opened->ask->id;
    const auto draft = get<DraftReply>([&](auto done) {
        broker().put_draft(id, two_.viewer(), {.answers = {{.other = "half"}}}, done);
    });
    EXPECT_EQ(draft.error().code, ErrorCode::not_found);
    const auto snoozed =
        get<void>([&](auto done) { broker().snooze(id, two_.viewer(), std::nullopt, done); });
    EXPECT_EQ(snoozed.error().code, ErrorCode::not_found);
    const auto renamed = get<SessionPtr>(
        [&](auto done) { broker().set_title(opened->ask->session, "mine", two_.viewer(), done); });
    EXPECT_EQ(renamed.error().code, ErrorCode::not_found);
}

TEST_F(ViewersTest, WhatIsWalkedIsWhatMayBeSeen) {
    const auto mine = ask_as(one_, "mine");
    const auto other = ask_as(two_, "other");
    const auto later = ask_as(one_, "mine");
    ASSERT_TRUE(mine && other && later);
    const Viewer one = one_.viewer();
    EXPECT_EQ(broker().pending_after({}, {}, one)->id, mine->ask->id);
    EXPECT_EQ(broker().pending_after(mine->ask->id, {}, one)->id, later->ask->id);
    EXPECT_EQ(broker().pending_after(later->ask->id, {}, one), nullptr);
    EXPECT_EQ(broker().pending_after({}, other->ask->session, one), nullptr);
    EXPECT_EQ(broker().pending_after({}, other->ask->session, ada_.viewer())->id, other->ask->id);
    const auto* newest = broker().live_before({}, one);
    ASSERT_NE(newest, nullptr);
    EXPECT_EQ(newest->session->id, mine->ask->session);
    EXPECT_EQ(broker().live_before(newest->session->id, one), nullptr);
    EXPECT_EQ(broker().live_before({}, ada_.viewer())->session->id, other->ask->session);
}

// In a session of people's, where agents ask as well.
TEST_F(ViewersTest, WhatIsCountedIsWhatMayBeSeen) {
    const auto adas = ask_as(ada_, "shared");
    Actor child = agent("prn_child");
    child.only_session = adas->ask->session;
    const SessionId shared = adas->ask->session;
    const auto mine = ask_as(one_, "mine");
    ASSERT_TRUE(adas && mine);
    EXPECT_EQ(broker().pending_count(shared, ada_.viewer()), 1U);
    EXPECT_EQ(broker().pending_count(shared, child.viewer()), 1U);
    EXPECT_EQ(broker().pending_count(shared, one_.viewer()), 0U);
    EXPECT_TRUE(broker().is_busy(shared, ada_.viewer()));
    EXPECT_FALSE(broker().is_busy(shared, one_.viewer()));
    EXPECT_EQ(broker().pending_count(mine->ask->session, one_.viewer()), 1U);
    EXPECT_EQ(broker().pending_count(mine->ask->session, two_.viewer()), 0U);
    EXPECT_EQ(broker().pending_count(SessionId(), ada_.viewer()), 0U);
    EXPECT_EQ(broker().find_live(mine->ask->session, two_.viewer()), nullptr);
}

// Who acts for one session means that one, and what others asked elsewhere is not looked at.
TEST_F(ViewersTest, ATokenForOneSessionListsAndEndsIt) {
    const auto elsewhere = ask_as(two_, "elsewhere");
    const auto adas = ask_as(ada_, "run");
    ASSERT_TRUE(elsewhere && adas);
    Actor child = agent("prn_child");
    child.only_session = adas->ask->session;
    for (const std::optional<AskState> state : {std::optional<AskState>(), {AskState::pending}}) {
        const auto page = get<AskPage>(
            [&](auto done) { broker().list_asks({.state = state}, child.viewer(), done); });
        ASSERT_TRUE(page);
        ASSERT_EQ(page->asks.size(), 1U);
        EXPECT_EQ(page->asks.front()->id, adas->ask->id);
        EXPECT_EQ(page->hidden, 0U);
    }
    const auto ended = get<SessionPtr>([&](auto done) {
        broker().end_session(adas->ask->session.str(), std::nullopt, child, done);
    });
    EXPECT_TRUE(ended) << "it sees all that waits there";
}

TEST_F(ViewersTest, WhoActsInASessionOfAnotherIsToldWhoseItIs) {
    ASSERT_TRUE(open_as(one_, "release"));
    const Viewer two = two_.viewer();
    EXPECT_EQ(ask_as(two_, "release").error().code, ErrorCode::session_of_another);
    EXPECT_EQ(open_as(two_, "release").error().code, ErrorCode::session_of_another);
    const auto entered =
        get<SessionPtr>([&](auto done) { broker().enter_session("release", two, done); });
    EXPECT_EQ(entered.error().code, ErrorCode::session_of_another);
    const auto pushed =
        get<void>([&](auto done) { broker().push("release", {Activity::working}, two, done); });
    EXPECT_EQ(pushed.error().code, ErrorCode::session_of_another);
    const auto taken =
        get<void>([&](auto done) { broker().take_messages("release", MessageId(), two, done); });
    EXPECT_EQ(taken.error().code, ErrorCode::session_of_another);
    const auto noticed =
        get<void>([&](auto done) { broker().give_notice("release", {.text = "hi"}, two, done); });
    EXPECT_EQ(noticed.error().code, ErrorCode::session_of_another);
    for (const bool ends : {true, false}) {
        const auto stopped = get<SessionPtr>([&](auto done) {
            if (ends) return broker().end_session("release", std::nullopt, two_, done);
            broker().abort("release", two_, done);
        });
        EXPECT_EQ(stopped.error().code, ErrorCode::session_of_another);
    }
    const auto subscribed =
        broker().subscribe({.session = (*find_as(one_, "release"))->id, .viewer = two}, [] {});
    EXPECT_EQ(subscribed.error().code, ErrorCode::session_of_another);
}

TEST_F(ViewersTest, AnAskOfAnotherCannotBeSettled) {
    const auto opened = ask_as(one_, "release");
    const auto withdrawn = get<SettleReply>(
        [&](auto done) { broker().withdraw(opened->ask->id, std::nullopt, two_, done); });
    EXPECT_EQ(withdrawn.error().code, ErrorCode::not_found);
    EXPECT_EQ(answer(opened->ask->id, "Tea", two_).error().code, ErrorCode::not_found);
    EXPECT_TRUE(answer(opened->ask->id, "Tea", ada_));
    EXPECT_EQ(answer(opened->ask->id, "Tea", two_).error().code, ErrorCode::not_found)
        << "nor is it told what stands";
}

TEST_F(ViewersTest, ASessionThatPeopleOpenedIsTheFirstAgentsThatComes) {
    ASSERT_TRUE(open_as(ada_, "release"));
    EXPECT_EQ((*find_as(ada_, "release"))->owner, "");
    // Both in the same moment: what is not stored yet counts.
    Result<OpenedAsk> first = reject(ErrorCode::internal, "not called");
    Result<OpenedAsk> second = reject(ErrorCode::internal, "not called");
    broker().ask({spec(), "release"}, kOpenProfile, one_, [&](auto got) { first = got; });
    broker().ask({spec(), "release"}, kOpenProfile, two_, [&](auto got) { second = got; });
    process_->settle_down();
    EXPECT_TRUE(first);
    EXPECT_EQ(second.error().code, ErrorCode::session_of_another);
    EXPECT_TRUE(ask_as(ada_, "release")) << "people ask everywhere";
    restart();
    EXPECT_EQ((*find_as(one_, "release"))->owner, "prn_one");
    EXPECT_EQ(ask_as(two_, "release").error().code, ErrorCode::session_of_another);
}

TEST_F(ViewersTest, ANameThatIsJustBeingOpenedIsTakenToo) {
    Result<OpenedAsk> first = reject(ErrorCode::internal, "not called");
    Result<OpenedAsk> second = reject(ErrorCode::internal, "not called");
    broker().ask({spec(), "new"}, kOpenProfile, one_, [&](auto got) { first = got; });
    broker().ask({spec(), "new"}, kOpenProfile, two_, [&](auto got) { second = got; });
    process_->settle_down();
    EXPECT_TRUE(first);
    EXPECT_EQ(second.error().code, ErrorCode::session_of_another);
}

TEST_F(ViewersTest, EveryAgentThatNamesNoSessionHasOneOfItsOwn) {
    const auto persons = ask_as(ada_, "");
    const auto first = ask_as(one_, "");
    const auto second = ask_as(two_, "");
    ASSERT_TRUE(persons && first && second);
    EXPECT_EQ(std::set({persons->ask->session, first->ask->session, second->ask->session}).size(),
              3U);
    EXPECT_EQ(ask_as(one_, "")->ask->session, first->ask->session);
    EXPECT_EQ(ask_as(one_, "default")->ask->session, first->ask->session);
    EXPECT_EQ((*find_as(one_, "default"))->id, first->ask->session);
    EXPECT_EQ((*find_as(two_, "default"))->id, second->ask->session);
    EXPECT_EQ((*find_as(ada_, "default"))->id, persons->ask->session);
    EXPECT_EQ((*find_as(two_, "default"))->name, "default");
    EXPECT_EQ(ask_as(two_, persons->ask->session.str()).error().code,
              ErrorCode::session_of_another);
    restart();
    EXPECT_EQ((*find_as(two_, "default"))->id, second->ask->session);
    const auto ended = get<SessionPtr>(
        [&](auto done) { broker().end_session("default", std::nullopt, two_, done); });
    EXPECT_TRUE(ended);
    EXPECT_NE(ask_as(two_, "")->ask->session, second->ask->session);
}

TEST_F(ViewersTest, TwoAgentsThatCallThemselvesTheSameDoNotMeet) {
    const auto first = ask_as(one_, "", "codex");
    const auto second = ask_as(two_, "", "codex");
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->ask->session, second->ask->session);
    EXPECT_EQ((*find_as(one_, first->ask->session.str()))->name, "codex");
}

TEST_F(ViewersTest, ATokenForASessionActsThereWhoeverWasBefore) {
    const auto session = open_as(ada_, "run");
    ASSERT_TRUE(session);
    const auto child = [&](std::string principal) {
        const Token token{.name = principal,
                          .role = Role::agent,
                          .hash = principal,
                          .principal = principal,
                          .session = (*session)->id};
        EXPECT_TRUE(get<void>([&](auto done) { broker().put_token(token, done); }));
        Actor actor = agent(std::move(principal));
        actor.only_session = (*session)->id;
        return actor;
    };
    const Actor before = child("prn_before");
    EXPECT_EQ(ask_as(two_, "run").error().code, ErrorCode::session_of_another)
        << "nobody comes in between";
    const auto asked = ask_as(before, "");
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->ask->session, (*session)->id);
    const auto other = open_as(ada_, "other");
    const Token taken{
        .name = "prn_before", .hash = "x", .principal = "prn_x", .session = (*other)->id};
    EXPECT_FALSE(get<void>([&](auto done) { broker().put_token(taken, done); }));
    EXPECT_EQ((*find_as(ada_, "other"))->owner, "") << "no token, no owner";
    restart();
    const Actor after = child("prn_after");
    EXPECT_TRUE(broker().find_pending(asked->ask->id, after.viewer()));
    EXPECT_TRUE(ask_as(after, "run"));
    const auto sub = get<SessionPtr>([&](auto done) {
        broker().open_session({.name = "sub", .parent = (*session)->id}, before.viewer(), done);
    });
    ASSERT_TRUE(sub);
    EXPECT_TRUE(ask_as(after, "sub")) << "its sub-agents' as well";
    ASSERT_TRUE(open_as(one_, "elsewhere"));
    EXPECT_EQ(ask_as(after, "elsewhere").error().code, ErrorCode::session_of_another);
}

TEST_F(ViewersTest, AnAgentIsToldOfItsOwnSessionAndItsOwnAsks) {
    ASSERT_TRUE(open_as(one_, "release"));
    const SessionId session = (*find_as(one_, "release"))->id;
    Subscription mine = subscribe({.session = session, .viewer = one_.viewer()});
    Subscription all = subscribe({.viewer = two_.viewer()});
    broker().say("release", "the password is hunter2", ada_, [](const auto&) {});
    const AskPtr of_person = ask_as(ada_, "release")->ask;
    const AskPtr of_one = ask_as(one_, "release")->ask;
    broker().push("release",
                  {PartDelta{.session = {}, .part_id = "p", .text = "hello", .is_start = true}},
                  one_.viewer(), [](const auto&) {});
    process_->settle_down();
    bool is_said = false;
    bool is_shown = false;
    for (const Frame& frame : take_all(mine)) {
        is_shown = is_shown || std::holds_alternative<PartDeltaPtr>(frame);
        const auto* event = std::get_if<EventPtr>(&frame);
        if (event == nullptr) continue;
        is_said = is_said || std::holds_alternative<MessageAdded>((*event)->body);
        if (const auto* opened = std::get_if<AskOpened>(&(*event)->body))
            EXPECT_EQ(opened->ask->id, of_one->id);
    }
    EXPECT_TRUE(is_said);
    EXPECT_TRUE(is_shown);
    for (const Frame& frame : take_all(all))
        EXPECT_TRUE(std::holds_alternative<SnapshotEnd>(frame)) << "nothing of it is another's";
    ASSERT_TRUE(ask_as(two_, "own"));
    EXPECT_FALSE(take_all(all).empty());
}

TEST_F(ViewersTest, AnAgentHasAQuotaOfSessions) {
    restart(limits::kLedgerBytes, {.sessions = 2});
    ASSERT_TRUE(open_as(one_, "a"));
    ASSERT_TRUE(ask_as(one_, "b"));
    EXPECT_EQ(broker().ledger().usage_of("prn_one").sessions, 2U);
    for (const auto& refused :
         {open_as(one_, "c").error(), ask_as(one_, "c").error(), ask_as(one_, "").error()}) {
        EXPECT_EQ(refused.code, ErrorCode::over_quota);
        EXPECT_THAT(refused.message, testing::HasSubstr("--quota-sessions"));
    }
    EXPECT_TRUE(ask_as(one_, "a"));
    EXPECT_TRUE(open_as(two_, "c"));
    EXPECT_TRUE(open_as(ada_, "d"));
    EXPECT_EQ(ask_as(one_, "d").error().code, ErrorCode::over_quota) << "it would be its own";
    EXPECT_TRUE(
        get<SessionPtr>([&](auto done) { broker().end_session("a", std::nullopt, one_, done); }));
    EXPECT_TRUE(ask_as(one_, "d"));
    restart(limits::kLedgerBytes, {.sessions = 2});
    EXPECT_EQ(broker().ledger().usage_of("prn_one").sessions, 2U) << "counted again";
}

}  // namespace
}  // namespace parley
