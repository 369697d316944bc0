// SPDX-License-Identifier: Apache-2.0
// How much of SQLite's own speed is left: the same rows through SQLite's C interface, through the
// engine, and through the Store with its two threads, in turn and in one run, so that the ratios
// hold on any machine. With --pending N also: how long a store with N pending asks takes to open,
// and what each costs in memory; with --events N: what an ask waits while another reads, in a store
// of N events.
//
// usage: store_bench [--dir FOLDER] [--rounds N] [--pending N] [--events N]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/clock.h"
#include "figures.h"
#include "store/sqlite_engine.h"
#include "store_lanes.h"
#include "store_reading.h"

namespace parley {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Settings {
    std::filesystem::path folder;
    int rounds = 9;
    std::size_t pending = 0;
    std::size_t events = 1'000'000;
};

class StoreBench {
public:
    explicit StoreBench(Settings settings) : settings_(std::move(settings)) {}

    void compare_lanes() {
        const auto raw = make_raw_lane(path("raw.db"), load_);
        const auto engine = make_engine_lane(path("engine.db"), load_);
        const auto store = make_store_lane(path("store.db"), load_);
        fmt::print("{:>6} {:>12} {:>12} {:>12} {:>12} {:>12}   (changes/s, medians of {})\n",
                   "batch", "SQLite", "engine", "Store", "engine/SQL", "Store/SQL",
                   settings_.rounds);
        for (const std::size_t batch : {1U, 16U, 64U, 256U}) {
            std::vector<double> raw_rates, engine_rates, store_rates, engine_ratio, store_ratio;
            for (int i = 0; i < settings_.rounds; ++i) {
                raw_rates.push_back(rate(*raw, batch));
                engine_rates.push_back(rate(*engine, batch));
                store_rates.push_back(rate(*store, batch));
                engine_ratio.push_back(engine_rates.back() / raw_rates.back());
                store_ratio.push_back(store_rates.back() / raw_rates.back());
            }
            fmt::print("{:>6} {:>12.0f} {:>12.0f} {:>12.0f} {:>12.2f} {:>12.2f}\n", batch,
                       median(raw_rates), median(engine_rates), median(store_rates),
                       median(engine_ratio), median(store_ratio));
            const std::string what = fmt::format("changes to the store, {} at once", batch);
            bench::record({.what = what, .unit = "changes/s", .values = store_rates});
            bench::record(
                {.what = what, .who = "bare SQLite", .unit = "changes/s", .values = raw_rates});
            if (batch == 1) {
                const double two_commits_us = 2e6 / median(raw_rates);
                const double through_store_us = 2e6 / median(store_rates);
                fmt::print(
                    "       one ask and its answer: {:.0f} us, two commits of SQLite: {:.0f} us\n",
                    through_store_us, two_commits_us);
            }
            std::fflush(stdout);
        }
    }

    void measure_reopening() {
        const std::string file = path("pending.db");
        {
            SqliteEngine engine({.path = file}, clock_);
            ASSERT(engine.open().has_value());
            std::vector<Change> changes;
            for (const SessionPtr& session : load_.sessions())
                changes.emplace_back(OpenSession{session});
            ASSERT(engine.commit(changes).has_value());
            for (std::size_t left = settings_.pending; left > 0;) {
                const std::size_t batch = std::min<std::size_t>(left, 1024);
                changes.clear();
                for (const AskPtr& ask : load_.asks(batch)) changes.emplace_back(OpenAsk{ask});
                ASSERT(engine.commit(changes).has_value());
                left -= batch;
            }
        }
        const double before = resident_bytes();
        SqliteEngine engine({.path = file}, clock_);
        const auto start = std::chrono::steady_clock::now();
        const auto snapshot = engine.open();
        const double took = seconds_since(start);
        ASSERT(snapshot.has_value());
        const auto count = static_cast<double>(snapshot->pending.size());
        fmt::print(
            "\nopening with {} pending asks of 1 KiB: {:.2f} s, {:.0f} bytes of memory each\n",
            snapshot->pending.size(), took, (resident_bytes() - before) / count);
        bench::record({.what = fmt::format("opening a store with {} pending asks of 1 KiB",
                                           snapshot->pending.size()),
                       .unit = "s",
                       .values = {took}});
    }

private:
    std::string path(const char* name) const { return (settings_.folder / name).string(); }

    double rate(Lane& lane, std::size_t batch) {
        const std::size_t rounds = std::max<std::size_t>(4, 400 / batch);
        std::vector<std::vector<AskPtr>> work(rounds);
        for (auto& asks : work) asks = load_.asks(batch);
        const auto start = std::chrono::steady_clock::now();
        for (const auto& asks : work) lane.round(asks);
        return static_cast<double>(2 * rounds * batch) / seconds_since(start);
    }

    static double resident_bytes() {
        long pages = 0;
        std::ifstream statm("/proc/self/statm");
        statm >> pages >> pages;
        return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    }

    Settings settings_;
    SystemClock clock_;
    Load load_;
};

template <class T>
bool read_number(const char* text, T& out) {
    return std::from_chars(text, text + std::strlen(text), out).ec == std::errc();
}

}  // namespace

}  // namespace parley

int main(int argc, char** argv) {
    std::string folder = (std::filesystem::temp_directory_path() / "parley-bench-XXXXXX").string();
    parley::Settings settings;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        bool is_known = true;
        if (name == "--dir") {
            folder = (std::filesystem::path(argv[i + 1]) / "parley-bench-XXXXXX").string();
        } else if (name == "--rounds") {
            is_known = parley::read_number(argv[i + 1], settings.rounds);
        } else if (name == "--pending") {
            is_known = parley::read_number(argv[i + 1], settings.pending);
        } else if (name == "--events") {
            is_known = parley::read_number(argv[i + 1], settings.events);
        } else {
            is_known = false;
        }
        if (!is_known) {
            std::fprintf(stderr,
                         "usage: store_bench [--dir FOLDER] [--rounds N] [--pending N] "
                         "[--events N]\n");
            return 2;
        }
    }
    if (::mkdtemp(folder.data()) == nullptr) {
        std::perror(folder.c_str());
        return 1;
    }
    settings.folder = folder;
    {
        parley::StoreBench bench(settings);
        bench.compare_lanes();
        if (settings.pending > 0) bench.measure_reopening();
        if (settings.events > 0)
            parley::measure_reading(folder + "/reading.db", settings.events, settings.rounds);
    }
    std::filesystem::remove_all(folder);
    return 0;
}
