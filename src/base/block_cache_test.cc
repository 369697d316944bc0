// SPDX-License-Identifier: Apache-2.0
#include "base/block_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/limits.h"

namespace parley {
namespace {

TEST(BlockCache, GivesBlocksThatOverlapNothing) {
    std::vector<std::pair<unsigned char*, std::size_t>> taken;
    for (int round = 0; round < 3; ++round) {
        for (std::size_t bytes = 1; bytes <= limits::kBlockBytesMax + 64; bytes += 7) {
            auto* block = static_cast<unsigned char*>(take_block(bytes));
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                      0U);
            std::memset(block, static_cast<int>(bytes % 251), bytes);
            taken.emplace_back(block, bytes);
        }
        for (const auto& [block, bytes] : taken) {
            for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], bytes % 251);
            give_block(block, bytes);
        }
        taken.clear();
    }
}

TEST(BlockCache, TakesBackMoreThanItKeeps) {
    std::vector<void*> taken(3 * limits::kBlocksKept);
    for (void*& block : taken) block = take_block(48);
    for (void* block : taken) give_block(block, 48);
}

TEST(BlockCache, TakesBlocksFromAnotherThread) {
    std::vector<std::shared_ptr<std::string>> made;
    std::thread maker([&made] {
        for (int i = 0; i < 1000; ++i)
            made.push_back(make_shared_block<std::string>(std::to_string(i)));
    });
    maker.join();
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(*made[static_cast<std::size_t>(i)], std::to_string(i));
    made.clear();
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
TEST(BlockCacheDeathTest, ABlockThatWasGivenBackMayNotBeTouchedNorOneBehindItsEnd) {
    auto* block = static_cast<volatile char*>(take_block(40));
    EXPECT_DEATH(block[40] = 1, "use-after-poison");
    give_block(const_cast<char*>(block), 40);
    EXPECT_DEATH(block[0] = 1, "use-after-poison");
}
#endif
#endif

// A thread's own variables are destroyed in an order that nobody chooses.
TEST(BlockCache, TakesBlocksBackWhileAThreadEnds) {
    std::thread([] {
        thread_local std::map<int, int, std::less<>, BlockAllocator<std::pair<const int, int>>>
            held;
        for (int i = 0; i < 100; ++i) held[i] = i;
        held.erase(7);
    }).join();
}

TEST(BlockCache, ServesContainers) {
    std::map<int, std::string, std::less<>, BlockAllocator<std::pair<const int, std::string>>> map;
    for (int i = 0; i < 2000; ++i) map[i] = std::to_string(i);
    for (int i = 0; i < 2000; i += 2) map.erase(i);
    for (int i = 1; i < 2000; i += 2) EXPECT_EQ(map.at(i), std::to_string(i));
    EXPECT_EQ(map.size(), 1000U);
    std::vector<int, BlockAllocator<int>> row;
    for (int i = 0; i < 2000; ++i) row.push_back(i);
    EXPECT_EQ(row.back(), 1999);
}

}  // namespace
}  // namespace parley
