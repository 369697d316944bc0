// SPDX-License-Identifier: Apache-2.0
#include "wire/json_rpc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::wire::rpc {
namespace {

using ::testing::HasSubstr;

template <class T>
T only(std::string_view text) {
    Document document = parse(text);
    EXPECT_EQ(document.messages.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<T>(document.messages.at(0))) << text;
    return std::get<T>(document.messages.at(0));
}

TEST(JsonRpc, ReadsEachKindOfMessage) {
    const auto request = only<Request>(
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask_user"}})");
    EXPECT_EQ(request.id, Id{std::int64_t{7}});
    EXPECT_EQ(request.method, "tools/call");
    EXPECT_TRUE(request.params.is_object());
    const auto notification = only<Notification>(R"({"jsonrpc":"2.0","method":"initialized"})");
    EXPECT_TRUE(notification.params.is_null());
    const auto response = only<Response>(R"({"jsonrpc":"2.0","id":"a","result":null})");
    EXPECT_EQ(response.id, Id{std::string("a")});
    const auto failure = only<Failure>(
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":[1]}})");
    EXPECT_EQ(failure.code, kMethodNotFound);
    EXPECT_TRUE(failure.data.is_array());
    const auto null_id = only<Request>(R"({"jsonrpc":"2.0","id":null,"method":"x"})");
    EXPECT_TRUE(null_id.id.is_null());
}

TEST(JsonRpc, SaysWhatIsWrongAndKeepsTheIdWhereItCan) {
    EXPECT_EQ(only<Malformed>("{nope").code, kParseError);
    EXPECT_EQ(only<Malformed>("[]").code, kInvalidRequest);
    EXPECT_EQ(only<Malformed>("3").code, kInvalidRequest);
    const std::string long_id(201, 'x');
    EXPECT_EQ(only<Malformed>(R"({"jsonrpc":"2.0","method":"x","id":")" + long_id + "\"}").code,
              kInvalidRequest)
        << "it would be held for as long as the call";
    EXPECT_EQ(only<Malformed>(R"({"id":4,"method":"x"})").id, Id{std::int64_t{4}});
    EXPECT_THAT(only<Malformed>(R"({"jsonrpc":"2.0","id":{},"method":"x"})").message,
                HasSubstr("\"id\""));
    EXPECT_THAT(only<Malformed>(R"({"jsonrpc":"2.0","id":1.5,"method":"x"})").message,
                HasSubstr("\"id\""));
    EXPECT_THAT(only<Malformed>(R"({"jsonrpc":"2.0","id":1,"method":1})").message,
                HasSubstr("\"method\""));
    EXPECT_THAT(only<Malformed>(R"({"jsonrpc":"2.0","id":1,"method":"x","params":"y"})").message,
                HasSubstr("\"params\""));
    EXPECT_EQ(only<Malformed>(R"({"jsonrpc":"2.0","id":1})").id, Id{std::int64_t{1}});
    EXPECT_EQ(only<Malformed>(R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})").id,
              Id{std::int64_t{1}});
    EXPECT_THAT(only<Malformed>(R"({"jsonrpc":"2.0","id":1,"error":{"code":"x"}})").message,
                HasSubstr("\"error\""));
}

TEST(JsonRpc, ABatchKeepsItsGoodMessages) {
    const Document document =
        parse(R"([{"jsonrpc":"2.0","id":1,"method":"a"},1,{"jsonrpc":"2.0","method":"b"}])");
    EXPECT_TRUE(document.batch);
    ASSERT_EQ(document.messages.size(), 3U);
    EXPECT_TRUE(std::holds_alternative<Request>(document.messages[0]));
    EXPECT_TRUE(std::holds_alternative<Malformed>(document.messages[1]));
    EXPECT_TRUE(std::holds_alternative<Notification>(document.messages[2]));
}

TEST(JsonRpc, WritesEachKind) {
    EXPECT_EQ(write_request({std::int64_t{1}}, "ping", "{}"),
              R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{}})");
    EXPECT_EQ(write_notification("done", ""), R"({"jsonrpc":"2.0","method":"done"})");
    EXPECT_EQ(write_response({std::string("x\"")}, "[1]"),
              R"({"jsonrpc":"2.0","id":"x\"","result":[1]})");
    EXPECT_EQ(write_failure({}, kParseError, "bad"),
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}})");
}

}  // namespace
}  // namespace parley::wire::rpc
