// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "base/limits.h"

namespace parley {
namespace {

using testing::HasSubstr;

class StillClock final : public Clock {
public:
    Instant wall() const override { return Instant(Millis(1'800'000'000'123)); }
    Mono mono() const override { return now; }
    Mono now{std::chrono::hours(1)};
};

class LogTest : public testing::Test {
protected:
    LogTest() { EXPECT_EQ(::pipe(ends_.data()), 0); }
    ~LogTest() override {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    std::string written() {
        std::array<char, 65536> buffer{};
        const auto size = ::read(ends_[0], buffer.data(), buffer.size());
        return {buffer.data(), static_cast<std::size_t>(size)};
    }

    StillClock clock_;
    std::array<int, 2> ends_{};
};

TEST_F(LogTest, WritesOneLineWithTimeLevelEventAndFields) {
    Log log(clock_, {.descriptor = ends_[1]});
    log.info("request", {{"status", "200"}, {"path", "/v1/asks"}});
    EXPECT_EQ(written(),
              "time=2027-01-15T08:00:00.123Z level=info event=request status=200 path=/v1/asks\n");
}

// A value with a line break or a quote forges neither a line nor a field, in either format.
TEST_F(LogTest, AValueCannotBreakOutOfItsField) {
    Log plain(clock_, {.descriptor = ends_[1]});
    plain.info("x", {{"path", "/a b\" level=error\nevent=forged"}});
    EXPECT_THAT(written(), HasSubstr("path=\"/a b\\\" level=error\\u000aevent=forged\"\n"));
    Log json(clock_, {.descriptor = ends_[1], .format = LogFormat::json});
    json.info("x", {{"path", "\"\n\\"}});
    EXPECT_THAT(written(), HasSubstr(R"("path":"\"\u000a\\"})"));
}

TEST_F(LogTest, LevelsBelowTheWantedOneAreLeftOut) {
    Log log(clock_, {.descriptor = ends_[1], .level = LogLevel::warning});
    log.info("quiet");
    log.error("loud");
    EXPECT_THAT(written(), testing::Not(HasSubstr("quiet")));
}

TEST_F(LogTest, AnEventThatRepeatsTooOftenIsHeldBackAndCounted) {
    Log log(clock_, {.descriptor = ends_[1]});
    for (int i = 0; i < limits::kLogLinesPerSecond + 5; ++i) log.info("storm");
    const std::string storm = written();
    EXPECT_EQ(std::count(storm.begin(), storm.end(), '\n'), limits::kLogLinesPerSecond);
    clock_.now += std::chrono::seconds(2);
    log.info("storm");
    EXPECT_THAT(written(), HasSubstr("held_back=5"));
}

}  // namespace
}  // namespace parley
