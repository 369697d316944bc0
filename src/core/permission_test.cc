// SPDX-License-Identifier: Apache-2.0
#include "core/permission.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/limits.h"
#include "core/questions.h"

namespace parley::permission {
namespace {

using testing::HasSubstr;
using testing::Not;

PermissionRequest checked(std::string tool, std::string input) {
    PermissionRequest request{.tool = std::move(tool), .input = std::move(input)};
    Faults faults;
    check(request, json::Path(), faults);
    EXPECT_TRUE(faults.empty()) << faults.list().front().detail;
    const PermissionRequest once = request;
    check(request, json::Path(), faults);
    EXPECT_EQ(request, once) << "checking twice changes nothing";
    return request;
}

std::string summary(std::string tool, std::string input) {
    return checked(std::move(tool), std::move(input)).summary;
}

std::string fault(PermissionRequest request) {
    Faults faults;
    check(request, json::Path(), faults);
    if (faults.empty()) return {};
    return faults.list().front().path + " " + faults.list().front().detail;
}

TEST(Permission, TheSummaryIsTheCommandThePathOrTheToolWithItsFirstArgument) {
    EXPECT_EQ(summary("Bash", R"({"command":"kubectl delete namespace staging-old","timeout":5})"),
              "kubectl delete namespace staging-old");
    EXPECT_EQ(summary("shell", R"({"command":["bash","-lc","make install"]})"), "make install");
    EXPECT_EQ(summary("shell", R"({"command":["rm","a b","it's"]})"), R"(rm 'a b' 'it'\''s')");
    EXPECT_EQ(summary("Write", R"({"file_path":"src/a.cc","content":"x"})"), "src/a.cc");
    EXPECT_EQ(summary("edit", R"({"filePath":"src/a.cc","oldString":"x","newString":"y"})"),
              "src/a.cc");
    EXPECT_EQ(summary("NotebookEdit", R"({"notebook_path":"n.ipynb","new_source":"1"})"),
              "n.ipynb");
    EXPECT_EQ(summary("Read", R"({"file_path":"/etc/passwd"})"), "/etc/passwd");
    EXPECT_EQ(summary("mcp__github__create_issue", R"({"repo":"acme/shop","title":"It breaks"})"),
              "mcp__github__create_issue(repo: acme/shop, …)");
    EXPECT_EQ(summary("mcp__fs__write_file", R"({"path":"/a","content":"x"})"),
              "mcp__fs__write_file(path: /a, …)");
    EXPECT_EQ(summary("WebFetch", R"({"url":"https://example.org/"})"),
              "WebFetch(url: https://example.org/)");
    EXPECT_EQ(summary("Restart", "{}"), "Restart");
    EXPECT_EQ(summary("Odd", "[1,2]"), "Odd");
    EXPECT_EQ(summary("Bash", R"({"script":"x"})"), "Bash(script: x)");
}

TEST(Permission, TheSummaryIsOneSafeLineAndSaysWhatItLeavesOut) {
    EXPECT_EQ(summary("Bash", R"({"command":"cd x\n\n  make \\\n  install\n"})"),
              "cd x ↵ make install");
    EXPECT_EQ(summary("Bash", R"({"command":"echo \u001b[2J\u202e x"})"),
              R"(echo \x1b[2J\u{202e} x)");
    const std::string cut =
        summary("Bash", R"({"command":")" + std::string(limits::kSummaryChars + 1, 'x') + R"("})");
    EXPECT_TRUE(cut.ends_with("x…")) << cut;
}

TEST(Permission, AnEditIsADiffWithTheNewTextInSight) {
    EXPECT_EQ(*checked("Edit", R"({"file_path":"a.cc","old_string":"one\ntwo\n",)"
                               R"("new_string":"one\n2\n","replace_all":true})")
                   .diff,
              "--- a.cc\n+++ a.cc\n@@ -1,2 +1,2 @@ every occurrence\n one\n-two\n+2\n");
    EXPECT_EQ(*checked("MultiEdit", R"({"file_path":"a","edits":[)"
                                    R"({"old_string":"x","new_string":"y"},)"
                                    R"({"old_string":"","new_string":"z"}]})")
                   .diff,
              "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\n+y\n@@ -0,0 +1,1 @@\n+z\n");
    EXPECT_EQ(*checked("Write", R"({"file_path":"a","content":"x\ny\n"})").diff,
              "--- a\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n");
    EXPECT_EQ(checked("Read", R"({"file_path":"a"})").diff, std::nullopt);
}

TEST(Permission, NoLineOfADiffIsForged) {
    EXPECT_EQ(*checked("Write", R"({"file_path":"a\n+++ b","content":"x\r-y"})").diff,
              "--- a +++ b\n+++ a +++ b\n@@ -0,0 +1,2 @@\n+x\n+-y\n");
    EXPECT_THAT(
        *checked("Edit", R"({"file_path":"a","old_string":"x\r\n","new_string":"x\n"})").diff,
        HasSubstr("-x\r\n+x\n"));
}

// An agent that was led astray adds members that look like the change and are not.
TEST(Permission, ADecoyHidesNothingOfTheChange) {
    const auto in_sight = [](std::string tool, std::string input) {
        AskSpec spec{.questions = {}};
        spec.permission = checked(std::move(tool), std::move(input));
        return context_text(spec);
    };
    EXPECT_THAT(in_sight("Write", R"({"file_path":"a","content":"evil","old_string":"x",)"
                                  R"("new_string":"fine"})"),
                HasSubstr("+evil"));
    EXPECT_THAT(in_sight("Edit", R"({"file_path":"a","edits":[{"old_string":"x",)"
                                 R"("new_string":"fine"}],"old_string":"y","new_string":"evil"})"),
                HasSubstr("+evil"));
    EXPECT_THAT(in_sight("Edit", R"({"file_path":"a","old_string":"x","new_string":"fine",)"
                                 R"("newString":"evil"})"),
                HasSubstr("evil"));
    EXPECT_THAT(in_sight("Edit", R"({"file_path":"a","old_string":"x","new_string":"fine",)"
                                 R"("new_source":"evil"})"),
                HasSubstr("+evil"));
    EXPECT_THAT(in_sight("Edit", R"({"file_path":"a","old_string":"x","new_string":"fine",)"
                                 R"("edits":["evil"],"cell_id":"secret"})"),
                testing::AllOf(HasSubstr("evil"), HasSubstr("secret")));
}

TEST(Permission, ManyEditsCostNoMoreThanOne) {
    const auto diff = [](std::size_t edits) {
        std::string before;
        std::string after;
        for (int i = 0; i < 200; ++i) {
            before += fmt::format("{} old\\nkept\\n", i);
            after += fmt::format("{} new\\nkept\\n", i);
        }
        const std::string edit =
            fmt::format(R"({{"old_string":"{}","new_string":"{}"}})", before, after);
        std::string list = edit;
        while (--edits > 0) list += "," + edit;
        return *checked("MultiEdit", R"({"file_path":"a","edits":[)" + list + "]}").diff;
    };
    EXPECT_THAT(diff(1), HasSubstr("-0 old\n+0 new\n kept\n"));
    EXPECT_THAT(diff(50), HasSubstr("-0 old\n-kept\n")) << "told whole, which costs nothing";
}

TEST(Permission, OnlyAKnownShellIsLeftOutOfItsCommand) {
    EXPECT_EQ(summary("shell", R"({"command":["/bin/sh","-c","ls"]})"), "ls");
    EXPECT_EQ(summary("shell", R"({"command":["/tmp/fresh","-c","ls"]})"), "/tmp/fresh -c ls");
    EXPECT_EQ(summary("shell", R"({"command":["/tmp/bash","-c","ls"]})"), "/tmp/bash -c ls");
}

TEST(Permission, LinesAreJoinedOnlyWhereAShellJoinsThem) {
    EXPECT_EQ(summary("Bash", R"({"command":"make \\\n  -j4"})"), "make -j4");
    EXPECT_EQ(summary("Bash", R"({"command":"echo a\\\\\nrm -rf /"})"), R"(echo a\\ ↵ rm -rf /)");
    EXPECT_EQ(summary("Bash", R"({"command":"ls \\ \nrm -rf /"})"), R"(ls \ ↵ rm -rf /)");
    EXPECT_EQ(summary("Bash", R"({"command":"ls # or \\\nrm -rf /"})"), R"(ls # or \ ↵ rm -rf /)");
}

TEST(Permission, APatchIsADiffOfItsFiles) {
    const PermissionRequest request = checked(
        "apply_patch", R"({"input":"*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-x\n+y\n)"
                       R"(*** Add File: b.py\n+z\n*** End Patch\n"})");
    EXPECT_EQ(request.summary, "a.py, b.py");
    EXPECT_EQ(*request.diff,
              "--- a.py\n+++ a.py\n@@ def f():\n-x\n+y\n--- /dev/null\n+++ b.py\n+z\n");
}

TEST(Permission, ADiffOfTheInputGoesBeforeTheAskersOwn) {
    PermissionRequest request{
        .tool = "Write", .input = R"({"file_path":"a","content":"x"})", .diff = "+ nothing to see"};
    Faults faults;
    check(request, json::Path(), faults);
    EXPECT_THAT(*request.diff, Not(HasSubstr("nothing")));
    request = {.tool = "Deploy", .input = "{}", .diff = "-a\r\n+b"};
    check(request, json::Path(), faults);
    EXPECT_EQ(request.diff, "-a\n+b");
}

TEST(Permission, APlanIsKeptWholeAndNamedByItsFirstLine) {
    const PermissionRequest request =
        checked("ExitPlanMode", R"({"plan":"\n## Move the store\n\n1. copy\n2. switch"})");
    EXPECT_EQ(request.summary, "Move the store");
    EXPECT_EQ(request.plan, "\n## Move the store\n\n1. copy\n2. switch");
    PermissionRequest given{.tool = "ExitPlanMode", .input = "{}", .plan = "Just do it"};
    Faults faults;
    check(given, json::Path(), faults);
    EXPECT_EQ(given.summary, "Just do it");
}

TEST(Permission, TheInputIsKeptWholeOrRefused) {
    EXPECT_EQ(checked("Bash", "{ \"command\" : \"ls\" }").input, R"({"command":"ls"})");
    EXPECT_EQ(checked("Restart", "").input, "{}");
    const std::string large =
        R"({"file_path":"a","content":")" + std::string(900'000, 'x') + R"("})";
    const PermissionRequest request = checked("Write", large);
    EXPECT_EQ(request.input, large);
    EXPECT_THAT(*request.diff, HasSubstr(std::string(900'000, 'x')));
    EXPECT_THAT(fault({.tool = "Write", .input = std::string(limits::kPermissionBytes + 1, ' ')}),
                HasSubstr("/input the tool's input has 1048577 bytes"));
    EXPECT_THAT(fault({.tool = "Write", .input = "{"}), HasSubstr("/input"));
    EXPECT_THAT(fault({.tool = "", .input = "{}"}), HasSubstr("/tool"));
    EXPECT_THAT(fault({.tool = "a\nb", .input = "{}"}), HasSubstr("/tool"));
}

TEST(Permission, AnInputThatIsTooDeepIsReadAsText) {
    const std::string deep = std::string(60, '[') + std::string(60, ']');
    const auto value = json::parse(deep, {.depth_max = 128});
    ASSERT_TRUE(value);
    EXPECT_EQ(checked("X", input_text(*value)).input, '"' + deep + '"');
    EXPECT_EQ(input_text(json::parse("[1]").value()), "[1]");
}

TEST(Permission, TheQuestionSaysTheEssence) {
    const auto question = [](std::string tool, std::string input) {
        return question_text("Claude Code", checked(std::move(tool), std::move(input)));
    };
    EXPECT_EQ(question("Bash", R"({"command":"make"})"), "May Claude Code run `make`?");
    EXPECT_EQ(question("Bash", R"({"command":"echo `date`"})"),
              "May Claude Code run `` echo `date` ``?");
    EXPECT_EQ(question("Write", R"({"file_path":"a"})"), "May Claude Code write `a`?");
    EXPECT_EQ(question("ExitPlanMode", R"({"plan":"# P"})"),
              "May Claude Code go on with its plan: `P`?");
    EXPECT_EQ(question("ExitPlanMode", "{}"), "May Claude Code go on with its plan?");
    EXPECT_EQ(question("mcp__x__y", R"({"repo":"a"})"),
              "May Claude Code use `mcp__x__y(repo: a)`?");
}

TEST(Permission, TheContextShowsAllThatWouldHappen) {
    AskSpec spec{.questions = {}, .context = "Because.\n"};
    EXPECT_EQ(context_text(spec), "Because.\n");
    spec.permission = checked("Bash", R"({"command":"rm -rf ```x\n","timeout":5})");
    EXPECT_EQ(context_text(spec),
              "Because.\n\ncommand:\n\n````\nrm -rf ```x\n````\n\ntimeout:\n\n```\n5\n```\n\n");
    spec.context.reset();
    spec.permission = checked("Edit", R"({"file_path":"a","old_string":"x","new_string":"y"})");
    EXPECT_EQ(context_text(spec), "```diff\n" + *spec.permission->diff + "```\n\n");
    spec.permission = checked("ExitPlanMode", R"({"plan":"# P\n\n1. x"})");
    EXPECT_EQ(context_text(spec), "# P\n\n1. x\n\n");
}

TEST(Permission, WhatIsNotPlainlyADenialAllows) {
    AskSpec spec;
    EXPECT_TRUE(allows(spec, kAllowOnce));
    EXPECT_TRUE(allows(spec, kAllowForSession));
    EXPECT_FALSE(allows(spec, "Yes")) << "nothing is permitted here";
    spec.permission = PermissionRequest{.tool = "Bash"};
    for (const std::string_view label :
         {"Don't ask again", "Yes", "Allow", "Proceed", "Nothing less", "Notify"})
        EXPECT_TRUE(allows(spec, label)) << label;
    for (const std::string_view label :
         {"Deny", "No", "no, and tell it why", "Don't", "Reject", "Do not run it", "Cancel"})
        EXPECT_FALSE(allows(spec, label)) << label;
}

TEST(Permission, TwoAsksOfOneKeyThatPermitDifferentThingsAreTwo) {
    AskSpec one{.questions = {}, .permission = checked("Bash", R"({"command":"ls"})")};
    AskSpec other = one;
    EXPECT_TRUE(asks_the_same(one, other));
    other.permission = checked("Bash", R"({"command":"rm"})");
    EXPECT_FALSE(asks_the_same(one, other));
    other.permission.reset();
    EXPECT_FALSE(asks_the_same(one, other));
}

}  // namespace
}  // namespace parley::permission
