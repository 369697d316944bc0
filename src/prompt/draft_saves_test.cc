// SPDX-License-Identifier: Apache-2.0
#include "prompt/draft_saves.h"

#include <gtest/gtest.h>

#include "prompt/limits.h"

namespace parley {
namespace {

using std::chrono::milliseconds;

const AskId kFirst(IdBits{.high = 1});
const AskId kSecond(IdBits{.high = 2});
const Mono kStart{std::chrono::hours(1)};

TEST(DraftSaves, OneAtATimeAfterAPause) {
    DraftSaves saves;
    saves.connected(kStart);
    EXPECT_FALSE(saves.due());
    saves.touch(kFirst, kStart);
    saves.touch(kFirst, kStart + milliseconds(300));
    EXPECT_EQ(saves.due(), kStart + limits::kDraftPause) << "typing on does not put it off";
    EXPECT_FALSE(saves.next(kStart));
    const Mono later = kStart + limits::kDraftPause;
    EXPECT_EQ(saves.next(later), kFirst);
    saves.touch(kSecond, later);
    EXPECT_FALSE(saves.due()) << "one is on its way";
    saves.kept(later, false);
    EXPECT_EQ(saves.next(later + limits::kDraftPause), kFirst) << "typed on meanwhile";
    saves.kept(later, true);
    EXPECT_EQ(saves.next(later), kSecond);
    saves.kept(later, true);
    EXPECT_FALSE(saves.due());
    EXPECT_TRUE(saves.touched().empty());
}

TEST(DraftSaves, WhoLeavesAnAskDoesNotWait) {
    DraftSaves saves;
    saves.connected(kStart);
    saves.touch(kFirst, kStart);
    saves.hurry(kStart);
    EXPECT_EQ(saves.next(kStart), kFirst);
}

TEST(DraftSaves, FailuresComeLaterAndLater) {
    DraftSaves saves;
    saves.connected(kStart);
    saves.touch(kFirst, kStart);
    Mono now = kStart + limits::kDraftPause;
    Mono::duration last = limits::kDraftPause;
    for (int i = 0; i < 12; ++i) {
        ASSERT_EQ(saves.next(now), kFirst);
        saves.failed(now);
        saves.hurry(now);
        const Mono::duration pause = saves.due().value() - now;
        EXPECT_EQ(pause, std::min<Mono::duration>(last * 2, limits::kDraftPauseMax));
        last = pause;
        now += pause;
    }
    EXPECT_EQ(last, limits::kDraftPauseMax);
    ASSERT_EQ(saves.next(now), kFirst);
    saves.kept(now, true);
    saves.touch(kFirst, now);
    EXPECT_EQ(saves.due(), now + limits::kDraftPause) << "what went well starts anew";
}

TEST(DraftSaves, ABrokerThatIsAwayIsLeftAloneAndToldWhenItIsBack) {
    DraftSaves saves;
    saves.touch(kFirst, kStart);
    EXPECT_FALSE(saves.due());
    saves.connected(kStart);
    ASSERT_EQ(saves.next(kStart), kFirst);
    saves.lost();
    saves.failed(kStart);
    EXPECT_FALSE(saves.due());
    saves.connected(kStart + milliseconds(1));
    EXPECT_EQ(saves.next(kStart + milliseconds(1)), kFirst);
}

}  // namespace
}  // namespace parley
