// SPDX-License-Identifier: Apache-2.0
// An ask as a task of its client, in both wire forms.
#include "bridge/mcp/conversation_fixture.h"

namespace parley::mcp {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST_F(ConversationTest, AnAskAsATaskOf2025) {
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

TEST_F(ConversationTest, AnAskAsATaskOfTheExtension) {
    const auto sent = ask_modern(1, "", kTasks);
    EXPECT_EQ(at(sent->answer(), "/result/resultType"), "task");
    const std::string meta = modern_meta(kTasks);
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

TEST_F(ConversationTest, AClientOf2025IsToldWhatBecomesOfItsTask) {
    initialize();
    const std::string id = at(ask(1, R"(,"task":{})")->answer(), "/result/task/taskId");
    EXPECT_THAT(aside_, SizeIs(0));
    answer("Tea");
    ASSERT_THAT(aside_, SizeIs(1));
    const json::Value told = json::parse(aside_[0]).value_or(json::Value());
    EXPECT_EQ(at(told, "/method"), "notifications/tasks/status");
    EXPECT_EQ(at(told, "/params/taskId"), id);
    EXPECT_EQ(at(told, "/params/status"), "completed");

    ask(2, R"(,"task":{})");
    request(3, "tasks/cancel", fmt::format(R"({{"taskId":"{}"}})", pending()->id.str()));
    ASSERT_THAT(aside_, SizeIs(2));
    EXPECT_THAT(aside_[1], HasSubstr("cancelled"));
}

TEST_F(ConversationTest, ATaskIsListenedFor) {
    const std::string meta = modern_meta(kTasks);
    const std::string id = at(ask_modern(1, "", kTasks)->answer(), "/result/taskId");
    const std::string other = "que_00000000000000000000000000";
    const auto heard = request(
        7, "subscriptions/listen",
        fmt::format(R"({{"notifications":{{"taskIds":["{}","{}","x"]}},{}}})", id, other, meta));
    ASSERT_THAT(heard->messages, SizeIs(1));
    EXPECT_EQ(at(heard->messages[0], "/method"), "notifications/subscriptions/acknowledged");
    EXPECT_EQ(at(heard->messages[0], "/params/notifications/taskIds"),
              fmt::format(R"(["{}"])", id));
    answer("Tea");
    ASSERT_THAT(heard->messages, SizeIs(2));
    const json::Value& told = heard->messages[1];
    EXPECT_EQ(at(told, "/method"), "notifications/tasks");
    EXPECT_EQ(at(told, "/params/taskId"), id);
    EXPECT_EQ(at(told, "/params/status"), "completed");
    EXPECT_EQ(at(told, "/params/result/structuredContent/status"), "answered");
    EXPECT_EQ(at(told, "/params/_meta/io.modelcontextprotocol~1subscriptionId"), "7");

    // What ended before is told at once.
    const auto late =
        request(8, "subscriptions/listen",
                fmt::format(R"({{"notifications":{{"taskIds":["{}"]}},{}}})", id, meta));
    ASSERT_THAT(late->messages, SizeIs(2));
    EXPECT_EQ(at(late->messages[1], "/params/status"), "completed");
}

TEST_F(ConversationTest, AListenerThatLeavesOrKnowsNoTasksIsToldNothing) {
    const std::string id = at(ask_modern(1, "", kTasks)->answer(), "/result/taskId");
    const auto listen = [&](int number, std::string_view capabilities) {
        return request(number, "subscriptions/listen",
                       fmt::format(R"({{"notifications":{{"taskIds":["{}"]}},{}}})", id,
                                   modern_meta(capabilities)));
    };
    const auto left = listen(2, kTasks);
    const auto unaware = listen(3, "{}");
    EXPECT_EQ(at(unaware->messages.at(0), "/params/notifications"), "{}");
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
    answer("Tea");
    EXPECT_THAT(left->messages, SizeIs(1));
    EXPECT_THAT(unaware->messages, SizeIs(1));
}

TEST_F(ConversationTest, ATaskAsksItsClientToo) {
    constexpr std::string_view kBoth =
        R"({"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
    const std::string id = at(ask_modern(1, "", kBoth)->answer(), "/result/taskId");
    const std::string rest = fmt::format(R"("taskId":"{}",{})", id, modern_meta(kBoth));
    const auto got = request(2, "tasks/get", "{" + rest + "}")->answer();
    EXPECT_EQ(at(got, "/result/status"), "input_required");
    EXPECT_EQ(at(got, "/result/inputRequests/form-1/method"), "elicitation/create");
    // What does not fit is asked for again, under another key.
    request(
        3, "tasks/update",
        fmt::format(R"({{"inputResponses":{{"form-1":{{"action":"accept","content":{{}}}}}},{}}})",
                    rest));
    const auto again = request(4, "tasks/get", "{" + rest + "}")->answer();
    EXPECT_EQ(at(again, "/result/inputRequests/form-2/method"), "elicitation/create");
    request(5, "tasks/update",
            fmt::format(R"({{"inputResponses":{{"form-2":{{"action":"accept","content":)"
                        R"({{"q0":"Tea"}}}}}},{}}})",
                        rest));
    const auto done = request(6, "tasks/get", "{" + rest + "}")->answer();
    EXPECT_EQ(at(done, "/result/status"), "completed");
    EXPECT_EQ(at(done, "/result/result/structuredContent/answers/0/selectedOptions/0"), "Tea");
}

}  // namespace
}  // namespace parley::mcp
