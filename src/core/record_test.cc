// SPDX-License-Identifier: Apache-2.0
#include "core/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/arbitrary_values_test.h"
#include "core/limits.h"

namespace parley {
namespace {

TEST(Record, IsCompactAndReadable) {
    AskSpec spec;
    spec.questions = {{.text = "Which database?",
                       .header = "DB",
                       .options = {{.label = "PostgreSQL", .description = "Yours"},
                                   {.label = "SQLite", .description = ""}}}};
    spec.asker = "ada";
    spec.timeout = Millis(1500);
    EXPECT_EQ(to_record(spec),
              R"({"questions":[{"question":"Which database?","header":"DB","options":)"
              R"([{"label":"PostgreSQL","description":"Yours"},{"label":"SQLite"}]}],)"
              R"("asker":"ada","timeout_ms":1500})");
}

TEST(Record, ReadsWhatANewerVersionAddedTo) {
    const auto spec = spec_from_record(
        R"({"questions":[{"question":"Q?","header":"H","mood":"calm"}],"colour":"red"})");
    ASSERT_TRUE(spec.has_value());
    EXPECT_EQ(spec->questions.at(0).text, "Q?");
    EXPECT_TRUE(spec->dismissible);
}

TEST(Record, WhatCannotBeReadIsCorruptAndSaysWhere) {
    const auto broken = spec_from_record("{\"questions\":[");
    ASSERT_FALSE(broken.has_value());
    EXPECT_EQ(broken.error().code, ErrorCode::corrupt);
    EXPECT_EQ(broken.error().message,
              "a stored ask cannot be read: not valid JSON: it ends too early, at byte 14");
    const auto odd = settlement_from_record(R"({"outcome":"maybe","at":"2026-01-01T00:00:00Z"})");
    ASSERT_FALSE(odd.has_value());
    EXPECT_EQ(odd.error().code, ErrorCode::corrupt);
    EXPECT_THAT(odd.error().message,
                testing::StartsWith("a stored settlement cannot be read: /outcome expected"));
    EXPECT_EQ(session_from_record("[]").error().code, ErrorCode::corrupt);
    EXPECT_EQ(part_from_record("{}").error().code, ErrorCode::corrupt);
    EXPECT_EQ(draft_from_record("7").error().code, ErrorCode::corrupt);
    EXPECT_EQ(message_from_record(R"({"id":"x","text":"y"})").error().code, ErrorCode::corrupt);
    EXPECT_EQ(notice_from_record(R"({"text":5})").error().code, ErrorCode::corrupt);
    EXPECT_EQ(snooze_from_record(R"({"until":"soon"})").error().code, ErrorCode::corrupt);
}

TEST(Record, HoldsTheLongestAnswerWithEveryByteEscaped) {
    const Draft draft{
        .answers = Answers(4, Answer{.other = std::string(limits::kAnswerTextBytes, '\x01')}),
        .device = "phone",
        .version = 3};
    const auto read = draft_from_record(to_record(draft));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, draft);
}

TEST(Record, ADraftOfOldIsABareListAndTheFirstOfItsVersions) {
    const auto read = draft_from_record(R"([{"selected":[],"other":"half"}])");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, (Draft{.answers = {{.other = "half"}}, .version = 1}));
}

RC_GTEST_PROP(Record, GivesASpecBack, ()) {
    AskSpec spec = *arbitrary::spec();
    spec.asker = *rc::gen::element<std::string>("", "ada");
    if (*rc::gen::arbitrary<bool>()) spec.default_answers = *arbitrary::answers(spec.questions);
    const auto read = spec_from_record(to_record(spec));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == spec);
}

RC_GTEST_PROP(Record, GivesASettlementBack, ()) {
    const Settlement settlement = *arbitrary::settlement(*arbitrary::questions());
    const auto read = settlement_from_record(to_record(settlement));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == settlement);
}

RC_GTEST_PROP(Record, GivesASessionBack, ()) {
    const Session session = *arbitrary::session();
    const auto read = session_from_record(to_record(session));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == session);
}

RC_GTEST_PROP(Record, GivesAPartBack, ()) {
    const Part part = {.kind = *arbitrary::any_of<Part::Kind>(),
                       .part_id = *arbitrary::text(),
                       .tool = *rc::gen::element<std::string>("", "Bash"),
                       .body = *arbitrary::text(),
                       .is_error = *rc::gen::arbitrary<bool>()};
    const auto read = part_from_record(to_record(part));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == part);
}

RC_GTEST_PROP(Record, GivesASnoozeBack, ()) {
    SnoozeChanged snooze = {.ask = {}, .principal = *arbitrary::label(), .until = {}};
    if (*rc::gen::arbitrary<bool>()) snooze.until = *arbitrary::instant();
    const auto read = snooze_from_record(to_record(snooze));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->principal == snooze.principal && read->until == snooze.until);
}

RC_GTEST_PROP(Record, GivesMessagesAndNoticesBack, ()) {
    const MessageAdded message = {
        .id = *arbitrary::id<MessageId>(), .text = *arbitrary::text(), .by = *arbitrary::decider()};
    const auto read = message_from_record(to_record(message));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->id == message.id);
    RC_ASSERT(read->text == message.text);
    RC_ASSERT(read->by == message.by);
    const NoticeGiven notice = {.text = *arbitrary::text(),
                                .level = *arbitrary::any_of<NoticeGiven::Level>()};
    const auto read_notice = notice_from_record(to_record(notice));
    RC_ASSERT(read_notice.has_value());
    RC_ASSERT(read_notice->text == notice.text);
    RC_ASSERT(read_notice->level == notice.level);
}

}  // namespace
}  // namespace parley
