// SPDX-License-Identifier: Apache-2.0
#include "net/readable_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>

namespace parley::net {
namespace {

struct Pipe {
    std::array<int, 2> ends = {};

    Pipe() { EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0); }
    ~Pipe() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    void write(char byte) const { EXPECT_EQ(::write(ends[1], &byte, 1), 1); }
    char read() const {
        char byte = 0;
        EXPECT_EQ(::read(ends[0], &byte, 1), 1);
        return byte;
    }
};

TEST(ReadableWatch, TellsEachTimeAndLeavesTheDescriptorBlocking) {
    Loop loop;
    const Pipe pipe;
    std::string seen;
    ReadableWatch watch(loop, pipe.ends[0], [&] {
        seen += pipe.read();
        if (seen.size() == 2) return loop.stop();
        pipe.write('b');
    });
    pipe.write('a');
    loop.run();
    EXPECT_EQ(seen, "ab");
    EXPECT_EQ(::fcntl(pipe.ends[0], F_GETFL) & O_NONBLOCK, 0) << "others share it";
}

TEST(ReadableWatch, MayEndInsideItsCallAndClosesNothing) {
    Loop loop;
    const Pipe pipe;
    std::unique_ptr<ReadableWatch> watch;
    int calls = 0;
    watch = std::make_unique<ReadableWatch>(loop, pipe.ends[0], [&] {
        ++calls;
        watch.reset();
        loop.post([&] { loop.stop(); });
    });
    pipe.write('a');
    loop.run();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(pipe.read(), 'a') << "it is still open, and nothing was read";
}

}  // namespace
}  // namespace parley::net
