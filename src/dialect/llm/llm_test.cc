// SPDX-License-Identifier: Apache-2.0
// The two APIs: what their streams add up to, and what they are sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fields.h"
#include "dialect/llm/context.h"
#include "dialect/llm/journal.h"
#include "dialect/llm/models.h"
#include "dialect/llm/refusal.h"
#include "dialect/llm/request.h"
#include "dialect/llm/response_reader.h"
#include "dialect/llm/tools.h"
#include "text/json.h"

namespace parley::llm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const AskId kAsk = *AskId::parse("que_01jd2m6x9k0000000000000001");

// Feeds the events and gives what was shown, one piece after the other.
std::string feed(ResponseReader& reader, const std::vector<std::string>& events) {
    std::string shown;
    for (const std::string& event : events) {
        const auto pieces = reader.take(event);
        EXPECT_TRUE(pieces) << event;
        if (!pieces) return shown;
        for (const auto& piece : *pieces) shown += std::to_string(piece.block) + piece.text + "|";
    }
    return shown;
}

TEST(AnthropicReader, AddsBlocksUpByTheirIndex) {
    const auto reader = make_reader(Api::anthropic);
    const std::string shown = feed(
        *reader,
        {R"({"type":"message_start","message":{"usage":{"input_tokens":10,)"
         R"("cache_read_input_tokens":90,"output_tokens":1}}})",
         R"({"type":"content_block_start","index":0,)"
         R"("content_block":{"type":"thinking","thinking":"","signature":""}})",
         R"({"type":"content_block_delta","index":0,)"
         R"("delta":{"type":"thinking_delta","thinking":"Hm"}})",
         R"({"type":"content_block_delta","index":0,)"
         R"("delta":{"type":"signature_delta","signature":"sig"}})",
         R"({"type":"content_block_stop","index":0})", R"({"type":"ping"})",
         R"({"type":"content_block_start","index":1,"content_block":{"type":"new_kind","x":1}})",
         R"({"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}})",
         R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Let "}})",
         R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"me"}})",
         R"({"type":"content_block_start","index":3,)"
         R"("content_block":{"type":"tool_use","id":"toolu_1",)"
         R"("name":"AskUserQuestion","input":{}}})",
         R"({"type":"content_block_delta","index":3,)"
         R"("delta":{"type":"input_json_delta","partial_json":"{\"a\""}})",
         R"({"type":"content_block_delta","index":3,)"
         R"("delta":{"type":"input_json_delta","partial_json":":1}"}})",
         R"({"type":"content_block_start","index":4,)"
         R"("content_block":{"type":"tool_use","id":"toolu_2","name":"x",)"
         R"("input":{"b":2}}})",
         R"({"type":"content_block_start","index":5,)"
         R"("content_block":{"type":"redacted_thinking","data":"zzz"}})",
         R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},)"
         R"("usage":{"output_tokens":25}})"});
    EXPECT_EQ(shown, "1Let |1me|");
    EXPECT_FALSE(reader->may_end()) << "the end has not been told";
    EXPECT_EQ(feed(*reader, {R"({"type":"message_stop"})"}), "");
    EXPECT_TRUE(reader->is_whole());
    const Response response = reader->response();
    EXPECT_EQ(response.blocks,
              (std::vector<Block>{ThinkingBlock{"Hm", "sig"}, TextBlock{"Let me"},
                                  CallBlock{"toolu_1", "AskUserQuestion", "{\"a\":1}"},
                                  CallBlock{"toolu_2", "x", "{\"b\":2}"}, SealedBlock{"zzz"}}));
    EXPECT_EQ(response.usage, (Usage{.input = 100, .cached = 90, .output = 25}));
    EXPECT_EQ(response.stop, Response::Stop::done);
}

TEST(AnthropicReader, TellsErrorsThatPassFromThoseThatStay) {
    const auto reader = make_reader(Api::anthropic);
    const auto overloaded = reader->take(
        R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})");
    ASSERT_FALSE(overloaded);
    EXPECT_EQ(overloaded.error().code, ErrorCode::unavailable);
    EXPECT_EQ(overloaded.error().message, "Overloaded");
    const auto invalid =
        reader->take(R"({"type":"error","error":{"type":"invalid_request_error","message":"no"}})");
    ASSERT_FALSE(invalid);
    EXPECT_EQ(invalid.error().code, ErrorCode::denied);
    EXPECT_EQ(reader->take("{\"type\":").error().code, ErrorCode::unavailable);
}

TEST(OpenAiReader, AddsCallsUpByIndexAndCountsWhatIsCached) {
    const auto reader = make_reader(Api::openai);
    const std::string shown = feed(
        *reader,
        {R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},)"
         R"("finish_reason":null}]})",
         R"({"choices":[{"index":0,"delta":{"content":"Two "}}]})",
         R"({"choices":[{"index":0,"delta":{"content":"things"}}]})",
         R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c0",)"
         R"("type":"function","function":{"name":"AskUserQuestion",)"
         R"("arguments":""}}]}}]})",
         R"({"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c1",)"
         R"("function":{"name":"wait_answer","arguments":"{\"x\""}}]}}]})",
         R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]})",
         R"({"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":":1}"}}]}}]})",
         R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})",
         R"({"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":7,)"
         R"("prompt_tokens_details":{"cached_tokens":32}}})"});
    EXPECT_EQ(shown, "0Two |0things|");
    EXPECT_FALSE(reader->is_whole());
    EXPECT_TRUE(reader->may_end()) << "many servers forget [DONE]";
    EXPECT_TRUE(reader->take("[DONE]"));
    EXPECT_TRUE(reader->is_whole());
    EXPECT_EQ(reader->response().blocks,
              (std::vector<Block>{TextBlock{"Two things"}, CallBlock{"c0", "AskUserQuestion", "{}"},
                                  CallBlock{"c1", "wait_answer", "{\"x\":1}"}}));
    EXPECT_EQ(reader->response().usage, (Usage{.input = 50, .cached = 32, .output = 7}));
}

// As local servers have it: no index, no id, the name in every fragment, an object for the input.
TEST(OpenAiReader, TakesCallsWithoutIndexOrId) {
    const auto reader = make_reader(Api::openai);
    feed(*reader, {R"({"choices":[{"delta":{"tool_calls":[{"function":{"name":"a",)"
                   R"("arguments":{"x":1}}},{"function":{"name":"b","arguments":"{"}}]}}]})",
                   R"({"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]})",
                   R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"});
    EXPECT_EQ(reader->response().blocks,
              (std::vector<Block>{TextBlock{""}, CallBlock{"", "a", "{\"x\":1}"},
                                  CallBlock{"", "b", "{}"}}));
    const auto all_zero = make_reader(Api::openai);
    feed(*all_zero, {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"p",)"
                     R"("function":{"name":"a","arguments":"1"}}]}}]})",
                     R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"q",)"
                     R"("function":{"name":"b","arguments":"2"}}]}}]})"});
    EXPECT_EQ(calls_of(all_zero->response()),
              (std::vector<CallBlock>{{"p", "a", "1"}, {"q", "b", "2"}}));
}

TEST(OpenAiReader, ShowsARefusalAndNamesErrors) {
    const auto reader = make_reader(Api::openai);
    EXPECT_EQ(feed(*reader, {R"({"choices":[{"delta":{"refusal":"I will not."}}]})",
                             R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"}),
              "0I will not.|");
    EXPECT_EQ(reader->response().stop, Response::Stop::refused);
    EXPECT_EQ(reader->take(R"({"error":{"message":"busy","type":"server_error"}})").error().code,
              ErrorCode::unavailable);
    EXPECT_EQ(reader->take(R"({"error":"it broke"})").error().message, "it broke");
}

TEST(Reader, AReplyOverTheLimitIsAnError) {
    const auto reader = make_reader(Api::openai);
    const std::string event =
        R"({"choices":[{"delta":{"content":")" + std::string(1 << 20, 'x') + R"("}}]})";
    bool was_refused = false;
    for (int i = 0; i < 20 && !was_refused; ++i) {
        const auto taken = reader->take(event);
        was_refused = !taken && taken.error().code == ErrorCode::too_large;
    }
    EXPECT_TRUE(was_refused);
}

// --- what is sent ---

Response saying(std::string text, std::vector<CallBlock> calls = {}) {
    Response response;
    response.blocks.emplace_back(TextBlock{std::move(text)});
    for (CallBlock& call : calls) response.blocks.emplace_back(std::move(call));
    return response;
}

ModelConversation two_calls() {
    ModelConversation talk;
    talk.add(UserSaid{{"Hello", "and this"}});
    Response response = saying("Two", {{"b", "AskUserQuestion", "{\"q\":1}"}, {"a", "odd", "{"}});
    response.blocks.insert(response.blocks.begin(), ThinkingBlock{"Hm", "sig"});
    talk.add(ModelSaid{std::move(response)});
    talk.add(CallDone{.call_id = "a", .text = "no tool", .is_error = true});
    talk.add(CallDone{.call_id = "b", .text = "blue"});
    return talk;
}

json::Value sent(const ModelProfile& profile, const ModelConversation& talk,
                 std::size_t tokens = 100'000, Wishes wishes = {}) {
    const std::string body = write_request(profile, trim(talk, tokens), wishes);
    auto value = json::parse(body);
    EXPECT_TRUE(value) << body;
    return value.value_or(json::Value());
}

TEST(Request, AnthropicHasResultsInTheOrderOfTheCalls) {
    const json::Value body =
        sent({.api = Api::anthropic, .model = "m", .system = "Be brief"}, two_calls());
    EXPECT_EQ(json::text_field(body, "system"), "Be brief");
    EXPECT_TRUE(json::is_true(body, "stream"));
    EXPECT_EQ(
        json::serialize(json::field(body, "messages")),
        R"([{"role":"user","content":[{"type":"text","text":"Hello"},)"
        R"({"type":"text","text":"and this"}]},)"
        R"({"role":"assistant","content":[{"type":"thinking","thinking":"Hm",)"
        R"("signature":"sig"},{"type":"text","text":"Two"},)"
        R"({"type":"tool_use","id":"b","name":"AskUserQuestion","input":{"q":1}},)"
        R"({"type":"tool_use","id":"a","name":"odd","input":{"unreadable_input":"{"}}]},)"
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"blue"},)"
        R"({"type":"tool_result","tool_use_id":"a","content":"no tool",)"
        R"("is_error":true,"cache_control":{"type":"ephemeral"}}]}])");
}

TEST(Request, OpenAiHasThemAsMessagesOfTheirOwn) {
    const json::Value body =
        sent({.api = Api::openai, .model = "m", .system = "Be brief"}, two_calls());
    EXPECT_TRUE(json::is_true(json::field(body, "stream_options"), "include_usage"));
    EXPECT_TRUE(json::field(body, "max_tokens").is_null());
    EXPECT_EQ(json::serialize(json::field(body, "messages")),
              R"([{"role":"system","content":"Be brief"},{"role":"user",)"
              R"("content":"Hello\n\nand this"},)"
              R"({"role":"assistant","content":"Two","tool_calls":[)"
              R"({"id":"b","type":"function","function":{"name":"AskUserQuestion",)"
              R"("arguments":"{\"q\":1}"}},)"
              R"({"id":"a","type":"function","function":{"name":"odd",)"
              R"("arguments":"{\"unreadable_input\":\"{\"}"}}]},)"
              R"({"role":"tool","tool_call_id":"b","content":"blue"},{"role":"tool",)"
              R"("tool_call_id":"a","content":"no tool"}])");
}

// Templates of local models refuse two of one role in a row, with every request that has them.
TEST(Request, OpenAisRolesAlternateWhateverBecameOfTheTurns) {
    ModelConversation talk;
    talk.add(UserSaid{.texts = {"one", "two"}});
    talk.add(TurnStopped());
    talk.add(UserSaid{.texts = {"three"}});
    talk.add(ModelSaid{{.blocks = {}}});
    talk.add(UserSaid{.texts = {"four"}});
    talk.add(ModelSaid{{.blocks = {CallBlock{"a", "AskUserQuestion", "{}"}}}});
    talk.add(TurnStopped());
    talk.add(UserSaid{.texts = {"five"}});
    const json::Value body = sent({.api = Api::openai, .model = "m"}, talk);
    std::string roles;
    for (const json::Value& message : *json::list_field(body, "messages"))
        roles +=
            json::text_field(message, "role") + " " + json::text_field(message, "content") + "|";
    EXPECT_EQ(roles,
              "user one\n\ntwo\n\nthree\n\nfour|assistant |"
              "tool There is no result: the turn was stopped.|"
              "assistant (The turn ended here.)|user five|");
}

TEST(Request, AsksForCountsAndLengthAsTheServerKnowsThem) {
    const ModelProfile profile{.api = Api::openai, .model = "m", .max_tokens = 7};
    const json::Value old = sent(profile, two_calls(), 9999, {.wants_usage = false});
    EXPECT_TRUE(json::field(old, "stream_options").is_null());
    EXPECT_EQ(json::field(old, "max_tokens").as_int64(), 7);
    const json::Value own = sent(profile, two_calls(), 9999, {.has_new_names = true});
    EXPECT_EQ(json::field(own, "max_completion_tokens").as_int64(), 7);
}

TEST(Request, OffersTheAskToolOfTheStrictProfileAndWaitAnswer) {
    for (const Api api : {Api::anthropic, Api::openai}) {
        const json::Value body = sent({.api = api, .model = "m"}, two_calls());
        const std::string tools = json::serialize(json::field(body, "tools"));
        EXPECT_THAT(tools, HasSubstr(R"("name":"AskUserQuestion")"));
        EXPECT_THAT(tools, HasSubstr(R"("maxItems":4)"));
        EXPECT_THAT(tools, HasSubstr(R"("blocking")"));
        EXPECT_THAT(tools, HasSubstr(R"("name":"wait_answer")"));
    }
}

TEST(Request, GivesReasoningBackUntilTheTurnIsOver) {
    ModelConversation talk;
    talk.add(UserSaid{{"Hello"}});
    Response response = saying("", {{"a", "AskUserQuestion", "{}"}});
    response.blocks.emplace_back(ThinkingBlock{"because"});
    talk.add(ModelSaid{response});
    talk.add(CallDone{.call_id = "a", .text = "yes"});
    const ModelProfile profile{.api = Api::openai, .model = "m"};
    EXPECT_THAT(json::serialize(sent(profile, talk)),
                HasSubstr(R"("reasoning_content":"because")"));
    talk.add(ModelSaid{saying("Done")});
    talk.add(UserSaid{{"More"}});
    EXPECT_THAT(json::serialize(sent(profile, talk)), Not(HasSubstr("reasoning_content")));
}

TEST(Request, FindsThePathThatAServerHas) {
    EXPECT_EQ(request_path(Api::anthropic, ""), "/v1/messages");
    EXPECT_EQ(request_path(Api::anthropic, "/"), "/v1/messages");
    EXPECT_EQ(request_path(Api::anthropic, "/v1"), "/messages");
    EXPECT_EQ(request_path(Api::anthropic, "/anthropic/"), "/v1/messages");
    EXPECT_EQ(request_path(Api::openai, ""), "/v1/chat/completions");
    EXPECT_EQ(request_path(Api::openai, "/v1/"), "/chat/completions");
    EXPECT_EQ(request_path(Api::openai, "/openai/v2"), "/chat/completions");
    EXPECT_EQ(request_path(Api::openai, "/x/chat/completions"), "");
}

TEST(Models, AreListedBesideTheRequests) {
    EXPECT_EQ(models_path(Api::anthropic, ""), "/v1/models?limit=1000");
    EXPECT_EQ(models_path(Api::anthropic, "/v1/"), "/models?limit=1000");
    EXPECT_EQ(models_path(Api::openai, ""), "/v1/models");
    EXPECT_EQ(models_path(Api::openai, "/openai/v2"), "/models");
    EXPECT_THAT(*read_models(R"({"object":"list","data":[{"id":"a"},{"id":""},7,{"id":"b"}]})"),
                ElementsAre("a", "b"));
    EXPECT_THAT(*read_models(R"({"data":[]})"), IsEmpty());
    for (const char* other : {"", "<html>", "{}", "[]", R"({"data":{"id":"a"}})"})
        EXPECT_FALSE(read_models(other)) << other;
}

// --- the context ---

ModelConversation turns(int count) {
    ModelConversation talk;
    for (int i = 0; i < count; ++i) {
        const std::string id = "call" + std::to_string(i);
        talk.add(UserSaid{{"message " + std::to_string(i) + std::string(400, '.')}});
        talk.add(ModelSaid{saying("asking", {{id, "AskUserQuestion", "{}"}})});
        talk.add(CallDone{.call_id = id, .text = "answer " + std::to_string(i)});
        talk.add(ModelSaid{saying("reply " + std::to_string(i))});
    }
    talk.add(UserSaid{{"the last"}});
    return talk;
}

TEST(Context, LeavesOutWholeTurnsOldestFirstAndKeepsTheFirstMessage) {
    const ModelConversation talk = turns(6);
    EXPECT_EQ(trim(talk, 100'000).left_out, 0U);
    const ModelProfile profile{.api = Api::anthropic, .model = "m"};
    for (std::size_t room = 100; room < 1200; room += 20) {
        const Context context = trim(talk, room);
        const std::string text = write_request(profile, context, {});
        EXPECT_THAT(text, HasSubstr("message 0"));
        EXPECT_THAT(text, HasSubstr("the last"));
        bool has_earlier = false;
        for (int i = 1; i < 6; ++i) {
            const bool is_there = text.find("message " + std::to_string(i)) != std::string::npos;
            EXPECT_EQ(is_there, text.find("answer " + std::to_string(i)) != std::string::npos);
            EXPECT_EQ(is_there, text.find("reply " + std::to_string(i)) != std::string::npos);
            EXPECT_TRUE(is_there || !has_earlier) << "the oldest go first";
            has_earlier = is_there;
        }
        EXPECT_EQ(context.left_out > 0, text.find("left out here") != std::string::npos);
    }
}

// One turn can be too long by itself: then its oldest rounds go, each a reply with its results.
TEST(Context, LeavesOutRoundsOfTheLastTurnAtLast) {
    ModelConversation talk;
    talk.add(UserSaid{{"go"}});
    for (int i = 0; i < 5; ++i) {
        const std::string id = "call" + std::to_string(i);
        talk.add(ModelSaid{saying(std::string(400, 'x'), {{id, "AskUserQuestion", "{}"}})});
        talk.add(CallDone{.call_id = id, .text = "answer"});
    }
    const Context context = trim(talk, 10);
    ASSERT_EQ(context.entries.size(), 3U);
    EXPECT_EQ(context.left_out, 4U);
    EXPECT_TRUE(std::holds_alternative<UserSaid>(*context.entries[0]));
    EXPECT_EQ(std::get<CallDone>(*context.entries[2]).call_id, "call4");
}

// --- the conversation ---

TEST(ModelConversation, SaysWhatComesNextAfterEachEntry) {
    ModelConversation talk;
    EXPECT_EQ(talk.next(), Step::listen);
    talk.add(UserSaid{{"Hello"}});
    EXPECT_EQ(talk.next(), Step::request);
    talk.add(ModelSaid{saying("", {{"a", "x", "{}"}, {"b", "y", "{}"}})});
    EXPECT_EQ(talk.next(), Step::calls);
    talk.add(CallDone{.call_id = "b", .text = "pending", .left_open = kAsk});
    EXPECT_EQ(talk.next(), Step::calls);
    ASSERT_EQ(talk.open_calls().size(), 1U);
    EXPECT_EQ(talk.open_calls()[0].id, "a");
    talk.add(CallDone{.call_id = "a", .text = "blue"});
    EXPECT_EQ(talk.next(), Step::request);
    talk.add(ModelSaid{saying("Done")});
    EXPECT_EQ(talk.next(), Step::listen);
    EXPECT_EQ(talk.left_open().size(), 1U);
    talk.add(UserSaid{.texts = {"late"}, .settled = {kAsk}});
    EXPECT_TRUE(talk.left_open().empty());
    talk.add(TurnStopped());
    EXPECT_EQ(talk.next(), Step::listen);
    EXPECT_EQ(talk.responses(), 2U);
}

TEST(ModelConversation, GivesEveryCallAnIdOfItsOwn) {
    ModelConversation talk;
    talk.add(UserSaid{{"Hello"}});
    talk.add(ModelSaid{saying("", {{"call_0", "x", "{}"}})});
    Response response = saying("", {{"call_0", "x", "{}"},
                                    {"", "y", "{}"},
                                    {"ok", "z", "{}"},
                                    {"ok", "z", "{}"},
                                    {"a b", "z", "{}"}});
    talk.name_calls(response);
    std::vector<std::string> ids;
    for (const CallBlock& call : calls_of(response)) ids.push_back(call.id);
    EXPECT_THAT(ids, ::testing::ElementsAre("call_1_0", "call_1_1", "ok", "call_1_3", "call_1_4"));
}

TEST(Journal, ReadsBackWhatItWrites) {
    Response response = saying("a\n\"b\"", {{"id", "tool", "{broken"}});
    response.blocks.emplace_back(ThinkingBlock{"t", "s"});
    response.blocks.emplace_back(SealedBlock{"d"});
    response.usage = {.input = 3, .cached = 2, .output = 1};
    response.stop = Response::Stop::length;
    const std::vector<JournalLine> lines = {
        ModelProfile{.api = Api::openai,
                     .base_url = "http://127.0.0.1:1/v1",
                     .model = "m",
                     .system = "s\ns",
                     .max_tokens = 5,
                     .context_tokens = 900},
        Entry(UserSaid{.texts = {"x", ""},
                       .up_to = *MessageId::parse("msg_01jd2m6x9k0000000000000001"),
                       .settled = {kAsk}}),
        Entry(ModelSaid{response}),
        Entry(CallDone{.call_id = "id", .text = "t", .is_error = true, .left_open = kAsk}),
        Entry(CallDone{.call_id = "id", .text = "", .settled = kAsk}),
        Entry(TurnStopped()),
    };
    for (const JournalLine& line : lines) {
        const std::string text = write_line(line);
        EXPECT_EQ(text.find('\n'), std::string::npos);
        const auto read = read_line(text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(*read, line) << text;
    }
    EXPECT_FALSE(read_line("{}"));
    EXPECT_FALSE(read_line("{\"type\":\"model\",\"blocks\":[]}"));
}

// --- calls ---

TEST(Tools, NameEveryFaultOfACall) {
    const Wish wish =
        read_call({"a", "AskUserQuestion",
                   R"({"questions":[{"question":"","header":"H","options":[{"label":"one",)"
                   R"("description":""}],"multiSelect":"no"}]})"});
    const auto* bad = std::get_if<BadCall>(&wish);
    ASSERT_NE(bad, nullptr);
    EXPECT_THAT(bad->why, HasSubstr("/questions/0/question"));
    EXPECT_THAT(bad->why, HasSubstr("/questions/0/options"));
    EXPECT_THAT(bad->why, HasSubstr("/questions/0/multiSelect"));
    const Wish unknown = read_call({"a", "rm\n", "{}"});
    EXPECT_THAT(std::get<BadCall>(unknown).why,
                HasSubstr("There is no tool \"rm\\n\". Your tools are AskUserQuestion and"));
    EXPECT_THAT(std::get<BadCall>(read_call({"a", "AskUserQuestion", "{\"questions\":"})).why,
                HasSubstr("This call of AskUserQuestion was not made"));
    EXPECT_TRUE(std::holds_alternative<BadCall>(read_call({"a", "wait_answer", "{}"})));
    EXPECT_EQ(
        std::get<WaitWish>(read_call({"a", "wait_answer", "{\"ask_id\":\"" + kAsk.str() + "\"}"}))
            .ask,
        kAsk);
}

TEST(Tools, APendingResultIsADocumentAndASettledOneIsInCoresWords) {
    Ask ask;
    ask.id = kAsk;
    ask.spec = std::make_shared<const AskSpec>();
    const auto pending = json::parse(result_text(ask));
    ASSERT_TRUE(pending);
    EXPECT_EQ(json::text_field(*pending, "status"), "pending");
    EXPECT_EQ(json::text_field(*pending, "ask_id"), kAsk.str());
    ask.settlement =
        std::make_shared<const Settlement>(Settlement{.outcome = Outcome::dismissed, .note = "no"});
    EXPECT_THAT(result_text(ask), HasSubstr("The user dismissed your questions without answering"));
}

// --- refusals ---

TEST(Refusal, SaysWhyWhetherItPassesAndWhatToDo) {
    const Refusal key =
        read_refusal(401, R"({"type":"error","error":{"type":"authentication_error",)"
                          R"("message":"invalid x-api-key"}})");
    EXPECT_FALSE(key.is_passing);
    EXPECT_EQ(key.message, "invalid x-api-key");
    EXPECT_THAT(fix_for(401, key, "ANTHROPIC_API_KEY"), HasSubstr("the key of ANTHROPIC_API_KEY"));
    EXPECT_THAT(fix_for(401, key, ""), HasSubstr("no key was sent"));
    for (const int status : {408, 429, 500, 502, 503, 504, 529})
        EXPECT_TRUE(read_refusal(status, "").is_passing) << status;
    for (const int status : {301, 400, 404, 413, 422, 501})
        EXPECT_FALSE(read_refusal(status, "").is_passing) << status;
    const Refusal credit = read_refusal(
        429,
        R"({"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}})");
    EXPECT_FALSE(credit.is_passing) << "no waiting mends that";
    EXPECT_THAT(
        fix_for(400, read_refusal(400, R"({"error":{"message":"prompt is too long: 9 > 8"}})"), ""),
        HasSubstr("--context"));
    const Refusal tools = read_refusal(400, R"({"error":"m does not support tools"})");
    EXPECT_EQ(fix_for(400, tools, ""), "use a model that can call tools");
    EXPECT_EQ(fix_for(400, {.message = "tool_use ids must be unique"}, ""), "");
    EXPECT_EQ(read_refusal(400, R"({"detail":"so"})").message, "so");
    EXPECT_EQ(read_refusal(502, "<html>\nBad\ngateway").message, "<html> Bad gateway");
}

TEST(Refusal, ReadsRetryAfterAsSecondsOrDate) {
    const Instant now = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) +
                        std::chrono::hours(8) + std::chrono::minutes(49);
    EXPECT_EQ(read_retry_after("2", now), Millis(2000));
    EXPECT_EQ(read_retry_after("0.25", now), Millis(250));
    EXPECT_EQ(read_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), Millis(37'000));
    EXPECT_EQ(read_retry_after("Sun, 06 Nov 1994 08:48:37 GMT", now), Millis(0));
    for (const std::string_view odd : {"", "soon", "-1", "nan", "Sun, 99 Nov 1994 08:49:37 GMT"})
        EXPECT_EQ(read_retry_after(odd, now), std::nullopt) << odd;
}

// What was cut in a call is told so; each time is paid for, so the times are counted.
TEST(ModelConversation, KnowsInWhichCallItWasCut) {
    ModelConversation talk;
    const auto reply = [](std::string input, Response::Stop stop, std::string id = "a") {
        return ModelSaid{
            {.blocks = {TextBlock{"Hm"}, CallBlock{std::move(id), "x", std::move(input)}},
             .stop = stop}};
    };
    talk.add(UserSaid{.texts = {"go"}});
    talk.add(reply(R"({"questions":[{"que)", Response::Stop::done));
    EXPECT_EQ(talk.cut_call(), nullptr);
    talk.add(CallDone{.call_id = "a", .text = "no"});
    talk.add(reply(R"({"questions":[]})", Response::Stop::length));
    EXPECT_EQ(talk.cut_call(), nullptr);
    talk.add(CallDone{.call_id = "a", .text = "no"});
    for (const std::string_view input : {R"({"questions":[{"que)", "", "{}"}) {
        talk.add(reply(std::string(input), Response::Stop::length, "b"));
        ASSERT_NE(talk.cut_call(), nullptr) << input;
        EXPECT_EQ(cut_result(*talk.cut_call()).call_id, "b");
        talk.add(CallDone{.call_id = "b", .text = "cut"});
    }
    EXPECT_EQ(talk.cut_responses(), 3U);
    talk.add(UserSaid{.texts = {"go on"}});
    EXPECT_EQ(talk.cut_responses(), 0U);
}

}  // namespace
}  // namespace parley::llm
