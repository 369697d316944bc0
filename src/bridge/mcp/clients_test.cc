// SPDX-License-Identifier: Apache-2.0
// What the table of clients changes for the clients that are in it.
#include "bridge/mcp/conversation_fixture.h"
#include "dialect/mcp/known_clients.h"

namespace parley::mcp {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::SizeIs;

std::string discover_params(std::string_view client, std::string_view capabilities = "{}") {
    return fmt::format(R"({{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                       R"("io.modelcontextprotocol/clientInfo":{{"name":"{}","version":"1"}},)"
                       R"("io.modelcontextprotocol/clientCapabilities":{}}}}})",
                       client, capabilities);
}

TEST_F(ConversationTest, ClientsThatPutACallAsideAreNotToldOfTheNewerEra) {
    open({.era = EraRule::whom_it_serves});
    for (const std::string_view client :
         {"claude-code", "copilot-cli", "github-copilot-developer"}) {
        const auto sent = request(1, "server/discover", discover_params(client));
        EXPECT_EQ(at(sent->answer(), "/error/code"), "-32601") << client;
    }
    for (const std::string_view client : {"inspector", ""}) {
        const auto sent = request(1, "server/discover", discover_params(client));
        EXPECT_EQ(at(sent->answer(), "/result/supportedVersions/0"), "2026-07-28") << client;
    }
}

TEST(McpClients, OfACallThatWaitsLittleIsKept) {
    const std::string much = fmt::format(R"("{}")", std::string(1000, 'x'));
    const auto kept = [](const std::string& params) {
        return json::serialize(kept_params(*json::parse(params)));
    };
    EXPECT_EQ(kept(R"({"name":"ask_user","arguments":{"questions":[1,2]},"task":{"ttl":)" + much +
                   R"(},"_meta":{"progressToken":7,"threadId":"t-1","beside":)" + much +
                   R"(,"x-codex-turn-metadata":{"turn_trigger":"exec","more":)" + much + "}}}"),
              R"({"task":{},"_meta":{"progressToken":7,"threadId":"t-1",)"
              R"("x-codex-turn-metadata":{"turn_trigger":"exec"}}})");
    EXPECT_EQ(kept(R"({"_meta":{"progressToken":)" + much + R"(,"threadId":)" + much + "}}"),
              R"({"_meta":{}})");
    EXPECT_EQ(kept("{}"), "{}");
}

TEST_F(ConversationTest, TheEraMayBeGivenForEverybody) {
    open({.era = EraRule::everybody});
    EXPECT_EQ(at(request(1, "server/discover", discover_params("claude-code"))->answer(),
                 "/result/supportedVersions/0"),
              "2026-07-28");
    open({.era = EraRule::nobody});
    EXPECT_EQ(
        at(request(1, "server/discover", discover_params("inspector"))->answer(), "/error/code"),
        "-32601");
}

TEST_F(ConversationTest, ACallOfAClientThatPutsTasksAsideBlocks) {
    const std::string params = discover_params("claude-code", kTasks);
    const auto sent = request(
        1, "tools/call",
        fmt::format(R"({{"name":"ask_user","arguments":{{{}}},{})", kQuestion, params.substr(1)));
    EXPECT_TRUE(sent->answer().is_null());
    answer("Tea");
    EXPECT_EQ(at(sent->answer(), "/result/resultType"), "complete");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
    // Nor is it offered any, in either era.
    const auto discovered = request(2, "server/discover", params)->answer();
    EXPECT_EQ(at(discovered, "/result/capabilities/extensions"), "(missing)");
    initialize("2025-11-25", "{}", "claude-code");
    EXPECT_EQ(at(request(3, "tools/list", "{}")->answer(), "/result/tools/0/execution"),
              "(missing)");
}

TEST_F(ConversationTest, EachClientIsHeldAsLongAsItWaits) {
    struct Row {
        std::string_view client;
        bool wants_progress;
        int held;  // in seconds; 0: as long as it takes
    };
    for (const Row& row :
         {Row{"test", false, 50}, Row{"test", true, 50}, Row{"codex-mcp-client", true, 290},
          Row{"codex-mcp-client", false, 290}, Row{"gemini-cli-mcp-client", true, 590},
          Row{"qwen-cli-mcp-client-parley", true, 590},
          Row{"qwen-cli-mcp-client-parley", false, 290}, Row{"copilot-cli", true, 0},
          Row{"copilot-cli", false, 170}, Row{"opencode", true, 0}, Row{"opencode", false, 50},
          Row{"claude-code", true, 0}, Row{"Visual Studio Code", true, 0}}) {
        const auto held = hold_of({.name = std::string(row.client)}, row.wants_progress);
        EXPECT_EQ(held.value_or(Millis::zero()), seconds(row.held)) << row.client;
    }
}

TEST_F(ConversationTest, TenMinutesCostCodexThreeCalls) {
    initialize("2025-06-18", "{}", "codex-mcp-client");
    auto sent = ask(1);
    int calls = 1;
    for (int second = 0; second < 600; ++second) {
        broker_.pass(seconds(1));
        if (sent->answer().is_null()) continue;
        EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "pending");
        sent = request(++calls, "tools/call",
                       fmt::format(R"({{"name":"wait_answer","arguments":{{"ask_id":"{}"}}}})",
                                   pending()->id.str()));
    }
    EXPECT_EQ(calls, 3);
}

TEST_F(ConversationTest, GeminiIsOfferedTheToolByAnotherName) {
    initialize("2025-06-18", "{}", "gemini-cli-mcp-client");
    const auto list = request(1, "tools/list", "{}")->answer();
    EXPECT_EQ(at(list, "/result/tools/0/name"), "ask_person");
    EXPECT_THAT(at(list, "/result/tools/1/description"), HasSubstr("ask_person"));
    EXPECT_THAT(json::serialize(list), testing::Not(HasSubstr("ask_user")));
    const auto sent = request(
        2, "tools/call", fmt::format(R"({{"name":"ask_person","arguments":{{{}}}}})", kQuestion));
    answer("Tea");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
}

TEST_F(ConversationTest, TheToolMayBeNamedByTheOneWhoStartsTheServer) {
    open({.ask_tool = "consult"});
    initialize();
    EXPECT_EQ(at(request(1, "tools/list", "{}")->answer(), "/result/tools/0/name"), "consult");
    const auto sent = request(2, "tools/call",
                              fmt::format(R"({{"name":"consult","arguments":{{{}}}}})", kQuestion));
    answer("Tea");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
}

TEST_F(ConversationTest, CodexsThreadIsItsSessionAndItsCallIsTheAsk) {
    open({.place = " in shop", .tag = "4711"});
    initialize("2025-06-18", "{}", "codex-mcp-client");
    constexpr std::string_view kMeta =
        R"(,"_meta":{"callId":"call_9","threadId":"01a1e561-7d3c-7bbb-8000-0123456789ab",)"
        R"("x-codex-turn-metadata":{"turn_id":"turn_2"}})";
    ask(1, kMeta);
    const AskPtr first = pending();
    EXPECT_EQ(broker_.broker.ledger().find_session(first->session)->session->name,
              "codex-mcp-client in shop #456789ab");
    EXPECT_EQ(first->spec->tool, (ToolCall{.message_id = "turn_2", .call_id = "call_9"}));
    // Resumed by another process: the same call is the same ask.
    open({.place = " in shop", .tag = "4712"});
    initialize("2025-06-18", "{}", "codex-mcp-client");
    const auto again = ask(1, kMeta);
    EXPECT_THAT(broker_.broker.ledger().pending(), SizeIs(1));
    answer("Tea");
    EXPECT_EQ(at(again->answer(), "/result/structuredContent/ask_id"), first->id.str());
}

TEST_F(ConversationTest, AnAskThatDoesNotBlockOutlivesItsCallAndItsClient) {
    initialize();
    const auto sent = request(
        1, "tools/call",
        fmt::format(R"({{"name":"ask_user","arguments":{{{},"blocking":false}}}})", kQuestion));
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "pending");
    const std::string id = at(sent->answer(), "/result/structuredContent/ask_id");
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    conversation_->leave([] {});
    broker_.settle_down();
    ASSERT_NE(pending(), nullptr);
    EXPECT_EQ(pending()->id.str(), id);
    answer("Tea");
    open({});
    initialize();
    const auto waiting =
        request(2, "tools/call",
                fmt::format(R"({{"name":"wait_answer","arguments":{{"ask_id":"{}"}}}})", id));
    EXPECT_EQ(at(waiting->answer(), "/result/structuredContent/status"), "answered");
}

TEST_F(ConversationTest, BlockingIsYesOrNo) {
    initialize();
    const auto sent = request(
        1, "tools/call",
        fmt::format(R"({{"name":"ask_user","arguments":{{{},"blocking":"no"}}}})", kQuestion));
    EXPECT_EQ(at(sent->answer(), "/result/isError"), "true");
    EXPECT_THAT(at(sent->answer(), "/result/content/0/text"), HasSubstr("/blocking"));
}

}  // namespace
}  // namespace parley::mcp
