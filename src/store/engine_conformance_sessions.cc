// SPDX-License-Identifier: Apache-2.0
// Sessions: their names, their changes, their end.
#include <memory>
#include <optional>
#include <vector>

#include "core/limits.h"
#include "store/engine_conformance.h"

namespace parley {

TEST_P(EngineConformance, ALiveSessionIsNamedByItsIdAndItsName) {
    const SessionPtr session = open_session("build-7");
    const CommitReport same_id = commit({OpenSession{session}});
    const CommitReport same_name = commit({OpenSession{make_.session("build-7")}});
    for (const CommitReport& report : {same_id, same_name}) {
        EXPECT_EQ(verdicts(report), std::vector{Verdict::existing});
        EXPECT_EQ(describe(report.outcomes.at(0).session), describe(session));
        EXPECT_TRUE(report.events.empty());
    }
    EXPECT_EQ(verdict_of(OpenSession{make_.session()}), Verdict::applied);
    EXPECT_EQ(verdict_of(OpenSession{make_.session()}), Verdict::applied)
        << "sessions without a name do not share one";
}

TEST_P(EngineConformance, EveryOwnerHasADefaultSessionOfItsOwn) {
    const auto owned = [&](std::string owner) {
        auto session = std::make_shared<Session>(*make_.session("default"));
        session->owner = std::move(owner);
        return session;
    };
    for (const std::string owner : {"", "one", "two"}) {
        EXPECT_EQ(verdict_of(OpenSession{owned(owner)}), Verdict::applied) << owner;
        EXPECT_EQ(verdict_of(OpenSession{owned(owner)}), Verdict::existing) << owner;
    }
    const Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.sessions.size(), 3U);
    commit_one(make_.end(snapshot.sessions[1]->id));
    EXPECT_EQ(verdict_of(OpenSession{owned("two")}), Verdict::existing);
    EXPECT_EQ(verdict_of(OpenSession{owned("one")}), Verdict::applied);
}

TEST_P(EngineConformance, TheFirstOwnerOfASessionStays) {
    const SessionPtr session = open_session("build-7");
    ChangeSession claim{.session = session->id, .at = make_.tick(), .owner = "one"};
    EXPECT_EQ(commit_one(claim).session->owner, "one");
    claim.owner = "two";
    const ChangeOutcome second = commit_one(claim);
    EXPECT_EQ(second.verdict, Verdict::existing);
    EXPECT_EQ(second.session->owner, "one");
    EXPECT_EQ(reopen().sessions.at(0)->owner, "one");
}

TEST_P(EngineConformance, AnEndedSessionFreesItsNameButNotItsId) {
    const SessionPtr session = open_session("build-7");
    commit_one(make_.end(session->id));
    const ChangeOutcome same_id = commit_one(OpenSession{session});
    EXPECT_EQ(same_id.verdict, Verdict::existing);
    EXPECT_TRUE(same_id.session->ended_at);
    const SessionPtr next = make_.session("build-7");
    EXPECT_EQ(verdict_of(OpenSession{next}), Verdict::applied);
    EXPECT_EQ(describe(*engine_->find_session(next->id)), describe(next));
}

TEST_P(EngineConformance, AChangedSessionIsStoredAndAnUnchangedOneIsExisting) {
    const SessionPtr session = open_session("build-7");
    auto changed = std::make_shared<Session>(*session);
    changed->title = "Fix the build";
    changed->ask_timeout = std::chrono::seconds(55);
    changed->activity = Activity::working;
    ChangeSession change{.session = session->id,
                         .at = make_.tick(),
                         .title = changed->title,
                         .ask_timeout = changed->ask_timeout,
                         .activity = changed->activity};
    const CommitReport report = commit({change});
    EXPECT_EQ(verdicts(report), std::vector{Verdict::applied});
    EXPECT_EQ(*report.outcomes.at(0).session, *changed);
    EXPECT_EQ(*body_of<SessionChanged>(report).session, *changed);
    EXPECT_EQ(report.events.at(0)->at, change.at);
    EXPECT_EQ(*engine_->find_session(session->id).value(), *changed);

    change.at = make_.tick();
    const CommitReport again = commit({change});
    EXPECT_EQ(verdicts(again), std::vector{Verdict::existing});
    EXPECT_TRUE(again.events.empty());
    EXPECT_EQ(*reopen().sessions.at(0), *changed);
}

TEST_P(EngineConformance, AChangeOfASessionLeavesAloneWhatItDoesNotName) {
    const SessionPtr session = open_session("build-7");
    commit(
        {ChangeSession{.session = session->id, .at = make_.tick(), .title = "Fix the build"},
         ChangeSession{.session = session->id,
                       .at = make_.tick(),
                       .ask_timeout = std::optional<Millis>(std::chrono::seconds(55))},
         ChangeSession{.session = session->id, .at = make_.tick(), .activity = Activity::working}});
    const SessionPtr after = engine_->find_session(session->id).value();
    EXPECT_EQ(after->title, "Fix the build");
    EXPECT_EQ(after->ask_timeout, std::chrono::seconds(55));
    EXPECT_EQ(after->activity, Activity::working);
    commit({ChangeSession{
        .session = session->id, .at = make_.tick(), .ask_timeout = std::optional<Millis>()}});
    EXPECT_EQ(engine_->find_session(session->id).value()->ask_timeout, std::nullopt);
}

TEST_P(EngineConformance, OnlyALiveSessionCanBeChanged) {
    const SessionPtr session = open_session();
    commit_one(make_.end(session->id));
    for (const SessionId id : {session->id, make_.session()->id}) {
        const ChangeSession late{.session = id, .at = make_.tick(), .title = "late"};
        EXPECT_EQ(verdict_of(late), Verdict::missing);
    }
}

TEST_P(EngineConformance, ASessionEndsForOneAskerOnlyWhileNoAsksOfOthersWaitInIt) {
    const SessionPtr session = open_session();
    const AskPtr ask = open_ask(session->id);
    EndSession end = make_.end(session->id);
    end.only_asker = "somebody else";
    const CommitReport refused = commit({end});
    EXPECT_EQ(verdicts(refused), std::vector{Verdict::conflict});
    EXPECT_TRUE(refused.events.empty());
    EXPECT_EQ(ids_of(reopen().pending), ask->id.str() + '\n');
    end.only_asker = ask->spec->asker;
    EXPECT_EQ(verdict_of(end), Verdict::applied);
}

TEST_P(EngineConformance, EndingASessionWithdrawsItsPendingAsksInOrderBeforeItsEnd) {
    const SessionPtr session = open_session("build-7");
    const SessionPtr other = open_session();
    const AskPtr answered = open_ask(session->id);
    commit_one(SettleAsk{answered->id, make_.settlement(Outcome::answered)});
    std::vector<Change> asks;
    std::string expected;
    // More than one page of a listing, so that no engine stops at the first.
    for (std::size_t i = 0; i < limits::kListPageDefault + 20; ++i) {
        const AskPtr ask = make_.ask(session->id);
        asks.push_back(OpenAsk{ask});
        expected += ask->id.str() + '\n';
    }
    commit(asks);
    const AskPtr elsewhere = open_ask(other->id);

    const EndSession end = make_.end(session->id, "the user left");
    const CommitReport report = commit({end});
    EXPECT_EQ(verdicts(report), std::vector{Verdict::applied});
    EXPECT_EQ(report.outcomes.at(0).session->ended_at, end.at);
    ASSERT_EQ(report.events.size(), asks.size() + 1);
    std::vector<AskPtr> withdrawn;
    for (std::size_t i = 0; i < asks.size(); ++i) {
        withdrawn.push_back(body_of<AskSettled>(report, i).ask);
        EXPECT_EQ(*withdrawn.back()->settlement, *end.withdrawal);
    }
    EXPECT_EQ(ids_of(withdrawn), expected);
    const auto& ended = body_of<SessionEnded>(report, asks.size());
    EXPECT_EQ(ended.reason, "the user left");
    EXPECT_EQ(ended.session->ended_at, end.at);
    EXPECT_EQ(ended.session->activity, Activity::idle);

    const CommitReport again = commit({make_.end(session->id)});
    EXPECT_EQ(verdicts(again), std::vector{Verdict::existing});
    EXPECT_EQ(again.outcomes.at(0).session->ended_at, end.at);
    EXPECT_TRUE(again.events.empty());
    EXPECT_EQ(verdict_of(make_.end(make_.session_id())), Verdict::missing);

    const Snapshot snapshot = reopen();
    EXPECT_EQ(ids_of(snapshot.pending), elsewhere->id.str() + '\n');
    ASSERT_EQ(snapshot.sessions.size(), 1U);
    EXPECT_EQ(snapshot.sessions[0]->id, other->id);
    EXPECT_EQ((*engine_->find_session(session->id))->ended_at, end.at);
}

}  // namespace parley
