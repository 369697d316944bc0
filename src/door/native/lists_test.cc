// SPDX-License-Identifier: Apache-2.0
// Lists as long as the limits let them be, through the native door: bounded in bytes or written as
// they are read, nothing left out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/sizes.h"
#include "door/door_fixture.h"

namespace parley::door_testing {
namespace {

constexpr std::size_t kPartBytes = 3 * limits::kMiB / 2;
constexpr int kParts = 8;

std::size_t count_of(std::string_view piece, std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + 1)) ++count;
    return count;
}

// The document is larger than what a request's may be.
std::string next_of(const Reply& page) {
    constexpr std::string_view kNext = R"("next":")";
    const std::size_t at = page.body.rfind(kNext);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + kNext.size();
    return page.body.substr(begin, page.body.find('"', begin) - begin);
}

class NativeLists : public testing::Test {
protected:
    void push_large_parts() {
        const std::string text(kPartBytes, 'w');
        for (int i = 0; i < kParts; ++i) {
            const auto pushed = bot_.post(
                "/v1/sessions/chat/events",
                fmt::format(R"([{{"type":"text-end","part_id":"part-{}","text":"{}"}}])", i, text));
            ASSERT_EQ(pushed.status(), 202);
        }
    }
    std::size_t held_bytes() {
        return fixture_.on_loop([this] { return fixture_.counts().held_bytes; });
    }
    // Asks, and reads nothing of what comes: the server holds no more than `bytes_max` for it.
    void expect_bounded(std::string_view target, std::size_t bytes_max) {
        RawClient silent = ada_.connect();
        silent.send(ada_.encode("GET", target));
        fixture_.wait_until([this] { return fixture_.counts().held_bytes > 64 * limits::kKiB; });
        for (int turn = 0; turn < 1000; ++turn) ASSERT_LT(held_bytes(), bytes_max);
    }

    DoorFixture fixture_;
    Api bot_ = fixture_.as("bot");
    Api ada_ = fixture_.as("ada");
};

TEST_F(NativeLists, AllDraftsThatOnePersonMayHaveAreWrittenAsTheyAreRead) {
    const std::string body = fmt::format(R"({{"answers":[{{"selected":[],"other":"{}"}}]}})",
                                         std::string(1'000'000, 'w'));
    std::size_t kept = 0;
    while (ada_.put("/v1/asks/" + bot_.ask() + "/draft", body).status() == 200) ++kept;
    ASSERT_GT(kept, 30U);
    expect_bounded("/v1/drafts", 8 * limits::kMiB);
    const Reply all = ada_.get("/v1/drafts");
    EXPECT_EQ(all.status(), 200);
    EXPECT_EQ(count_of(R"("ask":"que_)", all.body), kept);
    EXPECT_GT(all.body.size(), kept * 1'000'000);
}

TEST_F(NativeLists, APageOfALogEndsWithTheEventThatReachesItsBytes) {
    bot_.ask();
    push_large_parts();
    std::vector<std::string> parts;
    std::string before;
    int pages = 0;
    do {
        const Reply page = ada_.get("/v1/sessions/chat/events?limit=1000" +
                                    (before.empty() ? "" : "&before=" + before));
        ASSERT_EQ(page.status(), 200);
        EXPECT_LT(page.body.size(), 4 * limits::kMiB + 2 * kPartBytes);
        for (int i = kParts; i-- > 0;) {
            const std::string name = fmt::format("part-{}", i);
            if (count_of('"' + name + '"', page.body) == 1) parts.push_back(name);
        }
        before = next_of(page);
        ++pages;
    } while (!before.empty() && pages < 20);
    EXPECT_GE(pages, 3);
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(kParts));
    for (int i = 0; i < kParts; ++i)
        EXPECT_EQ(parts[static_cast<std::size_t>(i)], fmt::format("part-{}", kParts - 1 - i));
}

TEST_F(NativeLists, AStreamThatCatchesUpHoldsLittleOfWhatItMissed) {
    bot_.ask();
    std::string from;
    {
        EventReader reader(ada_, "");
        for (const StreamedEvent& event : reader.read_to("snapshot.end")) from = event.id;
    }
    ASSERT_FALSE(from.empty());
    push_large_parts();
    expect_bounded("/v1/events?after=" + from, 8 * limits::kMiB);
    EventReader reader(ada_, "", from);
    for (int i = 0; i < kParts; ++i) {
        const auto event = reader.next();
        ASSERT_TRUE(event);
        EXPECT_EQ(event->type, "session.part");
        EXPECT_EQ(event->text("/part/part_id"), fmt::format("part-{}", i));
        EXPECT_EQ(event->text("/part/text").size(), kPartBytes);
    }
}

}  // namespace
}  // namespace parley::door_testing
