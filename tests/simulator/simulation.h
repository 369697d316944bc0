// SPDX-License-Identifier: Apache-2.0
// One run: clients act, tasks interleave, clocks move, processes die, in an order that a seed
// decides. Returns what broke, or nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace parley::sim {

enum class DiskKind : std::uint8_t {
    memory,  // fast: what is committed is there
    sqlite,  // the real engine on files that fail and lose power
};

struct RunOptions {
    std::uint64_t seed = 0;
    DiskKind disk = DiskKind::memory;
    int steps = 600;
    int nodes = 1;         // brokers over one store, in memory
    bool revokes = false;  // agents live by tokens, and some lose theirs; with one node
};

// What the run went through, so that tests can tell that it was not empty.
struct RunReport {
    std::optional<std::string> broken;
    std::size_t asks = 0;
    std::size_t settled = 0;
    std::size_t crashes = 0;
    std::size_t moves = 0;    // of clients, from one node to another that runs
    std::size_t revoked = 0;  // pending asks whose agent has no token any more
};

RunReport run(const RunOptions& options);

}  // namespace parley::sim
