// SPDX-License-Identifier: Apache-2.0
// Much at once, within one turn of the loop and before anything of it is stored: what is on its way
// counts towards every limit.
#include <gmock/gmock.h>

#include "base/sizes.h"
#include "broker/broker_fixture.h"
#include "store/limits.h"

namespace parley {
namespace {

class BoundsTest : public BrokerTest {
protected:
    // What became of calls that were all made before the first was answered.
    struct Tally {
        std::size_t taken = 0;
        std::vector<Error> refused;

        template <class T>
        Done<T> count() {
            return [this](const Result<T>& result) {
                if (result) {
                    ++taken;
                } else {
                    refused.push_back(result.error());
                }
            };
        }
        bool all_refused_with(ErrorCode code) const {
            return std::ranges::all_of(refused,
                                       [code](const Error& error) { return error.code == code; });
        }
    };

    void ask_as_agent(std::string text, std::string session, Tally& tally) {
        broker().ask({spec(std::move(text)), std::move(session)}, kOpenProfile, one_,
                     tally.count<OpenedAsk>());
    }
    static std::vector<StreamItem> output(std::string call, std::size_t bytes) {
        return {StreamPart{{.kind = Part::Kind::tool_output,
                            .part_id = std::move(call),
                            .body = '"' + std::string(bytes, 'x') + '"'}}};
    }
    void open_sessions(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            broker().open_session({.name = "s" + std::to_string(i)}, kUnrestricted,
                                  [](const Result<SessionPtr>& opened) { EXPECT_TRUE(opened); });
        process_->settle_down();
    }

    const Actor one_{.principal = "prn_one", .door = "test", .sees_all = false};
};

// Letters between nodes are as large as what they are about.
TEST_F(BoundsTest, MarksThatWaitForTheStoreAreWeighed) {
    constexpr std::size_t kLetterBytes = 256 * limits::kKiB;
    Tally tally;
    for (std::size_t i = 0; i < 2 * limits::kCommitQueueBytes / kLetterBytes; ++i)
        broker().put_mark({.key = "letter/" + std::to_string(i),
                           .at = clock_.wall(),
                           .value = std::string(kLetterBytes, 'x')},
                          tally.count<Verdict>());
    process_->settle_down();
    EXPECT_LE(tally.taken, limits::kCommitQueueBytes / kLetterBytes);
    EXPECT_GT(tally.refused.size(), 0U);
    EXPECT_TRUE(tally.all_refused_with(ErrorCode::overloaded));
}

TEST_F(BoundsTest, ABurstOfAsksFindsTheQuotaThatTheyWouldFindOneByOne) {
    restart(limits::kLedgerBytes, {.asks = 5});
    Tally tally;
    for (int i = 0; i < 50; ++i) ask_as_agent("One of many?", "s", tally);
    process_->settle_down();
    EXPECT_EQ(tally.taken, 5U);
    EXPECT_EQ(tally.refused.size(), 45U);
    EXPECT_TRUE(tally.all_refused_with(ErrorCode::over_quota));
    EXPECT_EQ(broker().ledger().usage_of("prn_one").asks, 5U);
}

TEST_F(BoundsTest, ABurstOfLargeAsksFindsTheQuotaOfBytes) {
    restart(limits::kLedgerBytes, {.bytes = 100'000});
    Tally tally;
    for (int i = 0; i < 100; ++i) ask_as_agent(std::string(10'000, 'x'), "s", tally);
    process_->settle_down();
    EXPECT_THAT(tally.taken, testing::AllOf(testing::Ge(5U), testing::Le(10U)));
    EXPECT_TRUE(tally.all_refused_with(ErrorCode::over_quota));
}

TEST_F(BoundsTest, ABurstOfSessionsFindsTheQuotaOfSessions) {
    open_sessions(3);
    restart(limits::kLedgerBytes, {.sessions = 4});
    Tally tally;
    for (int i = 0; i < 3; ++i) ask_as_agent("A person's?", "s" + std::to_string(i), tally);
    for (int i = 0; i < 5; ++i) ask_as_agent("One of its own?", "new" + std::to_string(i), tally);
    for (int i = 0; i < 5; ++i) broker().open_session({}, one_.viewer(), tally.count<SessionPtr>());
    process_->settle_down();
    EXPECT_EQ(tally.taken, 4U) << "three that become its own, and one more";
    EXPECT_TRUE(tally.all_refused_with(ErrorCode::over_quota));
    EXPECT_EQ(broker().ledger().usage_of("prn_one").sessions, 4U);
}

TEST_F(BoundsTest, WhatWasNotStoredCountsNoLonger) {
    restart(limits::kLedgerBytes, {.asks = 2, .sessions = 1});
    AskSpec keyed = spec();
    keyed.key = "k";
    for (int round = 0; round < 10; ++round) {
        Tally tally;
        broker().ask({keyed, "s"}, kOpenProfile, one_, tally.count<OpenedAsk>());
        process_->settle_down();
        EXPECT_EQ(tally.taken, 1U) << "the same ask again, in round " << round;
    }
    Tally tally;
    ask_as_agent("Another?", "s", tally);
    ask_as_agent("One too many?", "s", tally);
    process_->settle_down();
    EXPECT_EQ(tally.taken, 1U);
}

TEST_F(BoundsTest, TheStoresQueueIsBoundedInBytesAndSmallChangesFindTheirPlace) {
    open_sessions(40);
    const AskPtr waiting = open({spec(), "a"});
    Tally parts;
    for (int i = 0; i < 40; ++i)
        broker().push("s" + std::to_string(i), output("c", 2 * limits::kMiB), kUnrestricted,
                      parts.count<void>());
    Tally small;
    broker().answer(waiting->id, {{.selected = {"Tea"}}}, {}, ada_, small.count<SettleReply>());
    broker().ask({spec(), "a"}, kOpenProfile, agent_, small.count<OpenedAsk>());
    process_->settle_down();
    EXPECT_THAT(parts.taken, testing::AllOf(testing::Ge(10U), testing::Le(16U)));
    EXPECT_TRUE(parts.all_refused_with(ErrorCode::overloaded));
    EXPECT_EQ(small.taken, 2U);
    Tally later;
    broker().push("s39", output("c", 2 * limits::kMiB), kUnrestricted, later.count<void>());
    process_->settle_down();
    EXPECT_EQ(later.taken, 1U) << "there is room again";
}

TEST_F(BoundsTest, TheStoresQueueIsBoundedInNumberAndASessionsNameStaysUsable) {
    const AskPtr ask = open({spec(), "a"});
    Tally queued;
    for (std::size_t i = 0; i < limits::kCommitQueueMax; ++i)
        broker().snooze(ask->id, ada_.viewer(), std::nullopt, queued.count<void>());
    Tally refused;
    broker().ask({spec(), "new"}, kOpenProfile, agent_, refused.count<OpenedAsk>());
    process_->settle_down();
    EXPECT_EQ(queued.taken, limits::kCommitQueueMax);
    ASSERT_EQ(refused.refused.size(), 1U);
    EXPECT_EQ(refused.refused.front().code, ErrorCode::overloaded);
    EXPECT_TRUE(this->ask({spec(), "new"})) << "the session that was not opened is opened now";
}

TEST_F(BoundsTest, WhatWaitsForOneSessionsStreamIsBoundedInBytes) {
    open_sessions(2);
    Tally tally;
    for (int i = 0; i < 40; ++i)
        broker().push("s0", output("c" + std::to_string(i), 2 * limits::kMiB), kUnrestricted,
                      tally.count<void>());
    Tally other;
    broker().push("s1", output("c", 100), kUnrestricted, other.count<void>());
    process_->settle_down();
    EXPECT_THAT(tally.taken, testing::AllOf(testing::Ge(10U), testing::Le(16U)));
    EXPECT_TRUE(tally.all_refused_with(ErrorCode::overloaded));
    EXPECT_EQ(other.taken, 1U);
    Tally later;
    for (int i = 0; i < 3; ++i)
        broker().push("s0", output("d" + std::to_string(i), 2 * limits::kMiB), kUnrestricted,
                      later.count<void>());
    process_->settle_down();
    EXPECT_EQ(later.taken, 3U);
}

TEST_F(BoundsTest, MessagesThatAreNotTakenAreBoundedInBytes) {
    open_sessions(1);
    const auto say = [this](std::size_t bytes) {
        Tally tally;
        broker().say("s0", std::string(bytes, 'x'), ada_, tally.count<Said>());
        process_->settle_down();
        return tally;
    };
    std::size_t taken = 0;
    while (taken < 100 && say(limits::kSaidBytes).taken == 1) ++taken;
    EXPECT_EQ(taken, limits::kQueuedMessagesBytes / limits::kSaidBytes);
    EXPECT_TRUE(say(1).all_refused_with(ErrorCode::overloaded));
    broker().take_messages("s0", broker().ledger().find_session("s0")->messages.back().message.id,
                           kUnrestricted, [](const Result<void>& done) { EXPECT_TRUE(done); });
    process_->settle_down();
    EXPECT_EQ(say(1).taken, 1U);
}

}  // namespace
}  // namespace parley
