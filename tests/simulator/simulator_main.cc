// SPDX-License-Identifier: Apache-2.0
// parley_simulator --seed N | --seeds COUNT [--from N] [--sqlite 1 | --nodes N]: runs seeds and
// prints the ones that break a promise. Exit code 1 if any did.
#include <fmt/core.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "simulation.h"

namespace {

struct Arguments {
    std::uint64_t from = 1;
    std::uint64_t count = 1000;
    parley::sim::DiskKind disk = parley::sim::DiskKind::memory;
    int nodes = 1;
    bool is_valid = true;
};

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        const std::string_view text = i + 1 < argc ? argv[i + 1] : "";
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is_number = error == std::errc() && end == text.data() + text.size();
        if (is_number && name == "--seed") {
            arguments.from = value;
            arguments.count = 1;
        } else if (is_number && name == "--seeds") {
            arguments.count = value;
        } else if (is_number && name == "--from") {
            arguments.from = value;
        } else if (is_number && name == "--sqlite") {
            arguments.disk =
                value != 0 ? parley::sim::DiskKind::sqlite : parley::sim::DiskKind::memory;
        } else if (is_number && name == "--nodes" && value > 0 && value < 10) {
            arguments.nodes = static_cast<int>(value);
        } else {
            arguments.is_valid = false;
        }
    }
    return arguments;
}

}  // namespace

int main(int argc, char** argv) {
    const Arguments arguments = parse(argc, argv);
    if (!arguments.is_valid) {
        fmt::print(stderr,
                   "usage: {} [--seed N] [--seeds COUNT] [--from N] [--sqlite 1 | --nodes N]\n",
                   argv[0]);
        return 2;
    }
    std::uint64_t broken = 0;
    std::size_t asks = 0;
    std::size_t settled = 0;
    std::size_t crashes = 0;
    for (std::uint64_t seed = arguments.from; seed < arguments.from + arguments.count; ++seed) {
        const auto report =
            parley::sim::run({.seed = seed, .disk = arguments.disk, .nodes = arguments.nodes});
        asks += report.asks;
        settled += report.settled;
        crashes += report.crashes;
        if (!report.broken) continue;
        ++broken;
        fmt::print("seed {}: {}\n", seed, *report.broken);
    }
    fmt::print("{} seeds: {} asks, {} settled, {} crashes; {} broken\n", arguments.count, asks,
               settled, crashes, broken);
    return broken == 0 ? 0 : 1;
}
