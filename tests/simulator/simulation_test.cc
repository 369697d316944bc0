// SPDX-License-Identifier: Apache-2.0
// Random schedules of the whole broker against the promises. A seed that ever broke one is named
// here for good; `parley_simulator --seed N` replays one.
#include "simulation.h"

#include <gtest/gtest.h>

namespace parley::sim {
namespace {

// Sanitizer builds run a share of the seeds.
constexpr std::uint64_t kMemorySeeds = 10'000 / PARLEY_SIMULATOR_SHARE;
constexpr std::uint64_t kSqliteSeeds = 500 / PARLEY_SIMULATOR_SHARE;
constexpr std::uint64_t kRevokingSeeds = 500 / PARLEY_SIMULATOR_SHARE;
constexpr std::uint64_t kNodesSeeds = 500 / PARLEY_SIMULATOR_SHARE;

TEST(Simulation, TenThousandSeedsKeepThePromises) {
    std::size_t asks = 0;
    std::size_t settled = 0;
    std::size_t crashes = 0;
    for (std::uint64_t seed = 1; seed <= kMemorySeeds; ++seed) {
        const RunReport report = run({.seed = seed});
        ASSERT_FALSE(report.broken) << "seed " << seed << ": " << *report.broken;
        asks += report.asks;
        settled += report.settled;
        crashes += report.crashes;
    }
    // A simulator in which nothing happens proves nothing.
    EXPECT_GT(asks, kMemorySeeds * 10);
    EXPECT_GT(settled, kMemorySeeds * 9);
    EXPECT_GT(crashes, kMemorySeeds * 5);
}

// The same promises with the real SQLite engine underneath, on a disk that loses power.
TEST(Simulation, FiveHundredSeedsOverSqliteKeepThePromises) {
    std::size_t settled = 0;
    std::size_t crashes = 0;
    for (std::uint64_t seed = 1; seed <= kSqliteSeeds; ++seed) {
        const RunReport report = run({.seed = seed, .disk = DiskKind::sqlite});
        ASSERT_FALSE(report.broken) << "seed " << seed << ": " << *report.broken;
        settled += report.settled;
        crashes += report.crashes;
    }
    EXPECT_GT(settled, kSqliteSeeds * 8);
    EXPECT_GT(crashes, kSqliteSeeds * 4);
}

// Three brokers over one store, which are killed, stopped, and not told of each other's commits.
TEST(Simulation, FiveHundredSeedsOfThreeNodesKeepThePromises) {
    RunReport all;
    for (std::uint64_t seed = 1; seed <= kNodesSeeds; ++seed) {
        const RunReport report = run({.seed = seed, .nodes = 3});
        ASSERT_FALSE(report.broken) << "seed " << seed << ": " << *report.broken;
        all.settled += report.settled;
        all.crashes += report.crashes;
        all.moves += report.moves;
    }
    EXPECT_GT(all.settled, kNodesSeeds * 5);
    EXPECT_GT(all.crashes, kNodesSeeds * 3);
    EXPECT_GT(all.moves, kNodesSeeds * 3);
}

TEST(Simulation, AsksOfRevokedAgentsAreMarkedWhateverHappens) {
    RunReport all;
    for (std::uint64_t seed = 1; seed <= kRevokingSeeds; ++seed) {
        const DiskKind disk = seed % 10 == 0 ? DiskKind::sqlite : DiskKind::memory;
        const RunReport report = run({.seed = seed, .disk = disk, .revokes = true});
        ASSERT_FALSE(report.broken) << "seed " << seed << ": " << *report.broken;
        all.revoked += report.revoked;
        all.crashes += report.crashes;
    }
    EXPECT_GT(all.revoked, kRevokingSeeds / 50);
    EXPECT_GT(all.crashes, kRevokingSeeds * 4);
}

TEST(Simulation, TheSameSeedIsTheSameRun) {
    const RunReport first = run({.seed = 77});
    const RunReport second = run({.seed = 77});
    EXPECT_EQ(first.asks, second.asks);
    EXPECT_EQ(first.settled, second.settled);
    EXPECT_EQ(first.crashes, second.crashes);
}

// The wall clock had stepped while the store was brought back inside a living process, and its
// instants were taken for the deadlines.
TEST(SimulationSeed, S81AReopenedStoreKeepsTheMeasuredDeadlines) {
    for (const std::uint64_t seed : {81U, 181U, 197U, 248U}) {
        const RunReport report = run({.seed = seed});
        EXPECT_FALSE(report.broken) << "seed " << seed << ": " << *report.broken;
    }
}

// A subscriber's read met a store that was away, and a poll had met it before, so that nobody said
// so: its subscription was over, and nothing told it of what came later.
TEST(SimulationSeed, N791AReadThatFailedEndsNoSubscription) {
    for (const std::uint64_t seed : {791U, 5005U, 5779U}) {
        const RunReport report = run({.seed = seed, .nodes = 3});
        EXPECT_FALSE(report.broken) << "seed " << seed << ": " << *report.broken;
    }
}

}  // namespace
}  // namespace parley::sim
