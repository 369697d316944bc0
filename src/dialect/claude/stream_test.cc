// SPDX-License-Identifier: Apache-2.0
#include "dialect/claude/stream.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "dialect/claude/control.h"
#include "dialect/stream_items.h"

namespace parley::claude {
namespace {

using testing::HasSubstr;

// What the reader makes of messages, as the native wire writes it, one item a line.
std::string items(StreamReader& reader, const std::vector<std::string>& messages) {
    std::string text;
    for (const std::string& message : messages) {
        for (const StreamItem& item : reader.read(json::parse(message).value())) {
            json::Writer out(text);
            native::write_item(out, item);
            text += '\n';
        }
    }
    return text;
}

std::string event(std::string_view type, std::string_view rest) {
    return fmt::format(R"({{"type":"stream_event","event":{{"type":"{}",{}}}}})", type, rest);
}

TEST(ClaudeStream, StreamsTextAndDoesNotRepeatIt) {
    StreamReader reader;
    const std::string text = items(
        reader,
        {event("message_start", R"("message":{"id":"m1"})"),
         event("content_block_start", R"("index":0,"content_block":{"type":"text","text":""})"),
         event("content_block_delta", R"("index":0,"delta":{"type":"text_delta","text":"Hi"})"),
         R"({"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"Hi"}]}})",
         event("content_block_stop", R"("index":0)")});
    EXPECT_THAT(text, HasSubstr(R"("type":"text-start","part_id":"m1-0")"));
    EXPECT_THAT(text, HasSubstr(R"({"type":"text-delta","part_id":"m1-0","text":"Hi"})"));
    EXPECT_THAT(text, HasSubstr(R"({"type":"text-end","part_id":"m1-0"})"));
    EXPECT_EQ(std::ranges::count(text, '\n'), 3);
}

TEST(ClaudeStream, PassesOnToolsThatNobodyKnows) {
    StreamReader reader;
    const std::string text =
        items(reader,
              {event("message_start", R"("message":{"id":"m1"})"),
               event("content_block_start",
                     R"("index":1,"content_block":{"type":"tool_use","id":"t1","name":"Odd"})"),
               event("content_block_delta",
                     R"("index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"})"),
               R"({"type":"assistant","message":{"id":"m1","content":[)"
               R"({"type":"tool_use","id":"t1","name":"Odd","input":{"a":1}}]}})"});
    EXPECT_THAT(text, HasSubstr(R"("type":"tool-input-start","call_id":"t1","tool":"Odd")"));
    EXPECT_THAT(text, HasSubstr(R"("type":"tool-input-delta","call_id":"t1")"));
    EXPECT_THAT(text, HasSubstr(R"("input":{"a":1})"));
}

TEST(ClaudeStream, RecordsThePersonsAnswerAsTheOutput) {
    StreamReader reader;
    reader.keep_answer("t1", R"({"answers":{"Q":"A"}})");
    const std::string text =
        items(reader, {R"({"type":"user","message":{"content":[)"
                       R"({"type":"tool_result","tool_use_id":"t1","content":"auto"},)"
                       R"({"type":"tool_result","tool_use_id":"t2","content":"no",)"
                       R"("is_error":true}]}})"});
    EXPECT_THAT(text, HasSubstr(R"("output":{"answers":{"Q":"A"}})"));
    EXPECT_THAT(text, HasSubstr(R"("output":"no","error":true)"));
    EXPECT_THAT(text, testing::Not(HasSubstr("auto")));
}

TEST(ClaudeControl, ReadsRequestsInAnyOrderOfKeys) {
    const auto line = read_cli_line(
        R"({"request":{"tool_use_id":"t1","input":{"x":1},"tool_name":"Bash","subtype":)"
        R"("can_use_tool","title":"T"},"request_id":"r1","type":"control_request"})");
    ASSERT_TRUE(line);
    const auto& request = std::get<ControlRequest>(*line);
    EXPECT_EQ(request.id, "r1");
    const auto& wish = std::get<ToolWish>(request.wish);
    EXPECT_EQ(wish.call_id, "t1");
    EXPECT_EQ(wish.permission.tool, "Bash");
    EXPECT_EQ(wish.permission.why, "T");
}

TEST(ClaudeControl, PassesOverWhatItDoesNotKnow) {
    EXPECT_TRUE(std::holds_alternative<Noise>(*read_cli_line(R"({"type":"keep_alive"})")));
    const auto heard = read_cli_line(
        R"({"type":"user","message":{"role":"user","content":"go"},"uuid":"u1","isReplay":true})");
    EXPECT_EQ(std::get<Heard>(*heard).id, "u1");
    EXPECT_THAT(user_line("go", "u1"), testing::HasSubstr(R"("uuid":"u1")"));
    EXPECT_FALSE(read_cli_line("plain text"));
    EXPECT_FALSE(read_cli_line("[1]"));
}

TEST(ClaudeControl, TellsAnInterruptedTurnFromAFailedOne) {
    const auto interrupted =
        read_cli_line(R"({"type":"result","subtype":"error_during_execution","is_error":true,)"
                      R"("terminal_reason":"aborted_tools"})");
    EXPECT_TRUE(std::get<TurnEnded>(*interrupted).is_interrupted);
    const auto failed = read_cli_line(R"({"type":"result","is_error":true,"result":"no credit"})");
    EXPECT_FALSE(std::get<TurnEnded>(*failed).is_interrupted);
    EXPECT_EQ(std::get<TurnEnded>(*failed).why, "no credit");
}

}  // namespace
}  // namespace parley::claude
