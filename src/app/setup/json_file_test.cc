// SPDX-License-Identifier: Apache-2.0
#include "app/setup/json_file.h"

#include <gtest/gtest.h>

#include "base/properties_test.h"

namespace parley::app {
namespace {

JsonFile file_of(std::string text) {
    return {.path = {}, .text = std::move(text), .value = {}};
}

std::string with_hooks(std::string text) {
    const json::Value value(json::Object{{"Stop", json::Array{1}}});
    return with_member(file_of(std::move(text)), "hooks", &value);
}

std::string without_hooks(std::string text) {
    return with_member(file_of(std::move(text)), "hooks", nullptr);
}

constexpr std::string_view kHooks = "{\n    \"Stop\": [\n      1\n    ]\n  }";

TEST(JsonFile, AMemberIsAddedBehindWhatIsThere) {
    const std::string hooks(kHooks);
    EXPECT_EQ(with_hooks(""), "{\n  \"hooks\": " + hooks + "\n}\n");
    EXPECT_EQ(with_hooks("{ }"), "{\n  \"hooks\": " + hooks + "\n}");
    EXPECT_EQ(with_hooks("{\"a\": [1,\"}\\\"\"] }\n"),
              "{\"a\": [1,\"}\\\"\"],\n  \"hooks\": " + hooks + "\n}\n");
    EXPECT_EQ(with_hooks("{\n  \"a\": 1.50\n}\n"),
              "{\n  \"a\": 1.50,\n  \"hooks\": " + hooks + "\n}\n");
}

TEST(JsonFile, AMemberIsReplacedInItsPlaceAndNothingElseMoves) {
    const std::string hooks(kHooks);
    EXPECT_EQ(with_hooks("{\"a\":1e3,\"hooks\":{\"x\":[]} ,\t\"b\":[1,  2]}"),
              "{\"a\":1e3,\"hooks\":" + hooks + " ,\t\"b\":[1,  2]}");
    EXPECT_EQ(with_hooks(R"({"inner":{"hooks":1},"hooks":true})"),
              R"({"inner":{"hooks":1},"hooks":)" + hooks + "}");
    EXPECT_EQ(with_hooks(R"({"ho\u006fks":null})"), R"({"ho\u006fks":)" + hooks + "}");
}

TEST(JsonFile, AMemberIsTakenOutWithItsComma) {
    EXPECT_EQ(without_hooks(R"({"hooks": {}})"), "{}");
    EXPECT_EQ(without_hooks(R"({"hooks": {}, "b":  2})"), R"({"b":  2})");
    EXPECT_EQ(without_hooks("{\n  \"a\": 1,\n  \"hooks\": [{}]\n}\n"), "{\n  \"a\": 1\n}\n");
    EXPECT_EQ(without_hooks(R"({"a": 1, "hooks": "x", "b": 2})"), R"({"a": 1, "b": 2})");
    EXPECT_EQ(without_hooks(R"({"a":1})"), R"({"a":1})");
    EXPECT_EQ(without_hooks(""), "");
}

// Whatever the file holds, the result is JSON that differs in this member alone.
RC_GTEST_PROP(JsonFile, OnlyTheMemberChanges, (const std::map<std::string, std::string>& texts)) {
    json::Object object;
    for (const auto& [name, text] : texts) {
        if (json::parse(json::serialize(json::Value(name))) && name != "hooks")
            object[name] = json::Array{text.size(), json::Object{{"deep", "}],\""}}};
    }
    const json::Value before(object);
    const std::string text = json::serialize(before);
    const json::Value value(json::Object{{"Stop", json::Array{1}}});
    const std::string after = with_member(file_of(text), "hooks", &value);
    object["hooks"] = value;
    const auto read = json::parse(after);
    RC_ASSERT(read && *read == json::Value(object));
    const auto back = json::parse(with_member(file_of(after), "hooks", nullptr));
    RC_ASSERT(back && *back == before);
}

}  // namespace
}  // namespace parley::app
