// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/waiting_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/json.h"

namespace parley::app {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const Instant kNow{1'700'000'000'000ms};

AskPtr ask(std::uint64_t number, std::string text, Urgency urgency = Urgency::normal) {
    AskSpec spec{.questions = {{.text = std::move(text), .header = "Release", .options = {}}},
                 .urgency = urgency};
    return std::make_shared<const Ask>(Ask{.id = AskId({0, number}),
                                           .session = SessionId({0, 1}),
                                           .spec = std::make_shared<const AskSpec>(spec),
                                           .created_at = kNow});
}

TEST(WaitingText, NothingWaits) {
    EXPECT_EQ(waiting_line({}, kNow), "Nothing waits.");
    EXPECT_EQ(waiting_document(Waiting{}),
              R"({"reachable":true,"waiting":0,"more":false,"urgent":0})");
    EXPECT_EQ(waiting_document({}), R"({"reachable":false})");
}

TEST(WaitingText, TheFirstIsWhatIsUrgentThenWhatIsOld) {
    Waiting waiting;
    waiting.add(ask(2, "Second?"));
    waiting.add(ask(1, "First?"));
    EXPECT_EQ(waiting_line(waiting, kNow), "2 waiting: Release: First?");
    waiting.add(ask(4, "Fourth?", Urgency::high));
    waiting.add(ask(3, "Third?", Urgency::high));
    EXPECT_EQ(waiting_line(waiting, kNow), "4 waiting, 2 urgent: Release: Third?");
}

TEST(WaitingText, TheNextDeadlineIsToldAndNeverNegative) {
    Waiting waiting;
    auto late = std::make_shared<Ask>(*ask(1, "Late?"));
    late->deadline = kNow + 5min;
    auto soon = std::make_shared<Ask>(*ask(2, "Soon?"));
    soon->deadline = kNow + 45s;
    waiting.add(late);
    waiting.add(soon);
    EXPECT_THAT(waiting_line(waiting, kNow), HasSubstr("2 waiting, 45 s left: "));
    EXPECT_THAT(waiting_line(waiting, kNow + 1min), HasSubstr(", 0 s left: "));
}

// One line, whatever is asked and however long.
TEST(WaitingText, AQuestionIsOneShortLine) {
    Waiting waiting;
    waiting.add(ask(1, "One\nand \x1b[2Jtwo " + std::string(500, 'x')));
    waiting.has_more = true;
    const std::string line = waiting_line(waiting, kNow);
    EXPECT_THAT(line, HasSubstr("1+ waiting: "));
    EXPECT_LT(line.size(), 120u);
    EXPECT_THAT(line, Not(HasSubstr("\n")));
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
    EXPECT_TRUE(json::parse(waiting_document(waiting)));
}

}  // namespace
}  // namespace parley::app
