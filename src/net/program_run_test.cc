// SPDX-License-Identifier: Apache-2.0
#include "net/program_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class ProgramRunTest : public testing::Test {
protected:
    Result<ProgramEnd> run(std::string script, std::string input = "", Millis time = 20s) {
        Result<ProgramEnd> got = reject(ErrorCode::internal, "not called");
        run_program(loop_,
                    {.argv = {"/bin/sh", "-c", std::move(script)},
                     .environment = {"PATH=/usr/bin:/bin", "WORD=a b"},
                     .input = std::move(input),
                     .time = time,
                     .last_words = 200ms},
                    [&](Result<ProgramEnd> end) {
                        got = std::move(end);
                        loop_.stop();
                    });
        loop_.run();
        return got;
    }

    Loop loop_;
};

TEST_F(ProgramRunTest, GivesTheInputAndTheEnvironmentAndTellsTheEnd) {
    const auto end = run(R"(read -r line; echo "$line/$WORD" >&2; echo more >&2; exit 3)", "one\n");
    ASSERT_TRUE(end);
    EXPECT_EQ(end->status.code, 3);
    EXPECT_EQ(end->complaint, "one/a b");
    EXPECT_FALSE(end->is_late);
}

TEST_F(ProgramRunTest, OneThatReadsNothingDoesNoHarm) {
    const auto end = run("exit 0", std::string(1 << 20, 'x'));
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->status.ok());
}

TEST_F(ProgramRunTest, OneThatTakesTooLongIsStopped) {
    const auto end = run("sleep 600", "", 50ms);
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->is_late);
    EXPECT_NE(end->status.signal, 0);
}

// A program that starts another in the background has ended all the same.
TEST_F(ProgramRunTest, WhatItLeavesBehindIsNotWaitedFor) {
    const auto end = run("sleep 5 & echo here >&2; exit 1");
    ASSERT_TRUE(end);
    EXPECT_EQ(end->status.code, 1);
    EXPECT_EQ(end->complaint, "here");
}

TEST_F(ProgramRunTest, OneThatIsNotThereIsNamed) {
    Result<ProgramEnd> got = ProgramEnd{};
    run_program(loop_,
                {.argv = {"/no/such/program"},
                 .environment = {},
                 .input = {},
                 .time = 1s,
                 .last_words = 1s},
                [&](Result<ProgramEnd> end) {
                    got = std::move(end);
                    loop_.stop();
                });
    loop_.run();
    ASSERT_FALSE(got);
    EXPECT_THAT(got.error().message, HasSubstr("/no/such/program"));
}

}  // namespace
}  // namespace parley::net
