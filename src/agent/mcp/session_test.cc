// SPDX-License-Identifier: Apache-2.0
// The server as a client sees it, message by message, over a real broker in simulated time.
#include "agent/mcp/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/local_link.h"
#include "support/sim_broker.h"

namespace parley::mcp {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

struct Sent {
    std::vector<json::Value> messages;
    int holds = 0;

    // The answer to a request; null while there is none.
    json::Value answer() const {
        for (const json::Value& message : messages)
            if (message.as_object().contains("result") || message.as_object().contains("error"))
                return message;
        return {};
    }
    std::vector<json::Value> of_method(std::string_view method) const {
        std::vector<json::Value> found;
        for (const json::Value& message : messages)
            if (text_member(message, "method") == method) found.push_back(message);
        return found;
    }
};

class CollectingOutlet final : public Outlet {
public:
    explicit CollectingOutlet(std::shared_ptr<Sent> sent) : sent_(std::move(sent)) {}
    void hold() override { ++sent_->holds; }
    void send(std::string message) override {
        sent_->messages.push_back(json::parse(message).value_or(json::Value()));
    }
    void finish(std::string message, int) override { send(std::move(message)); }

private:
    std::shared_ptr<Sent> sent_;
};

std::string at(const json::Value& document, std::string_view pointer) {
    boost::system::error_code missing;
    const json::Value* found = document.find_pointer({pointer.data(), pointer.size()}, missing);
    if (found == nullptr) return "(missing)";
    return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

constexpr std::string_view kQuestion =
    R"("questions":[{"question":"Tea or coffee?","header":"Drink","multiSelect":false,)"
    R"("options":[{"label":"Tea","description":"hot"},)"
    R"({"label":"Coffee","description":"strong"}]}])";
constexpr std::string_view kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":CAPABILITIES})";

class SessionTest : public testing::Test {
protected:
    SessionTest() { open({}); }

    void open(SessionOptions options) {
        options.seal = {.key = "key", .principal = "bot"};
        session_ = std::make_unique<Session>(
            Session::Wiring{link_, broker_.home, broker_.clock,
                            [this](std::string message) { aside_.push_back(std::move(message)); }},
            std::move(options));
    }

    std::shared_ptr<Sent> send(const std::string& text) {
        auto sent = std::make_shared<Sent>();
        for (auto& message : wire::rpc::parse(text).messages)
            session_->take(std::move(message), std::make_shared<CollectingOutlet>(sent));
        broker_.settle_down();
        return sent;
    }
    std::shared_ptr<Sent> request(int id, std::string_view method, const std::string& params) {
        return send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id,
                                method, params));
    }
    void initialize(std::string_view version = "2025-11-25", std::string_view capabilities = "{}",
                    std::string_view name = "test") {
        request(0, "initialize",
                fmt::format(R"({{"protocolVersion":"{}","capabilities":{},)"
                            R"("clientInfo":{{"name":"{}","version":"1"}}}})",
                            version, capabilities, name));
    }
    std::shared_ptr<Sent> ask(int id, std::string_view more = "") {
        return request(
            id, "tools/call",
            fmt::format(R"({{"name":"ask_user","arguments":{{{}}}{}}})", kQuestion, more));
    }
    std::shared_ptr<Sent> ask_modern(int id, std::string_view more = "",
                                     std::string_view capabilities = "{}") {
        std::string meta(kModernMeta);
        meta.replace(meta.find("CAPABILITIES"), 12, capabilities);
        return ask(id, fmt::format(",{}{}", meta, more));
    }

    AskPtr pending() {
        const auto& all = broker_.broker.ledger().pending();
        return all.empty() ? nullptr : all.begin()->second;
    }
    AskPtr found(AskId id) {
        sim::Got<AskPtr> got;
        broker_.broker.find_ask(id, got.done());
        broker_.settle_down();
        return got->value_or(nullptr);
    }
    void answer(std::string label) {
        broker_.broker.answer(pending()->id, {{.selected = {std::move(label)}}}, {},
                              {.principal = "ada", .door = "page"}, [](const auto&) {});
        broker_.settle_down();
    }

    sim::SimBroker broker_;
    LocalLink link_{{broker_.home, broker_.clock, broker_.broker},
                    {.principal = "bot", .door = "mcp"},
                    kStrictProfile};
    std::vector<std::string> aside_;
    std::unique_ptr<Session> session_;
};

TEST_F(SessionTest, InitializesInTheClientsVersionOrOurNewest) {
    for (const std::string_view version : kLegacyVersions) {
        const auto sent =
            request(1, "initialize", fmt::format(R"({{"protocolVersion":"{}"}})", version));
        EXPECT_EQ(at(sent->answer(), "/result/protocolVersion"), version);
        EXPECT_EQ(at(sent->answer(), "/result/serverInfo/name"), "parley");
    }
    const auto sent = request(2, "initialize", R"({"protocolVersion":"2099-01-01"})");
    EXPECT_EQ(at(sent->answer(), "/result/protocolVersion"), "2025-11-25");
}

TEST_F(SessionTest, ListsTheThreeTools) {
    initialize();
    const auto list = request(1, "tools/list", "{}")->answer();
    EXPECT_EQ(at(list, "/result/tools/0/name"), "ask_user");
    EXPECT_EQ(at(list, "/result/tools/1/name"), "wait_answer");
    EXPECT_EQ(at(list, "/result/tools/2/name"), "notify_user");
    EXPECT_EQ(at(list, "/result/tools/0/annotations/readOnlyHint"), "true");
    EXPECT_EQ(at(list, "/result/tools/0/inputSchema/properties/questions/maxItems"), "4");
}

TEST_F(SessionTest, AsksAndGivesTheAnswer) {
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

TEST_F(SessionTest, SaysPendingBeforeTheClientGivesUpAndWaitsOn) {
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

TEST_F(SessionTest, APatientClientWaitsForTenMinutesAndHoursWithProgress) {
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

TEST_F(SessionTest, OutcomesThatAreNoAnswerAreNoErrorsEither) {
    initialize();
    const auto timed = ask(1, "");
    broker_.broker.dismiss(pending()->id, "ask me tomorrow", {.principal = "ada", .door = "page"},
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

TEST_F(SessionTest, FaultsOfTheCallerAreForTheModelToRead) {
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

TEST_F(SessionTest, CancellingWithdrawsAndIsNotAnswered) {
    initialize();
    const auto sent = ask(9);
    const AskId id = pending()->id;
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})");
    EXPECT_EQ(pending(), nullptr);
    EXPECT_EQ(found(id)->state(), AskState::withdrawn);
    EXPECT_TRUE(sent->answer().is_null());
}

TEST_F(SessionTest, AClientThatLeavesTakesItsOpenQuestionsBack) {
    initialize();
    ask(1);
    ask(2);
    bool has_left = false;
    session_->leave([&] { has_left = true; });
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

TEST_F(SessionTest, AsksWhetherAToolMayRun) {
    initialize("2025-11-25", R"({"elicitation":{}})", "claude-code");
    const auto sent = request(1, "tools/call", permission_call("Bash", R"({"command":"ls"})"));
    ASSERT_NE(pending(), nullptr);
    EXPECT_EQ(pending()->spec->questions.front().options.size(), 3u);
    EXPECT_THAT(pending()->spec->context.value_or(""), HasSubstr("ls"));
    EXPECT_EQ(pending()->spec->tool->call_id, "toolu_1");
    broker_.pass(std::chrono::minutes(10));  // there is no "pending" for it
    EXPECT_TRUE(sent->answer().is_null());
    answer("Allow once");
    EXPECT_EQ(at(sent->answer(), "/result/content/0/text"),
              R"({"behavior":"allow","updatedInput":{"command":"ls"}})");
}

TEST_F(SessionTest, AQuestionOfTheCliIsAskedAsItself) {
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

TEST_F(SessionTest, ADeniedToolIsToldWhy) {
    initialize("2025-11-25", "{}", "claude-code");
    const auto sent = request(1, "tools/call", permission_call("Bash", R"({"command":"rm"})"));
    broker_.broker.answer(pending()->id, {{.selected = {"Deny"}, .note = "too dangerous"}}, {},
                          {.principal = "ada", .door = "page"}, [](const auto&) {});
    broker_.settle_down();
    const auto reply = json::parse(at(sent->answer(), "/result/content/0/text"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(at(*reply, "/behavior"), "deny");
    EXPECT_THAT(at(*reply, "/message"), HasSubstr("too dangerous"));
}

// The form in the client.

constexpr std::string_view kForms = R"({"elicitation":{"form":{}}})";

TEST_F(SessionTest, AnAcceptedFormAnswers) {
    initialize("2025-11-25", kForms);
    const auto sent = ask(1);
    const auto forms = sent->of_method("elicitation/create");
    ASSERT_THAT(forms, SizeIs(1));
    EXPECT_EQ(at(forms[0], "/params/requestedSchema/properties/q0/oneOf/0/title"), "Tea: hot");
    send(fmt::format(R"({{"jsonrpc":"2.0","id":"{}","result":{{"action":"accept","content":)"
                     R"({{"q0":"Coffee"}}}}}})",
                     at(forms[0], "/id")));
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/answers/0/selectedOptions/0"),
              "Coffee");
}

TEST_F(SessionTest, ADeclinedFormDismissesAndACancelledOneOnlyCloses) {
    initialize("2025-11-25", kForms);
    const auto declined = ask(1);
    send(fmt::format(R"({{"jsonrpc":"2.0","id":"{}","result":{{"action":"decline"}}}})",
                     at(declined->of_method("elicitation/create").at(0), "/id")));
    EXPECT_EQ(at(declined->answer(), "/result/structuredContent/status"), "dismissed");

    const auto cancelled = ask(2);
    send(fmt::format(R"({{"jsonrpc":"2.0","id":"{}","result":{{"action":"cancel"}}}})",
                     at(cancelled->of_method("elicitation/create").at(0), "/id")));
    EXPECT_TRUE(cancelled->answer().is_null());
    answer("Tea");
    EXPECT_EQ(at(cancelled->answer(), "/result/structuredContent/status"), "answered");
}

TEST_F(SessionTest, AFormIsTakenBackWhenTheAnswerComesFromElsewhere) {
    initialize("2025-11-25", kForms);
    const auto sent = ask(1);
    const std::string id = at(sent->of_method("elicitation/create").at(0), "/id");
    answer("Tea");
    ASSERT_THAT(aside_, SizeIs(testing::Le(1u)));
    const auto cancelled = sent->of_method("notifications/cancelled");
    const std::string named =
        aside_.empty() ? at(cancelled.at(0), "/params/requestId") : aside_.front();
    EXPECT_THAT(named, HasSubstr(id));
    // Too late: the answer that stands stays.
    send(fmt::format(R"({{"jsonrpc":"2.0","id":"{}","result":{{"action":"accept","content":)"
                     R"({{"q0":"Coffee"}}}}}})",
                     id));
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/answers/0/selectedOptions/0"), "Tea");
}

TEST_F(SessionTest, AFormThatDoesNotFitIsShownAgain) {
    initialize("2025-11-25", kForms);
    const auto sent = ask(1);
    send(fmt::format(
        R"({{"jsonrpc":"2.0","id":"{}","result":{{"action":"accept","content":{{}}}}}})",
        at(sent->of_method("elicitation/create").at(0), "/id")));
    EXPECT_NE(pending(), nullptr);
    const auto forms = sent->of_method("elicitation/create");
    ASSERT_THAT(forms, SizeIs(2));
    EXPECT_THAT(at(forms[1], "/params/message"), HasSubstr("try again"));
}

TEST_F(SessionTest, NoFormWhereNobodyMayAnswer) {
    open({.may_show_forms = false});
    initialize("2025-11-25", kForms);
    EXPECT_THAT(ask(1)->of_method("elicitation/create"), SizeIs(0));
}

// The modern era.

TEST_F(SessionTest, ModernRequestsStandForThemselves) {
    std::string meta(kModernMeta);
    meta.replace(meta.find("CAPABILITIES"), 12, "{}");
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

TEST_F(SessionTest, ALongModernCallGoesRoundsThenSaysPending) {
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

TEST_F(SessionTest, AnAnswerBetweenRoundsIsGivenInTheNext) {
    auto sent = ask_modern(1);
    broker_.pass(std::chrono::seconds(51));
    const std::string state = at(sent->answer(), "/result/requestState");
    answer("Tea");
    sent = ask_modern(2, fmt::format(R"(,"requestState":"{}")", state));
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
}

TEST_F(SessionTest, AModernClientThatDoesNotReturnHasGivenUp) {
    ask_modern(1);
    broker_.pass(std::chrono::seconds(51));
    EXPECT_NE(pending(), nullptr);
    broker_.pass(std::chrono::seconds(31));
    EXPECT_EQ(pending(), nullptr);
}

TEST_F(SessionTest, AStateThatWasTamperedWithIsRefused) {
    auto sent = ask_modern(1);
    broker_.pass(std::chrono::seconds(51));
    std::string state = at(sent->answer(), "/result/requestState");
    std::string forged = state;
    forged[10] = forged[10] == '0' ? '1' : '0';
    EXPECT_EQ(
        at(ask_modern(2, fmt::format(R"(,"requestState":"{}")", forged))->answer(), "/error/code"),
        "-32602");
    // With another call's arguments it is not this call's state.
    std::string meta(kModernMeta);
    meta.replace(meta.find("CAPABILITIES"), 12, "{}");
    const auto other =
        request(3, "tools/call",
                fmt::format(R"({{"name":"ask_user","arguments":{{}},{},"requestState":"{}"}})",
                            meta, state));
    EXPECT_EQ(at(other->answer(), "/error/code"), "-32602");
}

TEST_F(SessionTest, AModernFormComesBackFilledIn) {
    auto sent = ask_modern(1, "", kForms);
    EXPECT_EQ(at(sent->answer(), "/result/resultType"), "input_required");
    EXPECT_EQ(at(sent->answer(), "/result/inputRequests/ask/method"), "elicitation/create");
    const std::string state = at(sent->answer(), "/result/requestState");
    sent = ask_modern(2,
                      fmt::format(R"(,"requestState":"{}","inputResponses":{{"ask":)"
                                  R"({{"action":"accept","content":{{"q0":"Tea"}}}}}})",
                                  state),
                      kForms);
    EXPECT_EQ(at(sent->answer(), "/result/resultType"), "complete");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/answers/0/selectedOptions/0"), "Tea");
}

TEST_F(SessionTest, AModernFormThatIsCancelledLeavesTheOtherDoors) {
    auto sent = ask_modern(1, "", kForms);
    const std::string state = at(sent->answer(), "/result/requestState");
    sent = ask_modern(2,
                      fmt::format(R"(,"requestState":"{}","inputResponses":{{"ask":)"
                                  R"({{"action":"cancel"}}}})",
                                  state),
                      kForms);
    EXPECT_TRUE(sent->answer().is_null());
    answer("Coffee");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
}

// Tasks.

TEST_F(SessionTest, AnAskAsATaskOf2025) {
    initialize();
    const auto sent = ask(1, R"(,"task":{"ttl":60000})");
    const std::string id = at(sent->answer(), "/result/task/taskId");
    EXPECT_EQ(at(sent->answer(), "/result/task/status"), "working");
    const std::string params = fmt::format(R"({{"taskId":"{}"}})", id);
    EXPECT_EQ(at(request(2, "tasks/get", params)->answer(), "/result/status"), "working");
    EXPECT_EQ(at(request(3, "tasks/list", "{}")->answer(), "/result/tasks/0/taskId"), id);
    const auto result = request(4, "tasks/result", params);
    broker_.pass(std::chrono::minutes(10));
    EXPECT_TRUE(result->answer().is_null());
    answer("Tea");
    EXPECT_EQ(at(result->answer(), "/result/structuredContent/status"), "answered");
    EXPECT_EQ(at(request(5, "tasks/get", params)->answer(), "/result/status"), "completed");
    EXPECT_EQ(at(request(6, "tasks/get", R"({"taskId":"x"})")->answer(), "/error/code"), "-32602");
}

TEST_F(SessionTest, AnAskAsATaskOfTheExtension) {
    constexpr std::string_view kTasks = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";
    const auto sent = ask_modern(1, "", kTasks);
    EXPECT_EQ(at(sent->answer(), "/result/resultType"), "task");
    std::string meta(kModernMeta);
    meta.replace(meta.find("CAPABILITIES"), 12, kTasks);
    const std::string params =
        fmt::format(R"({{"taskId":"{}",{}}})", at(sent->answer(), "/result/taskId"), meta);
    EXPECT_EQ(at(request(2, "tasks/get", params)->answer(), "/result/status"), "working");
    EXPECT_EQ(at(request(3, "tasks/result", params)->answer(), "/error/code"), "-32601");
    answer("Tea");
    const auto done = request(4, "tasks/get", params)->answer();
    EXPECT_EQ(at(done, "/result/status"), "completed");
    EXPECT_EQ(at(done, "/result/result/structuredContent/status"), "answered");

    ask_modern(5, "", kTasks);
    const std::string second = fmt::format(R"({{"taskId":"{}",{}}})", pending()->id.str(), meta);
    request(6, "tasks/cancel", second);
    EXPECT_EQ(pending(), nullptr);
    EXPECT_EQ(at(request(7, "tasks/get", second)->answer(), "/result/status"), "cancelled");
}

}  // namespace
}  // namespace parley::mcp
