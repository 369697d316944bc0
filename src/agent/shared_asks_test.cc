// SPDX-License-Identifier: Apache-2.0
#include "agent/shared_asks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/asks_fixture.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kKey = "s1:q1";

// An agent elsewhere, with what it was given.
class SharedAsksTest : public AsksTest, public SharedAsks::Listener {
protected:
    SharedAsksTest() : asks_(make()) {}

    std::unique_ptr<SharedAsks> make() {
        return std::make_unique<SharedAsks>(
            SharedAsks::Wiring{process_->home, clock_, link_},
            SharedAsks::Rules{.key_prefix = "there", .called = "Afar", .asks_max = 3}, *this);
    }

    void settled(const std::string& key, const Ask& ask) override {
        given_.push_back(key + " " + std::string(to_string(ask.state())));
    }
    void asked(const AskRequest&) override { ++asked_; }
    void refused(const std::string& key, const std::string& why) override {
        refused_.push_back(key + " " + why);
    }
    void closed(const std::string& key) override { closed_.push_back(key); }
    void trouble(const std::string&) override {}

    void take(std::string_view key = kKey) {
        asks_->take({.key = std::string(key),
                     .place = std::string(key.substr(0, key.find(':'))),
                     .session = {.name = "far", .agent = "afar"},
                     .spec = spec()});
        process_->settle_down();
    }
    std::vector<std::string> notices() { return AsksTest::notices("far"); }
    std::string first_label() { return spec().questions.front().options.front().label; }

    int asked_ = 0;
    std::vector<std::string> given_;
    std::vector<std::string> refused_;
    std::vector<std::string> closed_;
    std::unique_ptr<SharedAsks> asks_;
};

TEST_F(SharedAsksTest, AnsweredHereIsGivenThere) {
    take();
    EXPECT_EQ(asked_, 1);
    (void)answer(only()->id, first_label(), ada_);
    EXPECT_THAT(given_, ElementsAre("s1:q1 answered"));
    EXPECT_THAT(closed_, IsEmpty());
    asks_->taken(kKey);
    EXPECT_THAT(closed_, ElementsAre("s1:q1"));
    EXPECT_THAT(notices(), IsEmpty());
}

TEST_F(SharedAsksTest, SettledThereIsTakenBackHereAndSaysSo) {
    take();
    const AskId id = only()->id;
    asks_->closed_there("s1:q2", "another one's");
    asks_->closed_there(kKey, "answered there: Blue");
    settle_down();
    EXPECT_EQ(stored(id)->state(), AskState::withdrawn);
    EXPECT_EQ(stored(id)->settlement->note, "answered there: Blue");
    EXPECT_THAT(given_, IsEmpty());
}

TEST_F(SharedAsksTest, AnAnswerThatLosesTheRaceIsToldByWhoeverNoticesFirst) {
    take();
    (void)answer(only()->id, first_label(), ada_);
    asks_->too_late(kKey);
    settle_down();
    EXPECT_THAT(notices(), ElementsAre(HasSubstr("Afar did not get this answer")));
    take("s1:q2");
    broker().answer(only()->id, {{.selected = {first_label()}}}, {}, ada_,
                    [](const Result<SettleReply>&) {});
    asks_->closed_there("s1:q2", "answered there");
    settle_down();
    EXPECT_THAT(notices(), SizeIs(2));
    EXPECT_THAT(given_, ElementsAre("s1:q1 answered"));
}

TEST_F(SharedAsksTest, AnsweredWhileTheConnectionIsLostIsGivenOnTheNext) {
    take();
    const AskId id = only()->id;
    asks_->lost();
    (void)answer(id, first_label(), ada_);
    EXPECT_THAT(given_, IsEmpty());
    asks_->give_again(kKey);
    EXPECT_THAT(given_, IsEmpty());
    asks_->see(kKey);
    asks_->drop_unseen("gone");
    take();
    EXPECT_THAT(given_, ElementsAre("s1:q1 answered"));
    EXPECT_EQ(asked_, 1);
}

TEST_F(SharedAsksTest, WhatDoesNotComeAgainIsTakenBackAndAskedAnewIfItDoesLater) {
    take();
    const AskId id = only()->id;
    asks_->lost();
    EXPECT_THAT(asks_->unseen_places(), ElementsAre("s1"));
    asks_->drop_unseen("gone");
    settle_down();
    EXPECT_EQ(stored(id)->settlement->note, "gone");
    take();
    EXPECT_NE(only()->id, id);
}

TEST_F(SharedAsksTest, AnotherProcessTakesOverWhatWaits) {
    take();
    const AskId id = only()->id;
    AskRequest other{.spec = spec(), .session = "far"};
    other.spec.key = "thereabouts:s1:q9";
    const AskId others = open(std::move(other))->id;
    asks_ = make();
    asks_->adopt([] {});
    settle_down();
    EXPECT_THAT(asks_->unseen_places(), ElementsAre("s1"));
    take();
    EXPECT_EQ(asked_, 1);
    (void)answer(id, first_label(), ada_);
    EXPECT_THAT(given_, ElementsAre("s1:q1 answered"));
    EXPECT_TRUE(stored(others)->is_pending());
}

TEST_F(SharedAsksTest, TooManyAreRefused) {
    for (const auto* key : {"s1:a", "s1:b", "s1:c", "s1:d"}) take(key);
    EXPECT_THAT(refused_, ElementsAre(HasSubstr("too many")));
    EXPECT_THAT(pending(), SizeIs(3));
}

TEST_F(SharedAsksTest, WhenItStopsAllIsTakenBack) {
    take();
    take("s2:q2");
    bool is_done = false;
    asks_->withdraw_all("stopped", [&] { is_done = true; });
    settle_down();
    EXPECT_TRUE(is_done);
    EXPECT_THAT(pending(), IsEmpty());
}

}  // namespace
}  // namespace parley
