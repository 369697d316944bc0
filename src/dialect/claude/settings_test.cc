// SPDX-License-Identifier: Apache-2.0
#include "dialect/claude/settings.h"

#include <gtest/gtest.h>

namespace parley::claude {
namespace {

const HookSetup kSetup{.command = "/usr/bin/parley hook claude --hook-timeout 600",
                       .timeout = Millis(600'000)};

json::Value parsed(std::string_view text) {
    return json::parse(text).value();
}

TEST(ClaudeSettings, KeepsWhatIsThereAndGoesWithoutTrace) {
    const std::string before =
        R"({"model":"x","hooks":{"PostToolUse":[{"matcher":"Edit","hooks":[{"type":"command",)"
        R"("command":"lint"}]}]},"env":{"A":"1"}})";
    const auto with = with_hooks(parsed(before), kSetup);
    ASSERT_TRUE(with);
    const auto found = find_hooks(*with);
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(found[0].event, "PostToolUse");
    EXPECT_EQ(found[1].event, "PermissionRequest");
    EXPECT_EQ(found[1].matcher, "*");
    EXPECT_TRUE(found[1].has_timeout);
    EXPECT_EQ(json::serialize(*without_hooks(*with)), before);
}

TEST(ClaudeSettings, InstallingTwiceIsInstallingOnce) {
    const auto once = with_hooks(json::Object(), kSetup);
    const auto twice = with_hooks(*once, kSetup);
    EXPECT_EQ(*once, *twice);
    EXPECT_EQ(json::serialize(*without_hooks(*twice)), "{}");
}

TEST(ClaudeSettings, ChangesTheWayOfAsking) {
    HookSetup before_dialog = kSetup;
    before_dialog.before_dialog = true;
    const auto changed = with_hooks(*with_hooks(json::Object(), kSetup), before_dialog);
    ASSERT_TRUE(changed);
    const auto found = find_hooks(*changed);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].event, "PreToolUse");
    EXPECT_EQ(found[0].matcher, "AskUserQuestion");
    for (const InstalledHook& hook : found) EXPECT_NE(hook.event, "PermissionRequest");
}

TEST(ClaudeSettings, LeavesAloneWhatItDoesNotUnderstand) {
    EXPECT_FALSE(with_hooks(parsed(R"({"hooks":[]})"), kSetup));
    EXPECT_FALSE(with_hooks(parsed(R"({"hooks":{"PostToolUse":{}}})"), kSetup));
    EXPECT_FALSE(with_hooks(parsed("[]"), kSetup));
}

TEST(ClaudeSettings, KnowsItsOwnCommands) {
    EXPECT_TRUE(is_our_command("'/a b/parley' hook claude"));
    EXPECT_FALSE(is_our_command("other hook claude"));
    EXPECT_FALSE(is_our_command("parley watch"));
}

}  // namespace
}  // namespace parley::claude
