// SPDX-License-Identifier: Apache-2.0
#include "store/engine_conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace parley {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineConformance);

namespace {

template <class T>
std::vector<T> concat(std::vector<T> a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<Verdict> verdicts(const CommitReport& report) {
    std::vector<Verdict> list;
    for (const ChangeOutcome& outcome : report.outcomes) list.push_back(outcome.verdict);
    return list;
}

std::string ids_of(const std::vector<AskPtr>& asks) {
    std::string text;
    for (const AskPtr& ask : asks) text += ask->id.str() + '\n';
    return text;
}

template <class Body>
const Body& body_of(const CommitReport& report, std::size_t index = 0) {
    return std::get<Body>(report.events.at(index)->body);
}

}  // namespace

EngineConformance::EngineConformance() : store_(GetParam().make_store()) {
    first_ = open().head;
}

Snapshot EngineConformance::open() {
    engine_ = store_->make_engine(clock_);
    auto snapshot = engine_->open();
    if (!snapshot) ADD_FAILURE() << snapshot.error().message;
    return snapshot ? std::move(*snapshot) : Snapshot();
}

Snapshot EngineConformance::reopen() {
    engine_->close();
    engine_.reset();
    return open();
}

CommitReport EngineConformance::commit(const std::vector<Change>& changes) {
    auto report = engine_->commit(changes);
    if (!report) {
        ADD_FAILURE() << report.error().message;
        return {};
    }
    EXPECT_EQ(report->outcomes.size(), changes.size());
    reported_.insert(reported_.end(), report->events.begin(), report->events.end());
    return std::move(*report);
}

ChangeOutcome EngineConformance::commit_one(Change change) {
    auto report = commit({std::move(change)});
    return report.outcomes.empty() ? ChangeOutcome() : report.outcomes.front();
}

SessionPtr EngineConformance::open_session(std::optional<std::string> name) {
    const SessionPtr session = make_.session(std::move(name));
    EXPECT_EQ(verdict_of(OpenSession{session}), Verdict::applied);
    return session;
}

AskPtr EngineConformance::open_ask(SessionId session, AskNames names) {
    const AskPtr ask = make_.ask(session, std::move(names));
    EXPECT_EQ(verdict_of(OpenAsk{ask}), Verdict::applied);
    return ask;
}

EventPage EngineConformance::list_events(const EventQuery& query) {
    auto page = engine_->list_events(query);
    if (!page) ADD_FAILURE() << page.error().message;
    return page ? std::move(*page) : EventPage();
}

TEST_P(EngineConformance, ANewStoreIsEmptyAndItsHeadStandsBeforeTheFirstEvent) {
    const Snapshot snapshot = reopen();
    EXPECT_TRUE(snapshot.pending.empty());
    EXPECT_TRUE(snapshot.sessions.empty());
    EXPECT_EQ(snapshot.head, first_cursor(clock_.wall()));
    EXPECT_EQ(snapshot.oldest, snapshot.head);
    EXPECT_TRUE(snapshot.top_ask.is_nil());
    EXPECT_TRUE(snapshot.top_session.is_nil());
    EXPECT_TRUE(snapshot.top_message.is_nil());
}

TEST_P(EngineConformance, AnEmptyTransactionChangesNothing) {
    const CommitReport report = commit({});
    EXPECT_TRUE(report.events.empty());
    EXPECT_EQ(reopen().head, first_);
}

TEST_P(EngineConformance, AnOpenedAskIsReportedAsItWasGiven) {
    const SessionPtr session = open_session();
    const AskPtr ask = make_.ask(session->id, {.key = "k", .call_id = "c"});
    const CommitReport report = commit({OpenAsk{ask}});
    EXPECT_EQ(report.outcomes.at(0).verdict, Verdict::applied);
    EXPECT_EQ(report.outcomes.at(0).ask, ask) << "the same value, not a copy";
    ASSERT_EQ(report.events.size(), 1U);
    EXPECT_EQ(body_of<AskOpened>(report).ask, ask);
    EXPECT_EQ(report.events[0]->at, ask->created_at);
    EXPECT_EQ(report.events[0]->session, session->id);
    EXPECT_EQ(describe(*engine_->find_ask(ask->id)), describe(ask));
}

TEST_P(EngineConformance, AnAskIsNamedByItsIdItsKeyAndItsCall) {
    const SessionPtr session = open_session();
    const AskPtr first = open_ask(session->id, {.key = "k", .call_id = "c"});
    const auto same = [&](AskNames names) {
        return commit({OpenAsk{make_.ask(session->id, std::move(names))}});
    };
    for (const CommitReport& again :
         {commit({OpenAsk{first}}), same({.key = "k"}), same({.call_id = "c"}),
          same({.key = "k", .call_id = "new"}), same({.key = "new", .call_id = "c"})}) {
        EXPECT_EQ(verdicts(again), std::vector{Verdict::existing});
        EXPECT_EQ(describe(again.outcomes.at(0).ask), describe(first));
        EXPECT_TRUE(again.events.empty());
    }
    EXPECT_EQ(verdicts(same({.key = "c", .call_id = "k"})), std::vector{Verdict::applied})
        << "keys and call ids are names of different kinds";
}

TEST_P(EngineConformance, AnAskIsFoundByItsCallPendingAndSettled) {
    const SessionPtr session = open_session();
    const SessionPtr other = open_session();
    const AskPtr ask = open_ask(session->id, {.key = "k", .call_id = "c"});
    EXPECT_EQ(describe(*engine_->find_ask_by_call(session->id, "c")), describe(ask));
    const AskPtr settled = commit_one(SettleAsk{ask->id, make_.settlement(Outcome::answered)}).ask;
    EXPECT_EQ(describe(*engine_->find_ask_by_call(session->id, "c")), describe(settled));
    commit_one(make_.end(session->id));
    EXPECT_EQ(describe(*engine_->find_ask_by_call(session->id, "c")), describe(settled));
    for (const std::string_view unknown : {"k", "", "C"})
        EXPECT_EQ(engine_->find_ask_by_call(session->id, unknown).value(), nullptr);
    EXPECT_EQ(engine_->find_ask_by_call(other->id, "c").value(), nullptr);
}

TEST_P(EngineConformance, ANameUsedForOtherQuestionsIsAConflict) {
    const SessionPtr session = open_session();
    const AskPtr first = open_ask(session->id, {.key = "k", .call_id = "c"});
    for (const AskNames& names : {AskNames{.key = "k"}, AskNames{.call_id = "c"}}) {
        const ChangeOutcome other =
            commit_one(OpenAsk{make_.ask(session->id, names, "Which colour?")});
        EXPECT_EQ(other.verdict, Verdict::conflict);
        EXPECT_EQ(describe(other.ask), describe(first));
    }
}

TEST_P(EngineConformance, ANameCountsOnlyWithinItsSession) {
    const SessionPtr one = open_session();
    const SessionPtr two = open_session();
    open_ask(one->id, {.key = "k", .call_id = "c"});
    const AskPtr other = make_.ask(two->id, {.key = "k", .call_id = "c"});
    EXPECT_EQ(verdict_of(OpenAsk{other}), Verdict::applied);
}

TEST_P(EngineConformance, AnAskNeedsALiveSession) {
    EXPECT_EQ(verdict_of(OpenAsk{make_.ask(make_.session_id())}), Verdict::missing);
    const SessionPtr session = open_session();
    const AskPtr named = open_ask(session->id, {.key = "k"});
    commit_one(make_.end(session->id));
    const CommitReport late = commit({OpenAsk{make_.ask(session->id)}});
    EXPECT_EQ(verdicts(late), std::vector{Verdict::missing});
    EXPECT_EQ(late.outcomes.at(0).ask, nullptr);
    EXPECT_TRUE(late.events.empty());
    // A retry learns what became of the ask that it asked.
    const ChangeOutcome retry = commit_one(OpenAsk{make_.ask(session->id, {.key = "k"})});
    EXPECT_EQ(retry.verdict, Verdict::existing);
    EXPECT_EQ(retry.ask->id, named->id);
    EXPECT_EQ(retry.ask->state(), AskState::withdrawn);
}

TEST_P(EngineConformance, EveryOutcomeSettlesAPendingAskOnce) {
    const SessionPtr session = open_session();
    for (const Outcome outcome :
         {Outcome::answered, Outcome::dismissed, Outcome::timed_out, Outcome::withdrawn}) {
        const AskPtr ask = open_ask(session->id);
        const auto settlement = make_.settlement(outcome);
        const CommitReport report = commit({SettleAsk{ask->id, settlement}});
        EXPECT_EQ(verdicts(report), std::vector{Verdict::applied});
        const AskPtr settled = report.outcomes.at(0).ask;
        EXPECT_EQ(settled->settlement, settlement) << "the same value, not a copy";
        EXPECT_EQ(to_string(settled->state()), to_string(outcome));
        EXPECT_EQ(describe(body_of<AskSettled>(report).ask), describe(settled));
        EXPECT_EQ(report.events.at(0)->at, settlement->at);
        EXPECT_EQ(report.events.at(0)->session, session->id);
        EXPECT_EQ(describe(*engine_->find_ask(ask->id)), describe(settled));

        const CommitReport late =
            commit({SettleAsk{ask->id, make_.settlement(Outcome::dismissed, "bob")}});
        EXPECT_EQ(verdicts(late), std::vector{Verdict::conflict});
        EXPECT_EQ(describe(late.outcomes.at(0).ask), describe(settled));
        EXPECT_TRUE(late.events.empty());
    }
    EXPECT_TRUE(reopen().pending.empty());
}

TEST_P(EngineConformance, TheSameSettlementAgainIsNotAConflict) {
    const AskPtr ask = open_ask(open_session()->id);
    const auto settlement = make_.settlement(Outcome::answered);
    commit_one(SettleAsk{ask->id, settlement});
    // Later and by the same responder, as a client sends it that missed the acknowledgement.
    auto again = std::make_shared<Settlement>(*settlement);
    again->at = make_.tick();
    const CommitReport report = commit({SettleAsk{ask->id, again}});
    EXPECT_EQ(verdicts(report), std::vector{Verdict::existing});
    EXPECT_EQ(report.outcomes.at(0).ask->settlement->at, settlement->at);
    EXPECT_TRUE(report.events.empty());
}

TEST_P(EngineConformance, SettlingWhatIsNotThereIsMissing) {
    const ChangeOutcome outcome =
        commit_one(SettleAsk{make_.ask_id(), make_.settlement(Outcome::answered)});
    EXPECT_EQ(outcome.verdict, Verdict::missing);
    EXPECT_EQ(outcome.ask, nullptr);
}

TEST_P(EngineConformance, AKnownAskSparesTheReadingAndChangesNothingElse) {
    const SessionPtr session = open_session();
    const AskPtr one = open_ask(session->id);
    const auto settlement = make_.settlement(Outcome::answered);
    const ChangeOutcome settled = commit_one(SettleAsk{one->id, settlement, one});
    EXPECT_EQ(settled.verdict, Verdict::applied);
    EXPECT_EQ(settled.ask->spec, one->spec) << "shared, not read back";
    const ChangeOutcome late =
        commit_one(SettleAsk{one->id, make_.settlement(Outcome::dismissed, "bob"), one});
    EXPECT_EQ(late.verdict, Verdict::conflict);
    EXPECT_EQ(describe(late.ask), describe(settled.ask));
    const AskPtr unknown = make_.ask(session->id);
    EXPECT_EQ(verdict_of(SettleAsk{unknown->id, settlement, unknown}), Verdict::missing);
}

TEST_P(EngineConformance, ChangesOfOneTransactionSeeEachOther) {
    const SessionPtr session = make_.session("build-7");
    const AskPtr ask = make_.ask(session->id, {.key = "k"});
    const auto first = make_.settlement(Outcome::answered, "ada");
    const CommitReport report = commit({
        OpenSession{session},
        OpenAsk{ask},
        OpenAsk{make_.ask(session->id, {.key = "k"})},
        make_.draft(ask->id, "half"),
        SettleAsk{ask->id, first},
        SettleAsk{ask->id, make_.settlement(Outcome::dismissed, "bob")},
        make_.draft(ask->id, "too late"),
        make_.end(session->id),
        OpenAsk{make_.ask(session->id)},
        OpenSession{make_.session("build-7")},
    });
    EXPECT_EQ(verdicts(report),
              (std::vector{Verdict::applied, Verdict::applied, Verdict::existing, Verdict::applied,
                           Verdict::applied, Verdict::conflict, Verdict::missing, Verdict::applied,
                           Verdict::missing, Verdict::applied}));
    EXPECT_EQ(report.outcomes[5].ask->settlement->decider.principal, "ada");
    EXPECT_EQ(report.events.size(), 6U);
}

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
    changed->agent = "other";
    changed->on_dismiss = OnDismiss::stop;
    changed->ask_timeout = std::chrono::seconds(55);
    changed->activity = Activity::working;
    const Instant at = make_.tick();
    const CommitReport report = commit({ChangeSession{changed, at}});
    EXPECT_EQ(verdicts(report), std::vector{Verdict::applied});
    EXPECT_EQ(*report.outcomes.at(0).session, *changed);
    EXPECT_EQ(*body_of<SessionChanged>(report).session, *changed);
    EXPECT_EQ(report.events.at(0)->at, at);
    EXPECT_EQ(*engine_->find_session(session->id).value(), *changed);

    const CommitReport again = commit({ChangeSession{changed, make_.tick()}});
    EXPECT_EQ(verdicts(again), std::vector{Verdict::existing});
    EXPECT_TRUE(again.events.empty());
    EXPECT_EQ(*reopen().sessions.at(0), *changed);
}

TEST_P(EngineConformance, OnlyALiveSessionCanBeChanged) {
    const SessionPtr session = open_session();
    commit_one(make_.end(session->id));
    auto changed = std::make_shared<Session>(*session);
    changed->title = "late";
    EXPECT_EQ(verdict_of(ChangeSession{changed, make_.tick()}), Verdict::missing);
    EXPECT_EQ(verdict_of(ChangeSession{make_.session(), make_.tick()}), Verdict::missing);
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

TEST_P(EngineConformance, PartsAndNoticesBelongToALiveSession) {
    const SessionPtr session = open_session();
    const AddPart part = make_.part(session->id);
    const GiveNotice notice = make_.notice(session->id);
    const GiveNotice for_all = make_.notice(SessionId());
    const CommitReport report = commit({part, notice, for_all});
    EXPECT_EQ(verdicts(report), std::vector(3, Verdict::applied));
    EXPECT_EQ(*body_of<PartAdded>(report, 0).part, *part.part);
    EXPECT_EQ(body_of<NoticeGiven>(report, 1).text, notice.notice.text);
    EXPECT_EQ(report.events.at(1)->at, notice.at);
    EXPECT_TRUE(report.events.at(2)->session.is_nil());

    commit_one(make_.end(session->id));
    const CommitReport late =
        commit({make_.part(session->id), make_.notice(session->id), make_.part(make_.session_id()),
                make_.notice(make_.session_id())});
    EXPECT_EQ(verdicts(late), std::vector(4, Verdict::missing));
    EXPECT_TRUE(late.events.empty());
}

TEST_P(EngineConformance, MessagesWaitUntilTheyAreTaken) {
    const SessionPtr session = open_session();
    const AddMessage one = make_.message(session->id, "one");
    const AddMessage two = make_.message(session->id, "two");
    const AddMessage three = make_.message(session->id, "three");
    const CommitReport report = commit({one, two, three});
    EXPECT_EQ(verdicts(report), std::vector(3, Verdict::applied));
    EXPECT_EQ(body_of<MessageAdded>(report, 1).text, "two");
    EXPECT_EQ(verdict_of(two), Verdict::existing);
    EXPECT_EQ(reopen().messages.size(), 3U);

    const CommitReport taken = commit({TakeMessages{session->id, make_.tick(), two.message.id}});
    EXPECT_EQ(verdicts(taken), std::vector{Verdict::applied});
    EXPECT_EQ(body_of<MessagesTaken>(taken).up_to, two.message.id);
    for (const MessageId up_to : {one.message.id, two.message.id}) {
        const CommitReport again = commit({TakeMessages{session->id, make_.tick(), up_to}});
        EXPECT_EQ(verdicts(again), std::vector{Verdict::existing});
        EXPECT_TRUE(again.events.empty());
    }
    EXPECT_EQ(verdict_of(one), Verdict::existing) << "taken, and still known";

    const Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.messages.size(), 1U);
    EXPECT_EQ(snapshot.messages[0].message.id, three.message.id);
    EXPECT_EQ(snapshot.messages[0].message.text, "three");
    EXPECT_EQ(snapshot.messages[0].message.by, three.message.by);
    EXPECT_EQ(snapshot.messages[0].at, three.at);
    EXPECT_EQ(snapshot.messages[0].session, session->id);
    EXPECT_EQ(snapshot.top_message, three.message.id);
}

TEST_P(EngineConformance, MessagesNeedALiveSessionAndEndWithIt) {
    const SessionPtr session = open_session();
    const AddMessage kept = make_.message(session->id);
    commit_one(kept);
    commit_one(make_.end(session->id));
    EXPECT_EQ(verdict_of(make_.message(session->id)), Verdict::missing);
    EXPECT_EQ(verdict_of(make_.message(make_.session_id())), Verdict::missing);
    EXPECT_EQ(verdict_of(TakeMessages{session->id, make_.tick(), kept.message.id}),
              Verdict::missing);
    const Snapshot snapshot = reopen();
    EXPECT_TRUE(snapshot.messages.empty());
    EXPECT_EQ(snapshot.top_message, kept.message.id);
}

TEST_P(EngineConformance, ADraftIsReplacedDroppedAndGoneWithItsAsk) {
    const SessionPtr session = open_session();
    const AskPtr ask = open_ask(session->id);
    const AskPtr withdrawn = open_ask(session->id);
    const CommitReport put =
        commit({make_.draft(ask->id, "ha"), make_.draft(ask->id, "half"),
                make_.draft(ask->id, "bob's", "bob"), make_.draft(withdrawn->id, "other")});
    EXPECT_EQ(verdicts(put), std::vector(4, Verdict::applied));
    EXPECT_EQ(body_of<DraftChanged>(put, 1).answers->at(0).other, "half");
    EXPECT_EQ(put.events.at(1)->session, session->id);
    Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.drafts.size(), 3U);
    EXPECT_EQ(snapshot.drafts[0].principal, "ada");
    EXPECT_EQ(snapshot.drafts[0].answers->at(0).other, "half");

    const PutDraft drop{ask->id, make_.tick(), "bob", nullptr};
    const CommitReport dropped = commit({drop, drop});
    EXPECT_EQ(verdicts(dropped), (std::vector{Verdict::applied, Verdict::existing}));
    ASSERT_EQ(dropped.events.size(), 1U);
    EXPECT_EQ(body_of<DraftChanged>(dropped).answers, nullptr);

    commit_one(SettleAsk{ask->id, make_.settlement(Outcome::answered)});
    EXPECT_EQ(verdict_of(make_.draft(ask->id, "late")), Verdict::missing);
    EXPECT_EQ(verdict_of(drop), Verdict::missing);
    EXPECT_EQ(verdict_of(make_.draft(make_.ask_id(), "nowhere")), Verdict::missing);
    EXPECT_EQ(reopen().drafts.size(), 1U);
    commit_one(make_.end(session->id));
    EXPECT_TRUE(reopen().drafts.empty());
}

TEST_P(EngineConformance, ASnoozeIsReplacedDroppedAndGoneWithItsAskWithoutEvents) {
    const SessionPtr session = open_session();
    const AskPtr ask = open_ask(session->id);
    const AskPtr other = open_ask(session->id);
    const Instant until = make_.tick();
    const CommitReport report =
        commit({PutSnooze{ask->id, "ada", make_.tick()}, PutSnooze{ask->id, "ada", until},
                PutSnooze{ask->id, "bob", until}, PutSnooze{other->id, "ada", until},
                PutSnooze{ask->id, "bob", std::nullopt}});
    EXPECT_EQ(verdicts(report), std::vector(5, Verdict::applied));
    EXPECT_TRUE(report.events.empty());
    const Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.snoozes.size(), 2U);
    EXPECT_EQ(snapshot.snoozes[0].ask, ask->id);
    EXPECT_EQ(snapshot.snoozes[0].principal, "ada");
    EXPECT_EQ(snapshot.snoozes[0].until, until);

    commit_one(SettleAsk{ask->id, make_.settlement(Outcome::answered)});
    EXPECT_EQ(verdict_of(PutSnooze{ask->id, "ada", until}), Verdict::missing);
    EXPECT_EQ(verdict_of(PutSnooze{make_.ask_id(), "ada", until}), Verdict::missing);
    EXPECT_EQ(reopen().snoozes.size(), 1U);
    commit_one(make_.end(session->id));
    EXPECT_TRUE(reopen().snoozes.empty());
}

TEST_P(EngineConformance, ATokenKeepsItsNameUntilItIsDropped) {
    auto token = std::make_shared<Token>(*make_.token("laptop", "aa11"));
    token->role = Role::owner;
    token->expires_at = make_.tick();
    const CommitReport report =
        commit({PutToken{token}, PutToken{token}, PutToken{make_.token("laptop", "bb22")},
                PutToken{make_.token("phone", "cc33")}});
    EXPECT_EQ(verdicts(report), (std::vector{Verdict::applied, Verdict::existing, Verdict::conflict,
                                             Verdict::applied}));
    EXPECT_TRUE(report.events.empty());
    const Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.tokens.size(), 2U);
    EXPECT_EQ(*snapshot.tokens[0], *token);
    EXPECT_EQ(verdict_of(DropToken{"laptop"}), Verdict::applied);
    EXPECT_EQ(verdict_of(DropToken{"laptop"}), Verdict::missing);
    EXPECT_EQ(reopen().tokens.size(), 1U);
}

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
    auto changed = std::make_shared<Session>(*session);
    changed->activity = Activity::working;
    const AddMessage message = make_.message(session->id, "line\nwith \"quotes\" and ✓");
    commit({ChangeSession{changed, make_.tick()}, message,
            TakeMessages{session->id, make_.tick(), message.message.id}, make_.part(session->id),
            make_.notice(SessionId()), make_.draft(ask->id, "half")});
    const AskPtr pending = open_ask(session->id);
    commit({SettleAsk{ask->id, make_.settlement(Outcome::answered)}});
    commit({make_.end(session->id, "over")});

    for (const bool is_reopened : {false, true}) {
        if (is_reopened) reopen();
        const EventPage page = list_events({.after = first_});
        EXPECT_FALSE(page.has_gap);
        EXPECT_FALSE(page.has_more);
        EXPECT_EQ(describe(page.events, DraftDetail::hidden),
                  describe(reported(), DraftDetail::hidden));
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

TEST_P(EngineConformance, WhatIsNotThereIsFoundAsNull) {
    EXPECT_EQ(engine_->find_ask(make_.ask_id()).value(), nullptr);
    EXPECT_EQ(engine_->find_session(make_.session_id()).value(), nullptr);
}

TEST_P(EngineConformance, TheSameTransactionAgainChangesNothing) {
    const SessionPtr session = make_.session("build-7");
    const SessionPtr ending = make_.session();
    const AskPtr one = make_.ask(session->id, {.key = "k"});
    const AskPtr two = make_.ask(session->id, {.call_id = "c"});
    const AskPtr three = make_.ask(ending->id);
    const AddMessage message = make_.message(session->id);
    const std::vector<Change> batch = {
        OpenSession{session},
        OpenSession{ending},
        OpenAsk{one},
        OpenAsk{two},
        OpenAsk{three},
        SettleAsk{one->id, make_.settlement(Outcome::answered)},
        PutSnooze{two->id, "ada", make_.tick()},
        message,
        TakeMessages{session->id, make_.tick(), message.message.id},
        make_.end(ending->id),
        PutToken{make_.token("laptop", "aa11")},
    };
    EXPECT_EQ(verdicts(commit(batch)), std::vector(batch.size(), Verdict::applied));
    const std::string once = describe(reopen());
    const CommitReport again = commit(batch);
    EXPECT_TRUE(again.events.empty());
    EXPECT_EQ(describe(reopen()), once);
    EXPECT_EQ(again.outcomes.at(5).verdict, Verdict::existing);
    EXPECT_EQ(again.outcomes.at(5).ask->state(), AskState::answered);
}

TEST_P(EngineConformance, LongAndStrangeTextComesBackAsItWas) {
    const SessionPtr session = open_session("ünïcode 'quoted' \"name\" \\ %_ 🙂");
    const std::string odd = "a'b\"c\\d\te\n\u2028\u0001\u202e; DROP TABLE asks; -- ✓";
    auto spec = std::make_shared<AskSpec>(*make_.ask(session->id)->spec);
    spec->questions[0].text = odd + std::string(limits::kTextBytes, 'x');
    spec->context = std::string(limits::kAskBytes / 2, 'y');
    spec->key = odd;
    auto ask = std::make_shared<Ask>(*make_.ask(session->id));
    ask->spec = spec;
    auto settlement = std::make_shared<Settlement>();
    settlement->answers = {{.other = std::string(limits::kAnswerTextBytes, 'z') + odd}};
    settlement->decider.name = odd;
    commit({OpenAsk{ask}, SettleAsk{ask->id, settlement}});
    reopen();
    const AskPtr read = engine_->find_ask(ask->id).value();
    EXPECT_EQ(*read->spec, *spec);
    EXPECT_EQ(*read->settlement, *settlement);
    const ChangeOutcome by_key = commit_one(OpenAsk{make_.ask(session->id, {.key = odd})});
    EXPECT_EQ(by_key.verdict, Verdict::conflict);
    EXPECT_EQ(verdict_of(OpenSession{make_.session(session->name)}), Verdict::existing);
}

}  // namespace parley
