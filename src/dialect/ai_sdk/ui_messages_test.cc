// SPDX-License-Identifier: Apache-2.0
#include "dialect/ai_sdk/ui_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/properties_test.h"

namespace parley::ai_sdk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Ask drink(std::string call = "c1") {
    AskSpec spec{
        .questions = {
            {.text = "Which drink?", .header = "", .options = {{"Tea", ""}, {"Coffee", ""}}}}};
    if (!call.empty()) spec.tool = ToolCall{.message_id = "m", .call_id = std::move(call)};
    return {.id = AskId(),
            .session = SessionId(),
            .spec = std::make_shared<const AskSpec>(std::move(spec))};
}

Ask settled(Outcome outcome, std::string call = "c1") {
    Ask ask = drink(std::move(call));
    ask.settlement = std::make_shared<const Settlement>(
        Settlement{.outcome = outcome, .answers = {{.selected = {"Tea"}}}});
    return ask;
}

std::vector<std::string> types(const MessageStream::Chunks& chunks) {
    std::vector<std::string> all;
    for (const std::string& chunk : chunks)
        all.emplace_back(json::parse(chunk)->at("type").as_string());
    return all;
}

PartDelta delta(PartDelta::Kind kind, std::string id, std::string text) {
    return {.session = {}, .kind = kind, .part_id = std::move(id), .text = std::move(text)};
}

TEST(ToolResultBody, IsReadOrRefusedByName) {
    const auto read =
        read_tool_result(R"({"sessionId":"s","toolUseId":"t","answers":{"Which drink?":"Tea"}})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->session, "s");
    EXPECT_EQ(read_answers(drink().spec->questions, read->answers).value(),
              (Answers{{.selected = {"Tea"}}}));
    EXPECT_EQ(read_tool_result("{").error().message, "Invalid JSON");
    EXPECT_EQ(read_tool_result(R"({"answers":{}})").error().message,
              "Missing required fields: sessionId, toolUseId");
    EXPECT_THAT(
        read_tool_result(R"({"sessionId":"s","toolUseId":"t","answers":["Tea"]})").error().message,
        HasSubstr("answers"));
}

TEST(ChatBody, GivesWhatWasSaidAndWhatThePageAnswered) {
    const auto said =
        read_chat(R"({"id":"s","messages":[{"role":"user","parts":[{"type":"text","text":"a"},)"
                  R"({"type":"file","filename":"x.png","mediaType":"image/png","url":"data:,"},)"
                  R"({"type":"file"},{"type":"text","text":"b"}]}]})");
    EXPECT_EQ(said->said, "a\n[Attached: x.png (image/png)]\nb");
    const auto output = read_chat(
        R"({"id":"s","finishOnAsk":true,"messages":[{"id":"m","role":"assistant","parts":[)"
        R"({"type":"tool-Ask","toolCallId":"c","state":"output-available","output":"Tea"},)"
        R"({"type":"dynamic-tool","toolCallId":"d","state":"output-error","errorText":"no"},)"
        R"({"type":"tool-Ask","toolCallId":"e","state":"input-available"}]}]})");
    EXPECT_EQ(output->said, std::nullopt);
    EXPECT_EQ(output->message_id, "m");
    EXPECT_TRUE(output->finishes_on_ask);
    ASSERT_EQ(output->outputs.size(), 2u);
    EXPECT_EQ(output->outputs[1].error, "no");
    EXPECT_THAT(output->calls, ElementsAre("c", "d", "e"));
    EXPECT_EQ(read_output(drink().spec->questions, output->outputs[0].output).value(),
              (Answers{{.selected = {"Tea"}}}));
}

TEST(UiMessageStream, AnAskIsOneToolPart) {
    MessageStream message("m", {});
    MessageStream::Chunks chunks;
    message.start(chunks);
    message.open_ask(drink(), chunks);
    message.open_ask(drink(), chunks);
    message.settle_ask(settled(Outcome::answered), chunks);
    message.settle_ask(settled(Outcome::dismissed), chunks);
    EXPECT_THAT(types(chunks), ElementsAre("start", "start-step", "tool-input-start",
                                           "tool-input-available", "tool-output-available"));
    EXPECT_THAT(chunks.back(), HasSubstr(R"("output":{"answers":{"Which drink?":"Tea"}})"));
}

TEST(UiMessageStream, AnAskWithoutACallIsKnownByItsId) {
    EXPECT_EQ(call_of(drink("")), AskId().str());
    EXPECT_EQ(call_of(drink("toolu_1")), "toolu_1");
}

TEST(UiMessageStream, AKnownCallGetsItsOutputAndNoSecondInput) {
    MessageStream message("m", {"c1"});
    MessageStream::Chunks chunks;
    message.settle_ask(settled(Outcome::timed_out), chunks);
    EXPECT_THAT(types(chunks), ElementsAre("tool-output-error"));
}

TEST(UiMessageStream, ContentAfterOutputsIsANewStep) {
    MessageStream message("m", {});
    MessageStream::Chunks chunks;
    message.settle_ask(settled(Outcome::answered), chunks);
    chunks.clear();
    message.add(Part{.kind = Part::Kind::text, .part_id = "t", .body = "done"}, chunks);
    EXPECT_THAT(types(chunks),
                ElementsAre("finish-step", "start-step", "text-start", "text-delta", "text-end"));
    chunks.clear();
    message.finish(FinishReason::stop, chunks);
    EXPECT_THAT(types(chunks), ElementsAre("finish-step", "finish"));
    chunks.clear();
    message.finish(FinishReason::stop, chunks);
    message.open_ask(drink("c2"), chunks);
    EXPECT_TRUE(chunks.empty());
}

TEST(UiMessageStream, APartToldAgainSendsOnlyWhatIsNew) {
    MessageStream message("m", {});
    MessageStream::Chunks chunks;
    message.add(delta(PartDelta::Kind::text, "t", "ab"), chunks);
    PartDelta again = delta(PartDelta::Kind::text, "t", "abc");
    again.is_replacement = true;
    chunks.clear();
    message.add(again, chunks);
    EXPECT_THAT(chunks, ElementsAre(R"({"type":"text-delta","id":"t","delta":"c"})"));
    // A whole that differs is cut between characters.
    chunks.clear();
    message.add(Part{.kind = Part::Kind::text, .part_id = "t", .body = "éé"}, chunks);
    EXPECT_THAT(types(chunks), ElementsAre("text-end"));
}

// The rules by which the SDK's reader takes a stream, over whatever comes.
RC_GTEST_PROP(UiMessageStream, IsAcceptedWhateverComes, ()) {
    MessageStream message("m", {});
    MessageStream::Chunks chunks;
    message.start(chunks);
    const int steps = *rc::gen::inRange(0, 40);
    for (int i = 0; i < steps; ++i) {
        const std::string id = *rc::gen::element<std::string>("a", "b", "c");
        switch (*rc::gen::inRange(0, 9)) {
            case 0: message.add(delta(PartDelta::Kind::text, id, "x"), chunks); break;
            case 1: message.add(delta(PartDelta::Kind::tool_input, id, "{"), chunks); break;
            case 2:
                message.add(Part{.kind = Part::Kind::text, .part_id = id, .body = "xyz"}, chunks);
                break;
            case 3:
                message.add(Part{.kind = Part::Kind::tool_input, .part_id = id, .body = "{}"},
                            chunks);
                break;
            case 4:
                message.add(Part{.kind = Part::Kind::tool_input_error, .part_id = id, .body = "e"},
                            chunks);
                break;
            case 5:
                message.add(Part{.kind = Part::Kind::tool_output, .part_id = id, .body = "1"},
                            chunks);
                break;
            case 6: message.open_ask(drink(id), chunks); break;
            case 7: message.settle_ask(settled(Outcome::answered, id), chunks); break;
            default: message.settle_ask(settled(Outcome::withdrawn, id), chunks); break;
        }
    }
    message.finish(FinishReason::stop, chunks);
    std::map<std::string, int> texts;
    std::map<std::string, int> calls;  // 1 begun, 2 whole, 3 over
    for (const std::string& text : chunks) {
        const json::Value chunk = *json::parse(text);
        const std::string type(chunk.at("type").as_string());
        const auto* id = chunk.as_object().if_contains("id");
        const auto* call = chunk.as_object().if_contains("toolCallId");
        if (type == "text-start") RC_ASSERT(texts[std::string(id->as_string())]++ == 0);
        if (type == "text-delta") RC_ASSERT(texts[std::string(id->as_string())] == 1);
        if (type == "text-end") RC_ASSERT(texts[std::string(id->as_string())]-- == 1);
        if (type == "finish-step")
            for (const auto& [each, open] : texts) RC_ASSERT(open == 0);
        if (call == nullptr) continue;
        int& state = calls[std::string(call->as_string())];
        RC_ASSERT(type != "tool-input-error");
        if (type == "tool-input-start") RC_ASSERT(state == 0);
        if (type == "tool-input-delta" || type == "tool-input-available") RC_ASSERT(state == 1);
        if (type.starts_with("tool-output")) RC_ASSERT(state == 1 || state == 2);
        state = type == "tool-input-available" ? 2 : type.starts_with("tool-output") ? 3 : 1;
    }
    RC_ASSERT(types(chunks).back() == "finish");
}

}  // namespace
}  // namespace parley::ai_sdk
