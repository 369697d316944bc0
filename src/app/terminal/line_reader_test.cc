// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/line_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <future>

#include "app/limits.h"

namespace parley::app {
namespace {

class LineReaderTest : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(::pipe(ends_.data()), 0); }
    void TearDown() override {
        close_writer();
        ::close(ends_[0]);
    }

    void write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t count = ::write(ends_[1], text.data(), text.size());
            ASSERT_GT(count, 0);
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    void close_writer() {
        if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
    }

    std::optional<std::string> next(LineReader& reader) {
        std::promise<std::optional<std::string>> line;
        home_.post([&] {
            reader.next([&](std::optional<std::string> got) { line.set_value(std::move(got)); });
        });
        return line.get_future().get();
    }

    std::array<int, 2> ends_ = {-1, -1};
    LoopThread home_;
};

TEST_F(LineReaderTest, GivesOneLineForEachCall) {
    LineReader reader(ends_[0], home_);
    write("one\n\ntwo\nlast");
    close_writer();
    EXPECT_EQ(next(reader), "one");
    EXPECT_EQ(next(reader), "");
    EXPECT_EQ(next(reader), "two");
    EXPECT_EQ(next(reader), "last");
    EXPECT_EQ(next(reader), std::nullopt);
    EXPECT_EQ(next(reader), std::nullopt);
}

TEST_F(LineReaderTest, ALineMayComeInPieces) {
    LineReader reader(ends_[0], home_);
    std::thread writer([this] {
        for (const std::string_view piece : {"a", "b", "c\nd"}) write(piece);
        close_writer();
    });
    EXPECT_EQ(next(reader), "abc");
    EXPECT_EQ(next(reader), "d");
    writer.join();
}

TEST_F(LineReaderTest, AnEndlessLineIsCut) {
    LineReader reader(ends_[0], home_);
    std::thread writer([this] {
        write(std::string(3 * limits::kInputLineBytes, 'x'));
        write("\nnext\n");
    });
    EXPECT_EQ(next(reader)->size(), limits::kInputLineBytes);
    EXPECT_EQ(next(reader), "next");
    writer.join();
}

// The question may be settled elsewhere while nobody types.
TEST_F(LineReaderTest, GoesAwayWhileItWaits) {
    bool was_called = false;
    {
        LineReader reader(ends_[0], home_);
        reader.next([&](const std::optional<std::string>&) { was_called = true; });
    }
    std::promise<void> done;
    home_.post([&] { done.set_value(); });
    done.get_future().wait();
    EXPECT_FALSE(was_called);
}

}  // namespace
}  // namespace parley::app
