// SPDX-License-Identifier: Apache-2.0
// What an ask said can be deleted once it is settled; that it was asked and how it ended stays.
#include <memory>
#include <string>
#include <vector>

#include "core/record.h"
#include "store/engine_conformance.h"

namespace parley {

namespace {

constexpr const char* kSecret = "the word nobody shall read";

bool tells(const Ask& ask) {
    const std::string settlement = ask.settlement ? to_record(*ask.settlement) : "";
    return (to_record(*ask.spec) + settlement).find(kSecret) != std::string::npos;
}

bool tells(const std::vector<EventPtr>& events) {
    for (const EventPtr& event : events) {
        const auto* opened = std::get_if<AskOpened>(&event->body);
        const auto* settled = std::get_if<AskSettled>(&event->body);
        if (opened != nullptr && tells(*opened->ask)) return true;
        if (settled != nullptr && tells(*settled->ask)) return true;
    }
    return false;
}

}  // namespace

TEST_P(EngineConformance, TheContentOfASettledAskIsDeletedEverywhereAndForGood) {
    const SessionPtr session = open_session("one");
    const AskNames names{.key = "k", .call_id = "call", .asker = "prn_a"};
    const AskPtr ask = make_.ask(session->id, names, kSecret);
    commit_one(OpenAsk{ask});
    EXPECT_EQ(commit_one(DeleteContent{ask->id, make_.tick()}).verdict, Verdict::conflict);
    auto answered = std::make_shared<Settlement>(*make_.settlement(Outcome::answered));
    answered->answers = {Answer{.other = kSecret, .note = kSecret}};
    answered->note = kSecret;
    commit_one(SettleAsk{ask->id, answered});
    ASSERT_TRUE(tells(list_events({.after = first_}).events));

    const Instant at = make_.tick();
    const CommitReport report = commit({DeleteContent{ask->id, at}});
    EXPECT_EQ(report.outcomes.front().verdict, Verdict::applied);
    ASSERT_EQ(report.events.size(), 1U);
    const auto& told = std::get<ContentDeleted>(report.events.front()->body);
    EXPECT_EQ(told.ask, ask->id);
    EXPECT_EQ(told.asker, "prn_a");
    EXPECT_EQ(report.events.front()->session, session->id);

    for (const bool is_reopened : {false, true}) {
        if (is_reopened) reopen();
        const AskPtr left = engine_->find_ask(ask->id).value();
        ASSERT_NE(left, nullptr);
        EXPECT_FALSE(tells(*left));
        EXPECT_EQ(left->spec->content_deleted_at, at);
        EXPECT_EQ(left->spec->questions.size(), ask->spec->questions.size());
        EXPECT_EQ(left->spec->asker, "prn_a");
        EXPECT_EQ(left->settlement->decider, answered->decider);
        EXPECT_EQ(left->settlement->at, answered->at);
        EXPECT_EQ(left->state(), AskState::answered);
        EXPECT_FALSE(tells(list_events({.after = first_}).events));
        EXPECT_EQ(engine_->find_ask_by_call(session->id, "call").value()->id, ask->id);
    }
    EXPECT_EQ(commit_one(DeleteContent{ask->id, make_.tick()}).verdict, Verdict::existing);
    EXPECT_EQ(commit_one(DeleteContent{make_.ask(session->id)->id, make_.tick()}).verdict,
              Verdict::missing);
}

}  // namespace parley
