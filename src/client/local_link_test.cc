// SPDX-License-Identifier: Apache-2.0
// Asking, settling, drafts and sessions through a link in process. What the rules are is tested
// below; here it is that every call reaches the broker as its actor, and that handles are safe.
#include "client/local_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sim_broker.h"

namespace parley {
namespace {

using namespace std::chrono_literals;
using sim::Got;
using sim::tea_or_coffee;

class LocalLinkTest : public testing::Test {
protected:
    std::unique_ptr<LocalLink> link_as(std::string principal) {
        return std::make_unique<LocalLink>(
            LocalLink::Wiring{world_.home, world_.clock, world_.broker},
            Actor{.principal = std::move(principal), .door = "test"});
    }
    AskPtr open(AskRequest request) {
        Got<OpenedAsk> opened;
        bot_->ask(std::move(request), opened.done());
        world_.settle_down();
        EXPECT_TRUE(*opened) << opened->error().message;
        return (*opened)->ask;
    }
    Result<SettleReply> answer(Link& link, AskId id, std::string label) {
        Got<SettleReply> reply;
        link.answer(id, {{.selected = {std::move(label)}}}, {}, reply.done());
        world_.settle_down();
        return *reply;
    }

    sim::SimBroker world_;
    std::unique_ptr<LocalLink> bot_ = link_as("bot");
    std::unique_ptr<LocalLink> ada_ = link_as("ada");
};

TEST_F(LocalLinkTest, AnAnswerThroughOneLinkReachesWhoWaitsThroughAnother) {
    const AskPtr asked = open({tea_or_coffee(), "chat"});
    EXPECT_EQ(asked->spec->asker, "bot");
    Got<AskPtr> settled;
    const LinkWait wait = bot_->wait(asked->id, settled.done());
    const auto reply = answer(*ada_, asked->id, "Tea");
    ASSERT_TRUE(reply);
    EXPECT_TRUE(reply->is_yours);
    ASSERT_TRUE(*settled);
    EXPECT_EQ((**settled)->settlement->answers[0].selected[0], "Tea");
    EXPECT_EQ((**settled)->settlement->decider.principal, "ada");
    EXPECT_EQ(settled.calls(), 1);
}

TEST_F(LocalLinkTest, NoCallbackRunsInsideTheCallThatWasGivenIt) {
    const AskPtr asked = open({tea_or_coffee()});
    Got<AskPtr> found;
    Got<OpenedAsk> refused;
    Got<DraftPtr> draft;
    ada_->find_ask(asked->id, found.done());
    ada_->ask({}, refused.done());
    ada_->find_draft(asked->id, draft.done());
    EXPECT_EQ(found.calls() + refused.calls() + draft.calls(), 0);
    world_.settle_down();
    EXPECT_EQ(found.calls() + refused.calls() + draft.calls(), 3);
    EXPECT_EQ(refused->error().code, ErrorCode::invalid);
}

TEST_F(LocalLinkTest, ACancelledWaitIsNotTold) {
    const AskPtr asked = open({tea_or_coffee()});
    Got<AskPtr> pending_wait;
    bot_->wait(asked->id, pending_wait.done()).cancel();
    ASSERT_TRUE(answer(*ada_, asked->id, "Tea"));
    EXPECT_EQ(pending_wait.calls(), 0);
    // For a settled ask the store is already being read when the wait is dropped.
    Got<AskPtr> late_wait;
    bot_->wait(asked->id, late_wait.done()).cancel();
    world_.settle_down();
    EXPECT_EQ(late_wait.calls(), 0);
}

TEST_F(LocalLinkTest, AWaitForASettledOrUnknownAskEndsAtOnce) {
    const AskPtr asked = open({tea_or_coffee()});
    ASSERT_TRUE(answer(*ada_, asked->id, "Coffee"));
    Got<AskPtr> settled;
    Got<AskPtr> unknown;
    const LinkWait first = bot_->wait(asked->id, settled.done());
    const LinkWait second = bot_->wait(AskId(IdBits{1, 2}), unknown.done());
    world_.settle_down();
    ASSERT_TRUE(*settled);
    EXPECT_EQ((**settled)->state(), AskState::answered);
    ASSERT_FALSE(*unknown);
    EXPECT_EQ(unknown->error().code, ErrorCode::not_found);
}

TEST_F(LocalLinkTest, ALinkThatIsGoneTellsNobodyAndItsHandlesAreHarmless) {
    const AskPtr asked = open({tea_or_coffee()});
    Got<AskPtr> waited;
    Got<SettleReply> replied;
    auto link = link_as("eve");
    LinkWait wait = link->wait(asked->id, waited.done());
    link->answer(asked->id, {{.selected = {"Tea"}}}, {}, replied.done());
    link.reset();
    world_.settle_down();
    EXPECT_EQ(waited.calls(), 0);
    EXPECT_EQ(replied.calls(), 0);
    wait.cancel();
    EXPECT_EQ(world_.broker.ledger().find_pending(asked->id), nullptr);
}

// The callback of a wait may end everything that it stands on.
TEST_F(LocalLinkTest, ALinkMayBeDestroyedInsideItsOwnCallback) {
    const AskPtr asked = open({tea_or_coffee()});
    auto link = link_as("eve");
    const LinkWait wait = link->wait(asked->id, [&](Result<AskPtr>) { link.reset(); });
    ASSERT_TRUE(answer(*ada_, asked->id, "Tea"));
    EXPECT_EQ(link, nullptr);
}

TEST_F(LocalLinkTest, DismissingAndWithdrawingNameTheirActorAndReason) {
    const AskPtr first = open({tea_or_coffee()});
    const AskPtr second = open({tea_or_coffee()});
    Got<SettleReply> dismissed;
    Got<SettleReply> withdrawn;
    ada_->dismiss(first->id, "not now", dismissed.done());
    bot_->withdraw(second->id, "found out", withdrawn.done());
    world_.settle_down();
    ASSERT_TRUE(*dismissed);
    EXPECT_EQ((*dismissed)->ask->settlement->note, "not now");
    EXPECT_EQ((*dismissed)->ask->settlement->decider.principal, "ada");
    ASSERT_TRUE(*withdrawn);
    EXPECT_EQ((*withdrawn)->ask->state(), AskState::withdrawn);
    EXPECT_EQ((*withdrawn)->ask->settlement->decider.kind, Decider::Kind::agent);
}

TEST_F(LocalLinkTest, ADraftBelongsToItsActor) {
    const AskPtr asked = open({tea_or_coffee()});
    Got<DraftReply> put;
    ada_->put_draft(asked->id, {.answers = {{.other = "Herbal"}}, .device = "desk"}, put.done());
    world_.settle_down();
    ASSERT_TRUE(*put);
    EXPECT_TRUE((*put)->is_kept);
    Got<DraftReply> blind;
    ada_->put_draft(asked->id, {.answers = {{.other = "Mint"}}, .device = "phone"}, blind.done());
    Got<Link::Drafts> drafts;
    ada_->list_drafts(drafts.done());
    world_.settle_down();
    EXPECT_FALSE((*blind)->is_kept);
    EXPECT_EQ((*blind)->draft->device, "desk");
    ASSERT_TRUE((*drafts)->contains(asked->id));
    Got<DraftPtr> hers;
    Got<DraftPtr> bots;
    ada_->find_draft(asked->id, hers.done());
    bot_->find_draft(asked->id, bots.done());
    world_.settle_down();
    ASSERT_TRUE(**hers);
    EXPECT_EQ(*(**hers), (Draft{.answers = {{.other = "Herbal"}}, .device = "desk", .version = 1}));
    EXPECT_EQ(**bots, nullptr);
    Got<void> dropped;
    ada_->drop_draft(asked->id, dropped.done());
    ada_->find_draft(asked->id, hers.done());
    world_.settle_down();
    ada_->find_draft(asked->id, hers.done());
    world_.settle_down();
    ASSERT_TRUE(*dropped);
    EXPECT_EQ(**hers, nullptr);
}

TEST_F(LocalLinkTest, SnoozingIsForAPendingAskOnly) {
    const AskPtr asked = open({tea_or_coffee()});
    Got<void> snoozed;
    ada_->snooze(asked->id, 1min, snoozed.done());
    world_.settle_down();
    EXPECT_TRUE(*snoozed);
    ASSERT_TRUE(answer(*ada_, asked->id, "Tea"));
    ada_->snooze(asked->id, 0ms, snoozed.done());
    world_.settle_down();
    ASSERT_FALSE(*snoozed);
    EXPECT_EQ(snoozed->error().code, ErrorCode::not_found);
}

TEST_F(LocalLinkTest, ASnoozeIsToldToItsPersonsFrontsAndOneOfNoTimeEndsIt) {
    struct Snoozes final : FollowListener {
        void on_frames(std::span<const Frame> frames) override {
            for (const Frame& frame : frames) {
                const auto* event = std::get_if<EventPtr>(&frame);
                const auto* listed = std::get_if<SnapshotAsk>(&frame);
                const auto* changed =
                    event == nullptr ? nullptr : std::get_if<SnoozeChanged>(&(*event)->body);
                if (changed != nullptr) told.push_back(changed->until);
                if (listed != nullptr) told.push_back(listed->snoozed_until);
            }
        }
        void on_state(State, const std::optional<Error>&) override {}
        std::vector<std::optional<Instant>> told;
    };
    const AskPtr asked = open({tea_or_coffee()});
    Got<void> snoozed;
    ada_->snooze(asked->id, 1min, snoozed.done());
    world_.settle_down();
    const Instant until = world_.clock.wall() + 1min;
    Snoozes hers;
    Snoozes his;
    const auto follows = ada_->follow({}, hers);
    const std::unique_ptr<LocalLink> bob = link_as("bob");
    const auto others = bob->follow({}, his);
    world_.settle_down();
    ada_->snooze(asked->id, 0ms, snoozed.done());
    world_.settle_down();
    EXPECT_TRUE(*snoozed);
    EXPECT_EQ(hers.told, (std::vector<std::optional<Instant>>{until, std::nullopt}));
    EXPECT_EQ(his.told, (std::vector<std::optional<Instant>>{std::nullopt})) << "the ask alone";
}

TEST_F(LocalLinkTest, SessionsAreOpenedFoundListedAndEnded) {
    Got<SessionPtr> opened;
    bot_->open_session({.name = "chat", .title = "A chat"}, opened.done());
    world_.settle_down();
    ASSERT_TRUE(*opened);
    const AskPtr asked = open({tea_or_coffee(), "chat"});
    EXPECT_EQ(asked->session, (**opened)->id);
    Got<SessionPtr> found;
    Got<SessionPage> listed;
    Got<AskPage> asks;
    ada_->find_session("chat", found.done());
    ada_->list_sessions({}, listed.done());
    ada_->list_asks({.session = asked->session}, asks.done());
    world_.settle_down();
    EXPECT_EQ((**found)->title, "A chat");
    EXPECT_EQ((*listed)->sessions.size(), 1u);
    EXPECT_EQ((*asks)->asks.size(), 1u);
    Got<SessionPtr> stopped;
    Got<SessionPtr> ended;
    ada_->abort("chat", stopped.done());
    world_.settle_down();
    ada_->end_session("chat", "done", ended.done());
    world_.settle_down();
    EXPECT_TRUE(*stopped);
    ASSERT_TRUE(*ended);
    EXPECT_TRUE((**ended)->ended_at);
    ada_->find_session("chat", found.done());
    world_.settle_down();
    EXPECT_EQ(found->error().code, ErrorCode::not_found);
}

TEST_F(LocalLinkTest, WhatPeopleAndAgentsSayReachesTheSession) {
    Got<SessionPtr> opened;
    bot_->open_session({.name = "chat"}, opened.done());
    world_.settle_down();
    Got<void> pushed;
    Got<Said> said;
    Got<void> noticed;
    bot_->push("chat", {StreamItem(Activity::working)}, pushed.done());
    ada_->say("chat", "Please hurry", said.done());
    bot_->give_notice("", {.text = "Nearly there"}, noticed.done());
    world_.settle_down();
    EXPECT_TRUE(*pushed);
    EXPECT_TRUE(*noticed);
    ASSERT_TRUE(*said);
    const auto* session = world_.broker.ledger().find_session("chat");
    EXPECT_EQ(session->session->activity, Activity::working);
    ASSERT_EQ(session->messages.size(), 1u);
    EXPECT_EQ(session->messages[0].message.by.principal, "ada");
    Got<void> taken;
    bot_->take_messages("chat", (*said)->id, taken.done());
    world_.settle_down();
    EXPECT_TRUE(*taken);
    EXPECT_TRUE(world_.broker.ledger().find_session("chat")->messages.empty());
}

}  // namespace
}  // namespace parley
