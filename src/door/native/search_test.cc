// SPDX-License-Identifier: Apache-2.0
// Lists by words, where the asks are as large as they may be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/sizes.h"
#include "door/door_fixture.h"
#include "door/native/limits.h"

namespace parley {
namespace {

using namespace door_testing;

// About a mebibyte each; `word` stands at the end.
std::string large_ask(std::string_view word) {
    return fmt::format(
        R"({{"question":"May it?","options":["Yes","No"],"permission":{{"tool":"Save",)"
        R"("input":{{"text":"{}{}"}}}}}})",
        std::string(limits::kMiB - 100, 'a'), word);
}

// Such a page is larger than what our own reader takes.
std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}
std::string next_of(std::string_view page) {
    constexpr std::string_view kNext = R"("next":")";
    const std::size_t at = page.rfind(kNext);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = page.substr(at + kNext.size());
    return std::string(rest.substr(0, rest.find('"')));
}

// One request can hold the loop for so long, and make so large an answer, and no more.
TEST(NativeSearch, ASearchThroughLargeAsksGoesOnInFurtherRequests) {
    DoorFixture fixture;
    Api bot = fixture.as("bot");
    Api ada = fixture.as("ada");
    const std::size_t count = limits::kSearchedBytes / limits::kMiB + 4;
    for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(bot.post("/v1/asks", large_ask(i + 1 == count ? "needle" : "hay")).status(), 201);
    for (const std::string_view query :
         {"q=needle", "q=may", "state=pending,answered", "state=pending", "order=newest"}) {
        std::size_t found = 0;
        std::size_t pages = 0;
        std::string after;
        do {
            const Reply page = ada.get(fmt::format("/v1/asks?limit=1000&{}{}", query, after));
            ASSERT_EQ(page.status(), 200) << page.body;
            EXPECT_LT(page.body.size(), limits::kListedBytes + 2 * limits::kMiB);
            found += count_of(page.body, R"({"id":"que_)");
            after = "&after=" + next_of(page.body);
            ++pages;
        } while (after != "&after=");
        if (query == "q=needle") {
            EXPECT_EQ(pages, 2U) << "what does not fit is looked through, and not listed";
            EXPECT_EQ(found, 1U);
        } else {
            EXPECT_GE(pages, count * limits::kMiB / (limits::kListedBytes + limits::kMiB)) << query;
            EXPECT_EQ(found, count) << query;
        }
    }
}

// What an agent may not see is not looked through.
TEST(NativeSearch, AnAgentsSearchFindsItsOwnBehindTheAsksOfAnother) {
    DoorFixture fixture;
    Api bot = fixture.as("bot");
    Api rival = fixture.as("rival");
    for (std::size_t i = 0; i < limits::kSearchedBytes / limits::kMiB + 4; ++i)
        ASSERT_EQ(bot.post("/v1/asks", large_ask("hay")).status(), 201);
    const Reply own = rival.post("/v1/asks", large_ask("hay"));
    ASSERT_EQ(own.status(), 201);
    for (const auto* query : {"q=may", "q=may&state=pending", "state=pending"}) {
        const Reply found = rival.get(fmt::format("/v1/asks?{}", query));
        EXPECT_EQ(count_of(found.body, R"({"id":"que_)"), 1U) << query;
        EXPECT_EQ(next_of(found.body), "") << query;
    }
}

}  // namespace
}  // namespace parley
