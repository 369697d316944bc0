// SPDX-License-Identifier: Apache-2.0
#include "store/engine_conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/limits.h"

namespace parley {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineConformance);

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
    EXPECT_EQ(body_of<DraftChanged>(put, 1).draft->answers.at(0).other, "half");
    EXPECT_EQ(put.outcomes.at(1).draft->version, 2U);
    EXPECT_EQ(put.events.at(1)->session, session->id);
    Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.drafts.size(), 3U);
    EXPECT_EQ(snapshot.drafts[0].principal, "ada");
    EXPECT_EQ(*snapshot.drafts[0].draft,
              (Draft{.answers = {{.other = "half"}}, .device = "laptop", .version = 2}));

    const PutDraft drop{ask->id, make_.tick(), "bob", {.device = "phone"}};
    const CommitReport dropped = commit({drop, drop});
    EXPECT_EQ(verdicts(dropped), (std::vector{Verdict::applied, Verdict::existing}));
    ASSERT_EQ(dropped.events.size(), 1U);
    EXPECT_EQ(*body_of<DraftChanged>(dropped).draft, (Draft{.device = "phone", .version = 2}));

    commit_one(SettleAsk{ask->id, make_.settlement(Outcome::answered)});
    EXPECT_EQ(verdict_of(make_.draft(ask->id, "late")), Verdict::missing);
    EXPECT_EQ(verdict_of(drop), Verdict::missing);
    EXPECT_EQ(verdict_of(make_.draft(make_.ask_id(), "nowhere")), Verdict::missing);
    EXPECT_EQ(reopen().drafts.size(), 1U);
    commit_one(make_.end(session->id));
    EXPECT_TRUE(reopen().drafts.empty());
}

// Who has not seen what stands does not overwrite it; what was dropped is in nobody's way, and
// versions ascend over it.
TEST_P(EngineConformance, ADraftIsNotOverwrittenByOneThatHasNotSeenIt) {
    const AskPtr ask = open_ask(open_session()->id);
    const auto put = [&](std::string text, std::optional<std::uint64_t> seen) {
        PutDraft change = make_.draft(ask->id, std::move(text));
        change.draft.seen = seen;
        return commit_one(change);
    };
    EXPECT_EQ(put("laptop's", 0).draft->version, 1U);
    const ChangeOutcome refused = put("phone's", 0);
    EXPECT_EQ(refused.verdict, Verdict::conflict);
    EXPECT_EQ(refused.draft->answers.at(0).other, "laptop's");
    EXPECT_EQ(put("laptop's", 0).verdict, Verdict::existing) << "the same again is no conflict";
    EXPECT_EQ(put("phone's, having seen it", 1).draft->version, 2U);
    EXPECT_EQ(put("whoever's", std::nullopt).draft->version, 3U);
    EXPECT_EQ(put("from far ahead", 9).draft->version, 9U);
    commit_one(PutDraft{ask->id, make_.tick(), "ada", {}});
    reopen();
    EXPECT_EQ(put("anew", 9).draft->version, 11U);
}

TEST_P(EngineConformance, ASnoozeIsReplacedDroppedAndGoneWithItsAsk) {
    const SessionPtr session = open_session();
    const AskPtr ask = open_ask(session->id);
    const AskPtr other = open_ask(session->id);
    const Instant until = make_.tick();
    const auto put = [&](const AskPtr& of, std::string principal, std::optional<Instant> then) {
        return PutSnooze{of->id, make_.tick(), std::move(principal), then};
    };
    const CommitReport report =
        commit({put(ask, "ada", make_.tick()), put(ask, "ada", until), put(ask, "bob", until),
                put(other, "ada", until), put(ask, "bob", std::nullopt), put(ask, "ada", until),
                put(other, "bob", std::nullopt)});
    EXPECT_EQ(verdicts(report),
              concat(std::vector(5, Verdict::applied), std::vector(2, Verdict::existing)));
    ASSERT_EQ(report.events.size(), 5U) << "what stands already is no news";
    EXPECT_EQ(report.events[1]->session, session->id);
    EXPECT_EQ(body_of<SnoozeChanged>(report, 1).ask, ask->id);
    EXPECT_EQ(body_of<SnoozeChanged>(report, 1).principal, "ada");
    EXPECT_EQ(body_of<SnoozeChanged>(report, 1).until, until);
    EXPECT_EQ(body_of<SnoozeChanged>(report, 4).until, std::nullopt);
    const Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.snoozes.size(), 2U);
    EXPECT_EQ(snapshot.snoozes[0].ask, ask->id);
    EXPECT_EQ(snapshot.snoozes[0].principal, "ada");
    EXPECT_EQ(snapshot.snoozes[0].until, until);
    EXPECT_EQ(describe(list_events({.after = first_}).events), describe(reported()));

    commit_one(SettleAsk{ask->id, make_.settlement(Outcome::answered)});
    EXPECT_EQ(verdict_of(put(ask, "ada", until)), Verdict::missing);
    EXPECT_EQ(verdict_of(put(make_.ask(session->id), "ada", until)), Verdict::missing);
    EXPECT_EQ(reopen().snoozes.size(), 1U);
    commit_one(make_.end(session->id));
    EXPECT_TRUE(reopen().snoozes.empty());
}

TEST_P(EngineConformance, ATokenKeepsItsNameUntilItIsDroppedOrReplaced) {
    auto token = std::make_shared<Token>(*make_.token("laptop", "aa11"));
    token->role = Role::owner;
    token->expires_at = make_.tick();
    token->session = make_.session()->id;
    const CommitReport report =
        commit({PutToken{token}, PutToken{token}, PutToken{make_.token("laptop", "bb22")},
                PutToken{make_.token("phone", "cc33")}});
    EXPECT_EQ(verdicts(report), (std::vector{Verdict::applied, Verdict::existing, Verdict::conflict,
                                             Verdict::applied}));
    ASSERT_EQ(report.events.size(), 2U);
    EXPECT_EQ(*body_of<TokenChanged>(report, 0).token, *token);
    EXPECT_EQ(body_of<TokenChanged>(report, 1).name, "phone");
    const Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.tokens.size(), 2U);
    EXPECT_EQ(*snapshot.tokens[0], *token);
    EXPECT_EQ(verdict_of(PutToken{make_.token("laptop", "bb22"), true}), Verdict::applied);
    EXPECT_EQ(reopen().tokens[0]->hash, "bb22");

    const CommitReport dropped = commit({DropToken{"laptop", make_.tick()}});
    EXPECT_EQ(verdicts(dropped), std::vector{Verdict::applied});
    EXPECT_EQ(body_of<TokenChanged>(dropped).name, "laptop");
    EXPECT_EQ(body_of<TokenChanged>(dropped).token, nullptr);
    EXPECT_EQ(verdict_of(DropToken{"laptop", make_.tick()}), Verdict::missing);
    EXPECT_EQ(reopen().tokens.size(), 1U);
    EXPECT_EQ(describe(list_events({.after = first_}).events, Detail::left_out),
              describe(reported(), Detail::left_out));
}

// What was read of the feed may be older than the token: whoever folds it to its end knows what
// stands.
TEST_P(EngineConformance, TokensAreWhatAFoldOverTheFeedMakesOfThem) {
    const auto agent = [&](std::string name, std::string principal) {
        auto made = std::make_shared<Token>(*make_.token(name, name + "-hash"));
        made->role = Role::agent;
        made->principal = std::move(principal);
        return PutToken{std::move(made)};
    };
    commit({agent("a", "prn_1"), agent("b", "prn_1"), agent("c", "prn_2"),
            TouchToken{"b", make_.tick()}, NamePerson{"prn_1", make_.tick(), "Ada"},
            DropToken{"a", make_.tick()}, DropToken{"c", make_.tick()}, agent("c", "prn_3")});
    std::map<std::string, TokenPtr> folded;
    std::vector<std::string> revoked;
    for (const EventPtr& event : list_events({.after = first_}).events) {
        if (const auto* changed = std::get_if<TokenChanged>(&event->body))
            folded.insert_or_assign(changed->name, changed->token);
        if (const auto* gone = std::get_if<AgentRevoked>(&event->body))
            revoked.push_back(gone->principal);
    }
    std::erase_if(folded, [](const auto& entry) { return !entry.second; });
    const Snapshot snapshot = reopen();
    ASSERT_EQ(folded.size(), snapshot.tokens.size());
    for (const TokenPtr& token : snapshot.tokens) EXPECT_EQ(*folded.at(token->name), *token);
    EXPECT_EQ(revoked, std::vector<std::string>{"prn_2"}) << "the other has one more";
    EXPECT_EQ(folded.at("b")->person, "Ada");
}

// A principal is the sum of its tokens: its name is said once for all of them, and is nobody
// else's.
TEST_P(EngineConformance, TokensOfOnePrincipalShareANameThatNoOtherHas) {
    const auto token = [&](std::string name, std::string principal, std::string person) {
        auto made = std::make_shared<Token>(*make_.token(name, name + "-hash"));
        made->principal = std::move(principal);
        made->person = std::move(person);
        made->device = "Firefox on Linux";
        return made;
    };
    EXPECT_EQ(verdicts(commit({PutToken{token("a", "p1", "Ada")}, PutToken{token("b", "p1", "Ada")},
                               PutToken{token("c", "p2", "Ada")}, PutToken{token("d", "p2", "")},
                               PutToken{token("e", "p3", "")}})),
              (std::vector{Verdict::applied, Verdict::applied, Verdict::conflict, Verdict::applied,
                           Verdict::applied}));
    const Instant used = make_.tick();
    const auto name = [&](std::string principal, std::string person) {
        return NamePerson{std::move(principal), make_.tick(), std::move(person)};
    };
    EXPECT_EQ(verdicts(commit({name("p2", "Ada"), name("p2", "Bea"), name("p2", "Bea"),
                               name("p9", "Cleo"), name("p3", "Bea"), TouchToken{"d", used},
                               TouchToken{"z", used}})),
              (std::vector{Verdict::conflict, Verdict::applied, Verdict::existing, Verdict::missing,
                           Verdict::conflict, Verdict::applied, Verdict::missing}));
    const Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.tokens.size(), 4U);
    EXPECT_EQ(snapshot.tokens[2]->name, "d");
    EXPECT_EQ(snapshot.tokens[2]->person, "Bea");
    EXPECT_EQ(snapshot.tokens[2]->used_at, used);
    EXPECT_EQ(snapshot.tokens[2]->device, "Firefox on Linux");
    EXPECT_EQ(verdict_of(DropToken{"d", make_.tick()}), Verdict::applied);
    EXPECT_EQ(verdict_of(name("p3", "Bea")), Verdict::applied) << "the name is free again";
}

TEST_P(EngineConformance, AMarkIsSetAndDroppedWhereItStandsAsExpected) {
    const auto put = [&](std::optional<std::string> value,
                         std::optional<std::string> expected = std::nullopt) {
        return PutMark{.key = "node/a",
                       .at = make_.tick(),
                       .value = std::move(value),
                       .expected = std::move(expected)};
    };
    const auto drop = [&](std::optional<std::string> expected) {
        return put(std::nullopt, std::move(expected));
    };
    PutMark first = put("1", "");
    first.expires_at = make_.tick();
    const CommitReport report =
        commit({drop(std::nullopt), first, first, put("2", ""), put("2", "1"), put("3", "1"),
                put("3"), drop("1"), drop("3"), drop("3")});
    EXPECT_EQ(verdicts(report),
              (std::vector{Verdict::missing, Verdict::applied, Verdict::existing, Verdict::conflict,
                           Verdict::applied, Verdict::conflict, Verdict::applied, Verdict::conflict,
                           Verdict::applied, Verdict::missing}));
    ASSERT_EQ(report.events.size(), 4U);
    EXPECT_EQ(body_of<MarkChanged>(report, 0).mark->expires_at, first.expires_at);
    EXPECT_EQ(body_of<MarkChanged>(report, 3).key, "node/a");
    EXPECT_EQ(body_of<MarkChanged>(report, 3).mark, nullptr);
    EXPECT_TRUE(reopen().marks.empty());
    commit_one(first);
    const Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.marks.size(), 1U);
    EXPECT_EQ(*snapshot.marks[0], *marked_by(first));
    EXPECT_EQ(describe(list_events({.after = first_}).events, Detail::left_out),
              describe(reported(), Detail::left_out));
}

TEST_P(EngineConformance, AMarkThatIsSetAgainLivesAsLongAsIsSaidThen) {
    PutMark mark{.key = "letter/a", .at = make_.tick(), .value = "x", .expires_at = make_.tick()};
    commit_one(mark);
    mark.expires_at = make_.tick();
    EXPECT_EQ(verdict_of(mark), Verdict::applied);
    EXPECT_EQ(verdict_of(mark), Verdict::existing);
    const Snapshot snapshot = reopen();
    ASSERT_EQ(snapshot.marks.size(), 1U);
    EXPECT_EQ(snapshot.marks[0]->expires_at, mark.expires_at);
}

// What is found by its name is in an index, and an index may take less than a table.
TEST_P(EngineConformance, TheLongestNamesThatAreAllowedAreStoredAndFound) {
    const auto longest = [this] {
        std::string name;  // that nothing makes shorter
        while (name.size() < limits::kNameBytes)
            name += static_cast<char>('!' + make_.random() % ('~' - '!'));
        return name;
    };
    const SessionPtr session = open_session(longest());
    const AskPtr ask = open_ask(session->id, {.key = longest(), .call_id = longest()});
    const TokenPtr token = make_.token(longest(), "hash");
    // The kind stands before it.
    const PutMark mark{.key = "invited/" + longest(), .at = make_.tick(), .value = "prn_1"};
    EXPECT_EQ(verdicts(commit({PutToken{token}, mark})),
              (std::vector{Verdict::applied, Verdict::applied}));
    for (const bool is_reopened : {false, true}) {
        if (is_reopened) {
            const Snapshot snapshot = reopen();
            ASSERT_EQ(snapshot.tokens.size(), 1U);
            EXPECT_EQ(*snapshot.tokens[0], *token);
            ASSERT_EQ(snapshot.marks.size(), 1U);
            EXPECT_EQ(snapshot.marks[0]->key, mark.key);
        }
        EXPECT_EQ(engine_->find_ask_by_call(session->id, ask->spec->tool->call_id).value()->id,
                  ask->id);
        EXPECT_EQ(verdict_of(OpenAsk{make_.ask(session->id, {.key = ask->spec->key})}),
                  Verdict::existing);
        EXPECT_EQ(verdict_of(OpenSession{make_.session(session->name)}), Verdict::existing);
        EXPECT_EQ(verdict_of(PutToken{make_.token(token->name, "another")}), Verdict::conflict);
    }
}

TEST_P(EngineConformance, ASettlementMayRestOnAMark) {
    const SessionPtr session = make_.session();
    const AskPtr ask = make_.ask(session->id);
    const PutMark seat{.key = "seat/a", .at = make_.tick(), .value = "one"};
    PutMark taken = seat;
    taken.value = "two";
    const SettleAsk settle{ask->id, make_.settlement(Outcome::answered), ask, marked_by(seat)};
    EXPECT_EQ(verdicts(commit({OpenSession{session}, OpenAsk{ask}, settle, seat, taken, settle})),
              (std::vector{Verdict::applied, Verdict::applied, Verdict::refused, Verdict::applied,
                           Verdict::applied, Verdict::refused}));
    EXPECT_EQ(verdict_of(settle), Verdict::refused);
    EXPECT_TRUE(engine_->find_ask(ask->id).value()->is_pending());
    EXPECT_EQ(verdict_of(SettleAsk{make_.ask_id(), settle.settlement, {}, marked_by(seat)}),
              Verdict::missing);
    EXPECT_EQ(
        verdicts(commit({seat, settle, taken, settle})),
        (std::vector{Verdict::applied, Verdict::applied, Verdict::applied, Verdict::existing}))
        << "what is settled stays so, whatever the mark says then";
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
        PutSnooze{two->id, make_.tick(), "ada", make_.tick()},
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
