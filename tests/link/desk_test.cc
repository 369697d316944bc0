// SPDX-License-Identifier: Apache-2.0
// What a person keeps beside an ask, through every link: drafts and snoozes are the caller's own.
#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "link/link_fixture.h"

namespace parley::link_testing {
namespace {

using namespace std::chrono_literals;

class LinkDesk : public LinkTest {
protected:
    Result<DraftReply> put(Link& link, AskId id, Draft draft) {
        return get<DraftReply>(
            [&](Done<DraftReply> done) { link.put_draft(id, std::move(draft), std::move(done)); });
    }
    DraftPtr draft_of(Link& link, AskId id) {
        auto draft =
            get<DraftPtr>([&](Done<DraftPtr> done) { link.find_draft(id, std::move(done)); });
        EXPECT_TRUE(draft) << draft.error().message;
        return draft.value_or(nullptr);
    }
    Result<void> snooze(Link& link, AskId id, Millis period) {
        return get<void>([&](Done<void> done) { link.snooze(id, period, std::move(done)); });
    }
};
PARLEY_FOR_EVERY_LINK(LinkDesk);

TEST_P(LinkDesk, ADraftBelongsToItsPerson) {
    const AskPtr asked = open();
    const Draft herbal = {.answers = {{.other = "Herbal"}}, .device = "desk"};
    const auto kept = put(*ada_, asked->id, herbal);
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_TRUE(kept->is_kept);
    const auto blind = put(*ada_, asked->id, {.answers = {{.other = "Mint"}}, .device = "phone"});
    ASSERT_TRUE(blind) << blind.error().message;
    EXPECT_FALSE(blind->is_kept);
    EXPECT_EQ(blind->draft->device, "desk");

    const DraftPtr hers = draft_of(*ada_, asked->id);
    ASSERT_TRUE(hers);
    EXPECT_EQ(hers->answers, herbal.answers);
    EXPECT_EQ(hers->device, "desk");
    EXPECT_GT(hers->version, 0u);
    const auto bob = world_->link_as("bob");
    EXPECT_EQ(draft_of(*bob, asked->id), nullptr);
    const auto listed =
        get<Link::Drafts>([&](Done<Link::Drafts> done) { ada_->list_drafts(std::move(done)); });
    ASSERT_TRUE(listed);
    ASSERT_TRUE(listed->contains(asked->id));
    EXPECT_EQ(*listed->at(asked->id), *hers);
}

TEST_P(LinkDesk, WhoHasSeenADraftMayReplaceItAndDropIt) {
    const AskPtr asked = open();
    const auto first = put(*ada_, asked->id, {.answers = {{.other = "Herbal"}}, .device = "desk"});
    ASSERT_TRUE(first);
    const auto second = put(*ada_, asked->id,
                            {.answers = {{.selected = {"Tea"}, .note = "hot"}},
                             .device = "phone",
                             .version = first->draft->version});
    ASSERT_TRUE(second);
    EXPECT_TRUE(second->is_kept);
    EXPECT_GT(second->draft->version, first->draft->version);
    EXPECT_EQ(draft_of(*ada_, asked->id)->answers, second->draft->answers);
    ASSERT_TRUE(get<void>([&](Done<void> done) { ada_->drop_draft(asked->id, std::move(done)); }));
    EXPECT_EQ(draft_of(*ada_, asked->id), nullptr);
}

TEST_P(LinkDesk, SnoozingIsForAPendingAskOnly) {
    const AskPtr asked = open();
    EXPECT_TRUE(snooze(*ada_, asked->id, 1min));
    ASSERT_TRUE(answer(*ada_, asked->id, "Tea"));
    const auto late = snooze(*ada_, asked->id, 0ms);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ErrorCode::not_found);
}

// What is told of one ask's snoozes, in a snapshot or as it happens.
struct Snoozes final : FollowListener {
    void on_frames(std::span<const Frame> frames) override {
        for (const Frame& frame : frames) {
            if (const auto* listed = std::get_if<SnapshotAsk>(&frame))
                told.push_back(listed->snoozed_until);
            if (std::holds_alternative<SnapshotEnd>(frame)) is_live = true;
            const auto* event = std::get_if<EventPtr>(&frame);
            if (event == nullptr) continue;
            if (const auto* changed = std::get_if<SnoozeChanged>(&(*event)->body))
                told.push_back(changed->until);
            if (std::holds_alternative<AskSettled>((*event)->body)) is_settled = true;
        }
    }
    void on_state(State, const std::optional<Error>&) override {}

    std::vector<std::optional<Instant>> told;
    bool is_live = false;
    bool is_settled = false;
};

TEST_P(LinkDesk, ASnoozeIsToldToItsPersonsFrontsAndOneOfNoTimeEndsIt) {
    const AskPtr asked = open();
    const Instant before = world_->now();
    ASSERT_TRUE(snooze(*ada_, asked->id, 1h));
    Snoozes hers;
    Snoozes his;
    const auto bob = world_->link_as("bob");
    const auto first = ada_->follow({}, hers);
    const auto second = bob->follow({}, his);
    world_->run_until([&] { return hers.is_live && his.is_live; });
    ASSERT_TRUE(snooze(*ada_, asked->id, 0ms));
    ASSERT_TRUE(answer(*ada_, asked->id, "Tea"));
    world_->run_until([&] { return hers.is_settled && his.is_settled; });
    ASSERT_EQ(hers.told.size(), 2u);
    ASSERT_TRUE(hers.told[0]);
    EXPECT_GE(*hers.told[0], before + 1h);
    EXPECT_EQ(hers.told[1], std::nullopt);
    EXPECT_EQ(his.told, (std::vector<std::optional<Instant>>{std::nullopt})) << "the ask alone";
}

}  // namespace
}  // namespace parley::link_testing
