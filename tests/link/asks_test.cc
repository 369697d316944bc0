// SPDX-License-Identifier: Apache-2.0
// Asking, waiting, finding, listing and settling, through every link. What the rules are is tested
// below; here it is that every call reaches the broker as its caller, that its reply says the same
// through either link, and that handles are safe.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "link/link_fixture.h"

namespace parley::link_testing {
namespace {

using namespace std::chrono_literals;

using LinkAsks = LinkTest;
PARLEY_FOR_EVERY_LINK(LinkAsks);

// Every member that an asker can set, so that none is lost on the way.
AskSpec everything() {
    AskSpec spec = tea_or_coffee();
    Question& drink = spec.questions[0];
    drink.options[0].description = "Black, no milk";
    drink.options[1].preview = "```\nmilk: true\n```";
    Question extras{.text = "Which extras?",
                    .header = "Extras",
                    .options = {{"Sugar", ""}, {"Lemon", "Only with tea"}},
                    .multi_select = true};
    spec.questions.push_back(std::move(extras));
    spec.questions[1].min = 1;
    spec.questions[1].preset = Answer{.selected = {"Sugar"}};
    spec.context = "Somebody **waits**.";
    spec.urgency = Urgency::high;
    spec.timeout = 1h;
    spec.default_answers = {{.selected = {"Tea"}}, {.selected = {"Sugar", "Lemon"}}};
    spec.dismissible = false;
    spec.agent = "kettle";
    spec.permission =
        PermissionRequest{.tool = "Bash", .input = R"({"command":"boil --water 1l"})"};
    return spec;
}

TEST_P(LinkAsks, AnAnswerThroughOneLinkReachesWhoWaitsThroughAnother) {
    const AskPtr asked = open();
    Got<AskPtr> settled;
    const LinkWait wait = bot_->wait(asked->id, settled.done());
    const auto reply = answer(*ada_, asked->id, "Tea");
    ASSERT_TRUE(reply);
    EXPECT_TRUE(reply->is_yours);
    world_->run_until([&] { return settled.calls() > 0; });
    ASSERT_TRUE(*settled);
    EXPECT_EQ((**settled)->settlement->answers[0].selected[0], "Tea");
    EXPECT_EQ((**settled)->settlement->decider.name, "ada");
    let_pass(*bot_);
    EXPECT_EQ(settled.calls(), 1);
}

TEST_P(LinkAsks, WhomASettlementIsForIsRecordedBesideWhoActs) {
    const AskPtr first = open();
    const auto answered = get<SettleReply>([&](Done<SettleReply> done) {
        ada_->answer(first->id, {{.selected = {"Tea"}}}, {.by = "Grace"}, std::move(done));
    });
    ASSERT_TRUE(answered) << answered.error().message;
    EXPECT_EQ(answered->ask->settlement->decider.name, "ada");
    EXPECT_EQ(answered->ask->settlement->decider.claimed, "Grace");
    const AskPtr second = open();
    const auto dismissed = get<SettleReply>([&](Done<SettleReply> done) {
        ada_->dismiss(second->id, {.by = "Grace"}, std::move(done));
    });
    ASSERT_TRUE(dismissed) << dismissed.error().message;
    EXPECT_EQ(dismissed->ask->settlement->decider.claimed, "Grace");
}

TEST_P(LinkAsks, WhatWasAskedIsFoundAsItWasAsked) {
    const AskSpec spec = everything();
    const AskPtr asked = open({spec, "chat"});
    const auto found = find(*ada_, asked->id);
    ASSERT_TRUE(found) << found.error().message;
    AskSpec expected = spec;
    expected.asker = asked->spec->asker;
    expected.key = asked->spec->key;  // a link that may have to ask again makes one up
    expected.permission = asked->spec->permission;  // with what the broker adds to it
    EXPECT_EQ(*(*found)->spec, expected);
    EXPECT_EQ((*found)->session, asked->session);
    EXPECT_EQ((*found)->created_at, asked->created_at);
}

TEST_P(LinkAsks, TheSameKeyIsTheSameAskAndSaysSo) {
    AskSpec spec = tea_or_coffee();
    spec.key = "kettle-1";
    const AskPtr first = open({spec, "chat"});
    const auto again =
        get<OpenedAsk>([&](Done<OpenedAsk> done) { bot_->ask({spec, "chat"}, std::move(done)); });
    ASSERT_TRUE(again);
    EXPECT_EQ(again->ask->id, first->id);
    EXPECT_FALSE(again->is_new);
    spec.questions[0].text = "Another question?";
    const auto other =
        get<OpenedAsk>([&](Done<OpenedAsk> done) { bot_->ask({spec, "chat"}, std::move(done)); });
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::key_conflict);
}

TEST_P(LinkAsks, AnAskThatIsNoneIsRefusedWithEveryFault) {
    const auto refused =
        get<OpenedAsk>([&](Done<OpenedAsk> done) { bot_->ask({}, std::move(done)); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
    EXPECT_FALSE(refused.error().message.empty());
}

TEST_P(LinkAsks, NoCallbackRunsInsideTheCallThatWasGivenIt) {
    const AskPtr asked = open();
    Got<AskPtr> found;
    Got<OpenedAsk> refused;
    Got<DraftPtr> draft;
    ada_->find_ask(asked->id, found.done());
    ada_->ask({}, refused.done());
    ada_->find_draft(asked->id, draft.done());
    EXPECT_EQ(found.calls() + refused.calls() + draft.calls(), 0);
    world_->run_until([&] { return found.calls() + refused.calls() + draft.calls() == 3; });
}

TEST_P(LinkAsks, ACancelledWaitIsNotTold) {
    const AskPtr asked = open();
    Got<AskPtr> pending_wait;
    bot_->wait(asked->id, pending_wait.done()).cancel();
    ASSERT_TRUE(answer(*ada_, asked->id, "Tea"));
    // For a settled ask the reply may be on its way when the wait is dropped.
    Got<AskPtr> late_wait;
    bot_->wait(asked->id, late_wait.done()).cancel();
    let_pass(*bot_);
    EXPECT_EQ(pending_wait.calls(), 0);
    EXPECT_EQ(late_wait.calls(), 0);
}

TEST_P(LinkAsks, AWaitForASettledOrUnknownAskEndsAtOnce) {
    const AskPtr asked = open();
    ASSERT_TRUE(answer(*ada_, asked->id, "Coffee"));
    Got<AskPtr> settled;
    Got<AskPtr> unknown;
    const LinkWait first = bot_->wait(asked->id, settled.done());
    const LinkWait second = bot_->wait(AskId(IdBits{1, 2}), unknown.done());
    world_->run_until([&] { return settled.calls() + unknown.calls() == 2; });
    ASSERT_TRUE(*settled);
    EXPECT_EQ((**settled)->state(), AskState::answered);
    ASSERT_FALSE(*unknown);
    EXPECT_EQ(unknown->error().code, ErrorCode::not_found);
}

TEST_P(LinkAsks, ALinkThatIsGoneTellsNobodyAndItsHandlesAreHarmless) {
    const AskPtr asked = open();
    Got<AskPtr> waited;
    Got<SettleReply> replied;
    auto link = world_->link_as("bob");
    LinkWait wait = link->wait(asked->id, waited.done());
    link->answer(asked->id, {{.selected = {"Tea"}}}, {}, replied.done());
    link.reset();
    let_pass(*ada_);
    EXPECT_EQ(waited.calls(), 0);
    EXPECT_EQ(replied.calls(), 0);
    wait.cancel();
}

// The callback of a wait may end everything that it stands on.
TEST_P(LinkAsks, ALinkMayBeDestroyedInsideItsOwnCallback) {
    const AskPtr asked = open();
    auto link = world_->link_as("bob");
    const LinkWait wait = link->wait(asked->id, [&](Result<AskPtr>) { link.reset(); });
    ASSERT_TRUE(answer(*ada_, asked->id, "Tea"));
    world_->run_until([&] { return link == nullptr; });
}

TEST_P(LinkAsks, DismissingAndWithdrawingNameTheirCallerAndReason) {
    const AskPtr first = open();
    const AskPtr second = open();
    const auto dismissed = get<SettleReply>([&](Done<SettleReply> done) {
        ada_->dismiss(first->id, {.reason = "not now"}, std::move(done));
    });
    const auto withdrawn = get<SettleReply>(
        [&](Done<SettleReply> done) { bot_->withdraw(second->id, "found out", std::move(done)); });
    ASSERT_TRUE(dismissed);
    EXPECT_EQ(dismissed->ask->settlement->note, "not now");
    EXPECT_EQ(dismissed->ask->settlement->decider.name, "ada");
    ASSERT_TRUE(withdrawn);
    EXPECT_EQ(withdrawn->ask->state(), AskState::withdrawn);
    EXPECT_EQ(withdrawn->ask->settlement->note, "found out");
    EXPECT_EQ(withdrawn->ask->settlement->decider.kind, Decider::Kind::agent);
}

TEST_P(LinkAsks, WhoComesLateIsToldWhatStands) {
    const AskPtr asked = open();
    ASSERT_TRUE(answer(*ada_, asked->id, "Tea"));
    const auto bob = world_->link_as("bob");
    const auto late = answer(*bob, asked->id, "Coffee");
    ASSERT_TRUE(late) << late.error().message;
    EXPECT_FALSE(late->is_yours);
    EXPECT_EQ(late->ask->settlement->answers[0].selected[0], "Tea");
    const auto again = answer(*ada_, asked->id, "Tea");
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->is_yours) << "the same answer again is no second one";
}

TEST_P(LinkAsks, AnAnswerThatIsNoneIsRefusedAndTheAskWaitsOn) {
    const AskPtr asked = open();
    const auto refused = answer(*ada_, asked->id, "Cocoa");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
    EXPECT_EQ((*find(*ada_, asked->id))->state(), AskState::pending);
}

// Also in the other direction and by state: the order and the filters are the broker's, not what
// happens to be on the first page.
TEST_P(LinkAsks, ListsHaveAnOrderAStateASessionAndPages) {
    std::vector<AskId> asked;
    for (int i = 0; i < 7; ++i) asked.push_back(open({tea_or_coffee(), "chat"})->id);
    const AskPtr other = open({tea_or_coffee(), "elsewhere"});
    ASSERT_TRUE(answer(*ada_, asked[2], "Tea"));
    ASSERT_TRUE(answer(*ada_, asked[0], "Tea"));
    const auto list = [&](AskListing listing) {
        std::vector<AskId> ids;
        while (true) {
            const auto page = get<AskPage>(
                [&](Done<AskPage> done) { ada_->list_asks(listing, std::move(done)); });
            EXPECT_TRUE(page) << page.error().message;
            for (const AskPtr& ask : page->asks) ids.push_back(ask->id);
            if (!page->has_more || ids.size() > 20) return ids;
            listing.after = page->last;
        }
    };
    std::vector<AskId> newest(asked.rbegin(), asked.rend());
    const SessionId chat = (*find(*ada_, asked[0]))->session;
    EXPECT_EQ(list({.session = chat, .limit = 3}), asked);
    EXPECT_EQ(list({.session = chat, .limit = 3, .order = ListOrder::newest_first}), newest);
    EXPECT_EQ(list({.state = AskState::answered, .limit = 1}), (std::vector{asked[0], asked[2]}));
    EXPECT_EQ(list({.limit = 1, .order = ListOrder::last_settled_first}),
              (std::vector{asked[0], asked[2]}));
    EXPECT_EQ(list({.state = AskState::pending, .limit = 2}).size(), 6u);
    EXPECT_EQ(list({.session = other->session}), std::vector{other->id});
}

// No member is lost on the way, however many are set.
TEST_P(LinkAsks, AListKeepsToAllThatIsWantedOfItAtOnce) {
    std::vector<AskId> asked;
    for (int i = 0; i < 5; ++i) asked.push_back(open({tea_or_coffee(), "chat"})->id);
    const AskPtr other = open({tea_or_coffee(), "elsewhere"});
    for (const AskId id : {asked[0], asked[1], asked[3], other->id})
        ASSERT_TRUE(answer(*ada_, id, "Tea"));
    const AskListing listing{.state = AskState::answered,
                             .session = (*find(*ada_, asked[0]))->session,
                             .after = asked[3],
                             .limit = 1,
                             .order = ListOrder::newest_first};
    // One that is new has to be tried here too.
    const auto& [state, session, after, limit, order] = listing;
    ASSERT_TRUE(state && session && after && limit == 1 && order != ListOrder::oldest_first);
    const auto page =
        get<AskPage>([&](Done<AskPage> done) { ada_->list_asks(listing, std::move(done)); });
    ASSERT_TRUE(page) << page.error().message;
    ASSERT_EQ(page->asks.size(), 1u);
    EXPECT_EQ(page->asks[0]->id, asked[1]);
    EXPECT_TRUE(page->has_more);
}

TEST_P(LinkAsks, AnAgentIsGivenItsOwnAsksAlone) {
    const AskPtr asked = open();
    const auto rival = world_->link_as("rival");
    const auto found = find(*rival, asked->id);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::not_found);
    const auto listed =
        get<AskPage>([&](Done<AskPage> done) { rival->list_asks({}, std::move(done)); });
    ASSERT_TRUE(listed);
    EXPECT_TRUE(listed->asks.empty());
    const auto taken = get<SettleReply>(
        [&](Done<SettleReply> done) { rival->withdraw(asked->id, "mine", std::move(done)); });
    EXPECT_FALSE(taken);
    EXPECT_EQ((*find(*bot_, asked->id))->state(), AskState::pending);
}

}  // namespace
}  // namespace parley::link_testing
