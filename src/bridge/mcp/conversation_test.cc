// SPDX-License-Identifier: Apache-2.0
// The server as a client sees it, message by message.
#include "bridge/mcp/conversation_fixture.h"
#include "bridge/mcp/limits.h"

namespace parley::mcp {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST_F(ConversationTest, InitializesInTheClientsVersionOrOurNewest) {
    for (const std::string_view version : kLegacyVersions) {
        const auto sent =
            request(1, "initialize", fmt::format(R"({{"protocolVersion":"{}"}})", version));
        EXPECT_EQ(at(sent->answer(), "/result/protocolVersion"), version);
        EXPECT_EQ(at(sent->answer(), "/result/serverInfo/name"), "parley");
    }
    const auto sent = request(2, "initialize", R"({"protocolVersion":"2099-01-01"})");
    EXPECT_EQ(at(sent->answer(), "/result/protocolVersion"), "2025-11-25");
}

TEST_F(ConversationTest, ListsTheThreeTools) {
    initialize();
    const auto list = request(1, "tools/list", "{}")->answer();
    EXPECT_EQ(at(list, "/result/tools/0/name"), "ask_user");
    EXPECT_EQ(at(list, "/result/tools/1/name"), "wait_answer");
    EXPECT_EQ(at(list, "/result/tools/2/name"), "notify_user");
    EXPECT_EQ(at(list, "/result/tools/0/annotations/readOnlyHint"), "true");
    EXPECT_EQ(at(list, "/result/tools/0/outputSchema/type"), "object");
    EXPECT_EQ(at(list, "/result/tools/0/inputSchema/properties/questions/maxItems"), "4");
}

TEST_F(ConversationTest, AsksAndGivesTheAnswer) {
    initialize();
    const auto sent = ask(1);
    EXPECT_EQ(sent->holds, 1);
    EXPECT_TRUE(sent->answer().is_null());
    ASSERT_NE(pending(), nullptr);
    const std::string id = pending()->id.str();
    answer("Tea");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/ask_id"), id);
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/answers"),
              R"([{"question":"Tea or coffee?","selectedOptions":["Tea"]}])");
    EXPECT_THAT(at(sent->answer(), "/result/content/0/text"), HasSubstr("Tea"));
    EXPECT_EQ(at(sent->answer(), "/result/isError"), "(missing)");
}

TEST_F(ConversationTest, SaysPendingBeforeTheClientGivesUpAndWaitsOn) {
    initialize();
    const auto sent = ask(1);
    broker_.pass(std::chrono::seconds(49));
    EXPECT_TRUE(sent->answer().is_null());
    broker_.pass(std::chrono::seconds(2));
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "pending");
    const std::string id = at(sent->answer(), "/result/structuredContent/ask_id");
    EXPECT_THAT(at(sent->answer(), "/result/content/0/text"), HasSubstr(id));

    const auto waiting =
        request(2, "tools/call",
                fmt::format(R"({{"name":"wait_answer","arguments":{{"ask_id":"{}"}}}})", id));
    answer("Coffee");
    EXPECT_EQ(at(waiting->answer(), "/result/structuredContent/answers/0/selectedOptions/0"),
              "Coffee");
    // And once more, long after.
    const auto again =
        request(3, "tools/call",
                fmt::format(R"({{"name":"wait_answer","arguments":{{"ask_id":"{}"}}}})", id));
    EXPECT_EQ(at(again->answer(), "/result/structuredContent/status"), "answered");
}

TEST_F(ConversationTest, APatientClientWaitsForTenMinutesAndHoursWithProgress) {
    initialize("2025-11-25", "{}", "claude-code");
    const auto sent = ask(1, R"(,"_meta":{"progressToken":7})");
    broker_.pass(std::chrono::minutes(10));
    EXPECT_TRUE(sent->answer().is_null());
    const auto progress = sent->of_method("notifications/progress");
    EXPECT_GE(progress.size(), 150u);
    for (std::size_t i = 0; i < progress.size(); ++i) {
        EXPECT_EQ(at(progress[i], "/params/progressToken"), "7");
        EXPECT_EQ(at(progress[i], "/params/progress"), std::to_string(i + 1));
    }
    broker_.pass(std::chrono::hours(3));
    answer("Tea");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
    const std::size_t count = sent->messages.size();
    broker_.pass(std::chrono::minutes(1));
    EXPECT_THAT(sent->messages, SizeIs(count));  // none after the result
}

TEST_F(ConversationTest, ReportsOfProgressSayThatTheStoreIsAway) {
    initialize();
    const auto sent = ask(1, R"(,"_meta":{"progressToken":7})");
    const auto said = [&](bool is_away) {
        is_store_away_ = is_away;
        broker_.pass(std::chrono::seconds(4));
        return at(sent->of_method("notifications/progress").back(), "/params/message");
    };
    EXPECT_EQ(said(false), "waiting for the user");
    EXPECT_THAT(said(true), HasSubstr("cannot use its store"));
    EXPECT_EQ(said(false), "waiting for the user");
}

TEST_F(ConversationTest, ACallWaitsAsLongAsItTakesWhereItIsToldTo) {
    open({.hold = Millis::zero()});
    initialize();
    const auto quiet = ask(1);
    const auto told = ask(2, R"(,"_meta":{"progressToken":"p"})");
    const auto modern = ask_modern(3);
    const std::string id = pending()->id.str();
    const auto waiting =
        request(4, "tools/call",
                fmt::format(R"({{"name":"wait_answer","arguments":{{"ask_id":"{}"}}}})", id));
    broker_.pass(std::chrono::minutes(11));
    EXPECT_EQ(told->of_method("notifications/progress").size(), told->messages.size());
    EXPECT_GE(told->messages.size(), 200u);
    for (const auto& sent : {quiet, modern, waiting}) EXPECT_THAT(sent->messages, SizeIs(0));
    for (int i = 0; i < 3; ++i) answer("Tea");
    for (const auto& sent : {quiet, told, modern, waiting})
        EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
}

TEST_F(ConversationTest, OutcomesThatAreNoAnswerAreNoErrorsEither) {
    initialize();
    const auto timed = ask(1, "");
    broker_.broker.dismiss(pending()->id, "ask me tomorrow", unrestricted_actor("ada", "page"),
                           [](const auto&) {});
    broker_.settle_down();
    EXPECT_EQ(at(timed->answer(), "/result/structuredContent/status"), "dismissed");
    EXPECT_THAT(at(timed->answer(), "/result/structuredContent/message"),
                HasSubstr("ask me tomorrow"));
    EXPECT_EQ(at(timed->answer(), "/result/isError"), "(missing)");

    const auto sent = request(
        2, "tools/call",
        fmt::format(R"({{"name":"ask_user","arguments":{{{},"timeout_seconds":5}}}})", kQuestion));
    broker_.pass(std::chrono::seconds(6));
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "timed_out");
}

TEST_F(ConversationTest, FaultsOfTheCallerAreForTheModelToRead) {
    initialize();
    const auto sent = request(1, "tools/call",
                              R"({"name":"ask_user","arguments":{"questions":[{"question":""}]}})");
    EXPECT_EQ(at(sent->answer(), "/result/isError"), "true");
    EXPECT_THAT(at(sent->answer(), "/result/content/0/text"), HasSubstr("/questions/0"));
    EXPECT_EQ(pending(), nullptr);
    const auto unknown = request(2, "tools/call", R"({"name":"nothing"})");
    EXPECT_EQ(at(unknown->answer(), "/error/code"), "-32602");
    EXPECT_EQ(at(request(3, "resources/list", "{}")->answer(), "/error/code"), "-32601");
}

// What a client is told that has too many calls at work: which limit, and what to do.
TEST_F(ConversationTest, OneCallTooManyIsRefusedByTheNameOfTheLimit) {
    initialize();
    const auto first = ask(1);
    for (int id = 2; id <= static_cast<int>(limits::kMcpCallsMax); ++id) ask(id);
    const auto refused = ask(1000);
    EXPECT_EQ(at(refused->answer(), "/error/code"), std::to_string(kTooManyCalls));
    EXPECT_EQ(at(refused->answer(), "/error/data/limit"), "calls_at_work");
    EXPECT_EQ(at(refused->answer(), "/error/data/max"), std::to_string(limits::kMcpCallsMax));
    EXPECT_THAT(at(refused->answer(), "/error/message"), HasSubstr("wait until one ends"));
    EXPECT_TRUE(first->answer().is_null());
    answer("Tea");
    EXPECT_FALSE(first->answer().is_null());
    EXPECT_TRUE(ask(1001)->answer().is_null()) << "one has ended, so there is room again";
}

TEST_F(ConversationTest, CancellingWithdrawsAndIsNotAnswered) {
    initialize();
    const auto sent = ask(9);
    const AskId id = pending()->id;
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})");
    EXPECT_EQ(pending(), nullptr);
    EXPECT_EQ(found(id)->state(), AskState::withdrawn);
    EXPECT_TRUE(sent->answer().is_null());
}

TEST_F(ConversationTest, AClientThatLeavesTakesItsOpenQuestionsBack) {
    initialize();
    ask(1);
    ask(2);
    bool has_left = false;
    conversation_->leave([&] { has_left = true; });
    broker_.settle_down();
    EXPECT_TRUE(has_left);
    EXPECT_EQ(pending(), nullptr);
}

// As Claude Code's --permission-prompt-tool.

std::string permission_call(std::string_view tool, std::string_view input) {
    return fmt::format(R"({{"name":"ask_user","arguments":{{"tool_name":"{}","input":{},)"
                       R"("tool_use_id":"toolu_1"}}}})",
                       tool, input);
}

TEST_F(ConversationTest, AsksWhetherAToolMayRun) {
    initialize("2025-11-25", R"({"elicitation":{}})", "claude-code");
    const auto sent = request(1, "tools/call", permission_call("Bash", R"({"command":"ls"})"));
    ASSERT_NE(pending(), nullptr);
    EXPECT_EQ(pending()->spec->questions.front().options.size(), 3u);
    EXPECT_EQ(pending()->spec->permission->summary, "ls");
    EXPECT_EQ(pending()->spec->permission->input, R"({"command":"ls"})");
    EXPECT_EQ(pending()->spec->tool->call_id, "toolu_1");
    broker_.pass(std::chrono::minutes(10));  // there is no "pending" for it
    EXPECT_TRUE(sent->answer().is_null());
    answer("Allow once");
    EXPECT_EQ(at(sent->answer(), "/result/content/0/text"),
              R"({"behavior":"allow","updatedInput":{"command":"ls"}})");
}

// Its results as a permission prompt are text, which a client with the schema would refuse.
TEST_F(ConversationTest, ClaudeCodeIsGivenNoSchemaOfTheResult) {
    initialize("2025-11-25", "{}", "claude-code");
    const auto list = request(1, "tools/list", "{}")->answer();
    EXPECT_EQ(at(list, "/result/tools/0/outputSchema"), "(missing)");
}

TEST_F(ConversationTest, AQuestionOfTheCliIsAskedAsItself) {
    initialize("2025-11-25", "{}", "claude-code");
    const auto sent = request(1, "tools/call",
                              permission_call("AskUserQuestion", fmt::format("{{{}}}", kQuestion)));
    ASSERT_NE(pending(), nullptr);
    EXPECT_EQ(pending()->spec->questions.front().text, "Tea or coffee?");
    answer("Tea");
    const auto reply = json::parse(at(sent->answer(), "/result/content/0/text"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(at(*reply, "/behavior"), "allow");
    EXPECT_EQ(at(*reply, "/updatedInput/answers"), R"({"Tea or coffee?":"Tea"})");
}

// Its result is a verdict and nothing more, so that the person is told instead of the model.
TEST_F(ConversationTest, WhatIsNotKnownOfAQuestionOfTheCliIsLeftOutAndTold) {
    initialize("2025-11-25", "{}", "claude-code");
    const std::string input = R"({"questions":[{"question":"Tea or coffee?","header":"Drink",)"
                              R"("options":[{"label":"Tea"},{"label":"Coffee"}],"colour":"red"}]})";
    const auto sent = request(1, "tools/call", permission_call("AskUserQuestion", input));
    ASSERT_NE(pending(), nullptr);
    ASSERT_EQ(told_.texts.size(), 1u);
    EXPECT_THAT(told_.texts.front(), HasSubstr("/questions/0/colour"));
    answer("Tea");
    const auto reply = json::parse(at(sent->answer(), "/result/content/0/text"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(at(*reply, "/updatedInput/questions/0/colour"), "red");  // the CLI's own input
}

TEST_F(ConversationTest, ADeniedToolIsToldWhy) {
    initialize("2025-11-25", "{}", "claude-code");
    const auto sent = request(1, "tools/call", permission_call("Bash", R"({"command":"rm"})"));
    broker_.broker.answer(pending()->id, {{.selected = {"Deny"}, .note = "too dangerous"}}, {},
                          unrestricted_actor("ada", "page"), [](const auto&) {});
    broker_.settle_down();
    const auto reply = json::parse(at(sent->answer(), "/result/content/0/text"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(at(*reply, "/behavior"), "deny");
    EXPECT_THAT(at(*reply, "/message"), HasSubstr("too dangerous"));
}

// The modern era.

TEST_F(ConversationTest, ModernRequestsStandForThemselves) {
    const std::string meta = modern_meta("{}");
    const auto found = request(1, "server/discover", "{" + meta + "}")->answer();
    EXPECT_EQ(at(found, "/result/resultType"), "complete");
    EXPECT_EQ(at(found, "/result/supportedVersions"), R"(["2026-07-28"])");
    EXPECT_EQ(at(request(2, "initialize", "{" + meta + "}")->answer(), "/error/code"), "-32601");
    const auto old = request(3, "tools/list",
                             R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01",)"
                             R"("io.modelcontextprotocol/clientCapabilities":{}}})");
    EXPECT_EQ(at(old->answer(), "/error/code"), "-32022");
    EXPECT_EQ(at(old->answer(), "/error/data/supported"), R"(["2026-07-28"])");
    const auto bare = request(
        4, "tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
    EXPECT_EQ(at(bare->answer(), "/error/code"), "-32602");
}

TEST_F(ConversationTest, ALongModernCallGoesRoundsThenSaysPending) {
    std::string state;
    int rounds = 0;
    std::shared_ptr<Sent> sent;
    do {
        sent = ask_modern(++rounds,
                          state.empty() ? "" : fmt::format(R"(,"requestState":"{}")", state));
        broker_.pass(std::chrono::seconds(51));
        state = at(sent->answer(), "/result/requestState");
    } while (state != "(missing)" && rounds < 20);
    EXPECT_EQ(rounds, limits::kMcpRounds);
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "pending");
    EXPECT_EQ(broker_.broker.ledger().pending().size(), 1u);  // one ask for all rounds
}

TEST_F(ConversationTest, AnAnswerBetweenRoundsIsGivenInTheNext) {
    auto sent = ask_modern(1);
    broker_.pass(std::chrono::seconds(51));
    const std::string state = at(sent->answer(), "/result/requestState");
    answer("Tea");
    sent = ask_modern(2, fmt::format(R"(,"requestState":"{}")", state));
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
}

TEST_F(ConversationTest, AModernClientThatDoesNotReturnHasGivenUp) {
    ask_modern(1);
    broker_.pass(std::chrono::seconds(51));
    EXPECT_NE(pending(), nullptr);
    broker_.pass(std::chrono::seconds(31));
    EXPECT_EQ(pending(), nullptr);
}

TEST_F(ConversationTest, AStateThatWasTamperedWithIsRefused) {
    auto sent = ask_modern(1);
    broker_.pass(std::chrono::seconds(51));
    std::string state = at(sent->answer(), "/result/requestState");
    std::string forged = state;
    forged[10] = forged[10] == '0' ? '1' : '0';
    EXPECT_EQ(
        at(ask_modern(2, fmt::format(R"(,"requestState":"{}")", forged))->answer(), "/error/code"),
        "-32602");
    // With another call's arguments it is not this call's state.
    const std::string meta = modern_meta("{}");
    const auto other =
        request(3, "tools/call",
                fmt::format(R"({{"name":"ask_user","arguments":{{}},{},"requestState":"{}"}})",
                            meta, state));
    EXPECT_EQ(at(other->answer(), "/error/code"), "-32602");
}

}  // namespace
}  // namespace parley::mcp
