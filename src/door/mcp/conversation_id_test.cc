// SPDX-License-Identifier: Apache-2.0
#include "door/mcp/conversation_id.h"

#include <gtest/gtest.h>

#include "door/limits.h"

namespace parley::mcp {
namespace {

const IdSeal kSeal{.key = "key", .right = "prn_bot "};

ClientInfo client_of(std::string_view capabilities) {
    return read_initialize(
               json::parse(R"({"protocolVersion":"2025-11-25","clientInfo":{"name":"tester"},)"
                           R"("capabilities":)" +
                           std::string(capabilities) + "}")
                   .value())
        .value();
}

TEST(McpConversationId, SaysWhoTheClientIs) {
    const ClientInfo client = client_of(R"({"elicitation":{"form":{},"url":{}},"roots":{}})");
    const std::string id = write_conversation_id(client, kSeal);
    EXPECT_NE(id, write_conversation_id(client, kSeal));
    EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789-_."),
              std::string::npos)
        << id;
    const auto read = read_conversation_id(id, kSeal);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->name, "tester");
    EXPECT_EQ(read->version, "2025-11-25");
    EXPECT_TRUE(read->has_forms);
    EXPECT_TRUE(read->has_urls);
}

TEST(McpConversationId, IsNoneOfAnotherCallerOrKeyOrChanged) {
    const std::string id = write_conversation_id(client_of("{}"), kSeal);
    EXPECT_FALSE(read_conversation_id(id, {.key = "other", .right = kSeal.right}));
    EXPECT_FALSE(read_conversation_id(id, {.key = kSeal.key, .right = "prn_other "}));
    EXPECT_FALSE(read_conversation_id(id + "0", kSeal));
    EXPECT_FALSE(read_conversation_id("", kSeal));
    EXPECT_FALSE(read_conversation_id("..", kSeal));
}

TEST(McpConversationId, HasABound) {
    const std::string much(2 * limits::kMcpCapabilityBytes, 'x');
    const ClientInfo client =
        client_of(R"({"elicitation":{},"extensions":{"much":")" + much + "\"}}");
    const std::string id = write_conversation_id(client, kSeal);
    EXPECT_LT(id.size(), limits::kMcpCapabilityBytes);
    EXPECT_TRUE(read_conversation_id(id, kSeal)->has_forms);
}

}  // namespace
}  // namespace parley::mcp
