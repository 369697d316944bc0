// SPDX-License-Identifier: Apache-2.0
#include "dialect/trpc/calls.h"

#include <gtest/gtest.h>

#include "dialect/limits.h"

namespace parley::trpc {
namespace {

TEST(TrpcCalls, OneCallHasTheWholeInput) {
    const auto calls = read_calls({.paths = "message.ask", .input = R"({"a":1})"});
    ASSERT_TRUE(calls.has_value());
    ASSERT_EQ(calls->size(), 1u);
    EXPECT_EQ(calls->front().path, "message.ask");
    EXPECT_EQ(json::serialize(calls->front().input), R"({"a":1})");
}

TEST(TrpcCalls, ABatchSharesOneObject) {
    const auto calls =
        read_calls({.paths = "a,b,c", .is_batch = true, .input = R"({"0":1,"2":"x"})"});
    ASSERT_TRUE(calls.has_value());
    ASSERT_EQ(calls->size(), 3u);
    EXPECT_EQ((*calls)[0].input, json::Value(1));
    EXPECT_TRUE((*calls)[1].input.is_null());
    EXPECT_EQ((*calls)[2].input, json::Value("x"));
}

// The path stays readable, so that the error can name it.
TEST(TrpcCalls, AnInputThatIsNoJsonIsAFaultOfEachCall) {
    const auto calls = read_calls({.paths = "a,b", .is_batch = true, .input = "{"});
    ASSERT_TRUE(calls.has_value());
    for (const Call& call : *calls) {
        ASSERT_TRUE(call.fault.has_value());
        EXPECT_EQ(call.fault->key, FailureKey::bad_request);
    }
}

TEST(TrpcCalls, ABatchIsBounded) {
    const std::string most(limits::kTrpcBatchMax - 1, ',');
    EXPECT_TRUE(read_calls({.paths = most, .is_batch = true}).has_value());
    const auto refused = read_calls({.paths = most + ",", .is_batch = true});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().key, FailureKey::payload_too_large);
}

TEST(TrpcCalls, ASocketMessageIsOneRequestOrSeveral) {
    json::Arena arena;
    const auto one = read_socket_message(
        R"({"id":1,"method":"subscription","params":{"path":"p","input":[8],"lastEventId":"7"}})",
        arena);
    ASSERT_EQ(one.size(), 1u);
    ASSERT_TRUE(one[0].has_value());
    EXPECT_EQ(one[0]->id, "1");
    EXPECT_EQ(one[0]->last_event_id, "7");
    EXPECT_EQ(json::serialize(one[0]->call.input), "[8]");
    const auto several =
        read_socket_message(R"([{"id":"x","method":"subscription.stop"},{"id":null}])", arena);
    ASSERT_EQ(several.size(), 2u);
    EXPECT_EQ(several[0]->method, SocketRequest::Method::stop);
    EXPECT_EQ(several[0]->id, "\"x\"");
    EXPECT_EQ(several[1].error().key, FailureKey::parse_error);
    const std::string long_id =
        R"({"id":")" + std::string(300, 'x') + R"(","method":"subscription.stop"})";
    EXPECT_EQ(read_socket_message(long_id, arena)[0].error().key, FailureKey::parse_error);
}

TEST(TrpcCalls, ConnectionParametersAreStrings) {
    EXPECT_EQ(read_params(R"({"token":"t"})")->token, "t");
    EXPECT_EQ(read_params(R"({"authorization":"Bearer t"})")->authorization, "Bearer t");
    EXPECT_FALSE(read_params("null")->token.has_value());
    EXPECT_EQ(read_params("[]").error().message, "Invalid connection params shape");
    EXPECT_EQ(read_params(R"({"token":1})").error().message, "Invalid connection params shape");
    EXPECT_EQ(read_params("x").error().message, "Not JSON-parsable query params");
    EXPECT_EQ(read_params_message(R"({"method":"connectionParams","data":{"token":"t"}})")->token,
              "t");
    EXPECT_FALSE(read_params_message(R"({"id":1,"method":"query"})").has_value());
}

TEST(TrpcEnvelope, ShapesAreThoseOfTheOfficialServer) {
    const Failure failure{.key = FailureKey::conflict, .message = "late"};
    EXPECT_EQ(call_document(tl::unexpected(failure), "message.answerAsk"),
              R"({"error":{"message":"late","code":-32009,"data":{"code":"CONFLICT",)"
              R"("httpStatus":409,"path":"message.answerAsk"}}})");
    EXPECT_EQ(call_frame("4", std::string("[]"), "p"),
              R"({"id":4,"result":{"type":"data","data":[]}})");
    EXPECT_EQ(state_frame("4", "started"), R"({"id":4,"result":{"type":"started"}})");
    EXPECT_EQ(failure_of_status(413, "").key, FailureKey::payload_too_large);
    EXPECT_EQ(failure_of_status(418, "").key, FailureKey::bad_request);
    EXPECT_EQ(failure_of_status(502, "").key, FailureKey::internal_server_error);
}

// A path comes from a URL and may hold any bytes; what is written must still be JSON.
TEST(TrpcEnvelope, BytesThatAreNoTextAreShownEscaped) {
    const Failure failure{.key = FailureKey::not_found, .message = "no \xff"};
    EXPECT_TRUE(json::parse(call_document(tl::unexpected(failure), "\xfe")).has_value());
}

}  // namespace
}  // namespace parley::trpc
