// SPDX-License-Identifier: Apache-2.0
#include "net/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "net/test_support.h"

namespace parley::net::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ChildOptions shell(std::string script) {
    return {.argv = {"sh", "-c", std::move(script)}};
}

Co<std::vector<std::string>> read_lines(Child* child) {
    std::vector<std::string> lines;
    while (true) {
        auto line = co_await child->read_line();
        if (!line) {
            lines.push_back("error: " + line.error().message);
            co_return lines;
        }
        if (!*line) co_return lines;
        lines.push_back(std::move(**line));
    }
}

TEST(Child, GivesItsOutputByLinesAndItsExitStatus) {
    Loop loop;
    auto child = Child::spawn(loop, shell("printf 'one\\n\\ntwo\\nno end'; exit 3"));
    ASSERT_TRUE(child);
    EXPECT_THAT(run(loop, read_lines(&*child)), ElementsAre("one", "", "two", "no end"));
    const ExitStatus status = run(loop, child->wait());
    EXPECT_EQ(status.code, 3);
    EXPECT_EQ(status.str(), "exit status 3");
    EXPECT_FALSE(child->is_running());
}

TEST(Child, TakesInputWithBackPressure) {
    Loop loop;
    auto options = shell("cat | wc -c");
    options.input = Stdio::pipe;
    auto child = Child::spawn(loop, std::move(options));
    ASSERT_TRUE(child);
    ASSERT_TRUE(run(loop, child->write(std::string(2'000'000, 'x'))));
    child->close_input();
    EXPECT_THAT(run(loop, read_lines(&*child)), ElementsAre("2000000"));
}

TEST(Child, GetsFolderAndEnvironmentAndNothingElseOfOurs) {
    Loop loop;
    auto options = shell("pwd; echo $COLOUR; ls /proc/self/fd | wc -l; trap '' PIPE; trap");
    options.folder = "/usr";
    options.environment = {"COLOUR=blue", "PATH=/usr/bin:/bin"};
    auto child = Child::spawn(loop, std::move(options));
    ASSERT_TRUE(child);
    const auto lines = run(loop, read_lines(&*child));
    ASSERT_GE(lines.size(), 3U);
    EXPECT_EQ(lines[0], "/usr");
    EXPECT_EQ(lines[1], "blue");
    EXPECT_EQ(lines[2], "4") << "the three standard ones, and the one that ls reads";
}

TEST(Child, SaysWhatCouldNotBeStarted) {
    Loop loop;
    const auto missing = Child::spawn(loop, {.argv = {"no-such-program-here"}});
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("no-such-program-here"));
    auto options = shell("true");
    options.folder = "/no/such/folder";
    const auto nowhere = Child::spawn(loop, std::move(options));
    ASSERT_FALSE(nowhere);
    EXPECT_THAT(nowhere.error().message, HasSubstr("/no/such/folder"));
}

TEST(Child, TerminateStopsTheWholeGroup) {
    Loop loop;
    // The grandchild holds the pipe open: the output ends only if it was stopped too.
    auto child = Child::spawn(loop, shell("sleep 1000 & echo ready; wait"));
    ASSERT_TRUE(child);
    ASSERT_EQ(**run(loop, child->read_line()), "ready");
    child->terminate();
    EXPECT_EQ(run(loop, child->wait()).signal, SIGTERM);
    EXPECT_THAT(run(loop, read_lines(&*child)), ElementsAre());
}

TEST(Child, OneThatIgnoresTermIsKilledAfterTheGrace) {
    Loop loop;
    auto child = Child::spawn(loop, shell("trap '' TERM; echo ready; while :; do sleep 1; done"));
    ASSERT_TRUE(child);
    ASSERT_EQ(**run(loop, child->read_line()), "ready");
    child->terminate(Millis(20));
    const ExitStatus status = run(loop, child->wait());
    EXPECT_EQ(status.signal, SIGKILL);
    EXPECT_THAT(status.str(), HasSubstr("Killed"));
}

TEST(Child, ALineOverTheLimitIsAFailure) {
    Loop loop;
    auto options = shell("head -c 100000 /dev/zero; sleep 1000");
    options.line_bytes_max = 1000;
    auto child = Child::spawn(loop, std::move(options));
    ASSERT_TRUE(child);
    EXPECT_THAT(run(loop, read_lines(&*child)), ElementsAre(HasSubstr("over 1000 bytes")));
}

TEST(Child, WritingToOneThatReadsNoMoreFails) {
    Loop loop;
    auto options = shell("exec 0<&-; echo closed; sleep 1000");
    options.input = Stdio::pipe;
    auto child = Child::spawn(loop, std::move(options));
    ASSERT_TRUE(child);
    ASSERT_EQ(**run(loop, child->read_line()), "closed");
    EXPECT_FALSE(run(loop, child->write("hello\n")));
}

}  // namespace
}  // namespace parley::net::testing
