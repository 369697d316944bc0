// SPDX-License-Identifier: Apache-2.0
#include "net/out_queue.h"

#include <gtest/gtest.h>

#include <array>

#include "base/properties_test.h"

namespace parley::net {
namespace {

std::string front_bytes(const OutQueue& queue, std::size_t parts_max = 64) {
    std::vector<iovec> parts(parts_max);
    const std::size_t count = queue.gather(parts);
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) {
        bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
    }
    return bytes;
}

TEST(OutQueue, JoinsCopiesAndKeepsSharedBytesByReference) {
    OutQueue queue;
    const auto shared = std::make_shared<const std::string>("[shared]");
    queue.copy("one ");
    queue.copy("two ");
    queue.share(shared, *shared);
    queue.body(Body(std::string(100'000, 'b')));
    queue.copy(" end");
    std::array<iovec, 8> parts;
    EXPECT_EQ(queue.gather(parts), 4U);
    EXPECT_EQ(parts[1].iov_base, shared->data());
    EXPECT_EQ(front_bytes(queue), "one two [shared]" + std::string(100'000, 'b') + " end");
    EXPECT_EQ(queue.bytes(), 100'020U);
    queue.consume(100'020);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(shared.use_count(), 1);
}

// What the kernel has taken of a body frees nothing while the rest of it waits.
TEST(OutQueue, HoldsABodyWholeUntilItsLastByteIsGone) {
    OutQueue queue;
    queue.copy("head");
    queue.body(Body(std::string(100'000, 'b')));
    const auto shared = std::make_shared<const std::string>(std::string(50'000, 's'));
    queue.share(shared, *shared);
    queue.consume(4 + 99'999);
    EXPECT_EQ(queue.bytes(), 50'001U);
    EXPECT_GE(queue.held(), 150'000U);
    queue.consume(1);
    EXPECT_EQ(queue.held(), 50'000U);
    queue.consume(20'000);
    EXPECT_EQ(queue.held(), 30'000U) << "what is shared is kept for others anyway";
    queue.clear();
    EXPECT_EQ(queue.held(), 0U);
}

// Whatever is put in and taken out in whatever pieces, the bytes come out in order, once.
RC_GTEST_PROP(OutQueueProperty, BytesLeaveInOrder, ()) {
    OutQueue queue;
    std::string expected;
    std::string left;
    char next = 'a';
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) {
        const auto size = *rc::gen::element<std::size_t>(1, 3, 100, 5000, 20'000);
        const std::string bytes(size, next);
        next = next == 'z' ? 'a' : static_cast<char>(next + 1);
        switch (*rc::gen::inRange(0, 3)) {
            case 0: queue.copy(bytes); break;
            case 1: queue.body(Body(bytes)); break;
            default: {
                const auto shared = std::make_shared<const std::string>(bytes);
                queue.share(shared, *shared);
            }
        }
        expected += bytes;
        const std::string front = front_bytes(queue, 3);
        const auto taken = *rc::gen::inRange<std::size_t>(0, front.size() + 1);
        left += front.substr(0, taken);
        queue.consume(taken);
        RC_ASSERT(queue.bytes() == expected.size() - left.size());
    }
    while (!queue.empty()) {
        const std::string front = front_bytes(queue, 2);
        left += front;
        queue.consume(front.size());
    }
    RC_ASSERT(left == expected);
}

}  // namespace
}  // namespace parley::net
