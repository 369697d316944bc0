// SPDX-License-Identifier: Apache-2.0
// Rounds of the broker in one process: ask a small question, answer, the asker is woken. Beside
// each figure stands what SQLite alone does in the same run, since machines differ and the ratio
// does not:
//   memory    256 asks in flight, against the same rows with one commit a round
//   sqlite    256 in flight, durable, against the same rows in commits of 256
//   alone     one at a time, durable: latency against two commits of the same rows
//   pending   memory for each of many pending asks of 1 KiB
//
// usage: rounds_bench [--dir FOLDER] [--rounds N] [--pending N]
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop_thread.h"
#include "broker/broker.h"
#include "figures.h"
#include "store/memory_engine.h"
#include "store/sqlite_engine.h"
#include "store/store.h"
#include "store_lanes.h"

namespace {

using namespace parley;
using bench::record;
constexpr std::size_t kInFlight = 256;
using Seconds = std::chrono::duration<double>;

const Actor kAgent = unrestricted_actor("agent", "bench");
const Actor kPerson = unrestricted_actor("person", "bench");

struct Settings {
    std::filesystem::path folder = std::filesystem::temp_directory_path();
    int rounds = 5;
    std::size_t pending = 1'000'000;
};

// What an agent asks in passing.
AskSpec small_spec() {
    return {.questions = {{.text = "Tea or coffee?",
                           .header = "Drink",
                           .options = {{"Tea", ""}, {"Coffee", ""}}}}};
}

// 1 KiB of text: a question, four options with descriptions.
AskSpec large_spec() {
    Question question{.text = std::string(224, 'q'), .header = "Bench", .options = {}};
    for (int i = 0; i < 4; ++i)
        question.options.push_back({fmt::format("Option {}", i), std::string(190, 'd')});
    return {.questions = {std::move(question)}};
}

double resident_bytes() {
    std::ifstream status("/proc/self/statm");
    double pages = 0;
    status >> pages >> pages;
    return pages * 4096;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// A broker on its own thread; everything runs there.
class Bench {
public:
    // The memory engine needs no thread of its own.
    explicit Bench(std::unique_ptr<Engine> engine, bool has_worker)
        : store_(std::move(engine), {has_worker ? worker_ : home_, home_, clock_}),
          broker_({home_, clock_, store_, system_random()}) {
        on_loop([this](std::promise<void>& done) {
            broker_.start([&done](Result<void> result) {
                if (!result) {
                    fmt::print(stderr, "{}\n", result.error().message);
                    std::exit(1);
                }
                done.set_value();
            });
        });
    }
    ~Bench() {
        on_loop([this](std::promise<void>& done) { broker_.stop([&done] { done.set_value(); }); });
    }

    // Rounds a second with so many in flight.
    double rounds_per_second(std::size_t in_flight, std::size_t rounds) {
        const auto start = std::chrono::steady_clock::now();
        on_loop([&](std::promise<void>& done) {
            left_ = rounds;
            running_ = 0;
            finished_ = &done;
            for (std::size_t i = 0; i < in_flight && left_ > 0; ++i) next_round();
        });
        return static_cast<double>(rounds) /
               Seconds(std::chrono::steady_clock::now() - start).count();
    }

    void open_many(std::size_t count) {
        on_loop([&](std::promise<void>& done) {
            left_ = count;
            running_ = 0;
            finished_ = &done;
            for (std::size_t i = 0; i < 256 && left_ > 0; ++i) next_open();
        });
    }

private:
    template <class F>
    void on_loop(F body) {
        std::promise<void> done;
        home_.post([&] { body(done); });
        done.get_future().wait();
    }

    void next_round() {
        if (left_ == 0) {
            if (running_ == 0) finished_->set_value();
            return;
        }
        --left_;
        ++running_;
        broker_.ask({small_}, kOpenProfile, kAgent, [this](Result<OpenedAsk> opened) {
            const AskId id = opened->ask->id;
            broker_
                .wait(id, kUnrestricted,
                      [this](Result<AskPtr>) {
                          --running_;
                          next_round();
                      })
                .release();
            broker_.answer(id, tea_, {}, kPerson, [](Result<SettleReply>) {});
        });
    }

    void next_open() {
        if (left_ == 0) {
            if (running_ == 0) finished_->set_value();
            return;
        }
        --left_;
        ++running_;
        broker_.ask({large_}, kOpenProfile, kAgent, [this](Result<OpenedAsk>) {
            --running_;
            next_open();
        });
    }

    SystemClock clock_;
    LoopThread home_;
    LoopThread worker_;
    Store store_;
    LoopBroker broker_;
    AskSpec small_ = small_spec();
    AskSpec large_ = large_spec();
    Answers tea_ = {{.selected = {"Tea"}}};
    std::size_t left_ = 0;
    std::size_t running_ = 0;
    std::promise<void>* finished_ = nullptr;
};

// SQLite by itself with the rows of the same rounds.
class RawSqlite {
public:
    RawSqlite(const std::filesystem::path& path, Commits commits)
        : lane_(make_raw_lane(path.string(), load_, commits)) {}

    double rounds_per_second(std::size_t at_once, std::size_t rounds) {
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t done = 0; done < rounds; done += at_once)
            lane_->round(load_.asks(at_once));
        return static_cast<double>(rounds) /
               Seconds(std::chrono::steady_clock::now() - start).count();
    }

private:
    Load load_{small_spec()};
    std::unique_ptr<Lane> lane_;
};

// A folder of its own that goes with the run.
class Folder {
public:
    explicit Folder(const std::filesystem::path& below)
        : path_(below / fmt::format("parley-rounds-{}", ::getpid())) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::filesystem::path file(std::string_view name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

void compare(const Settings& settings, const Folder& folder) {
    SystemClock clock;
    RawSqlite one_commit(folder.file("one.db"), Commits::one_a_round);
    RawSqlite two_commits(folder.file("two.db"), Commits::two_a_round);
    Bench memory(std::make_unique<MemoryEngine>(clock), false);
    Bench durable(std::make_unique<SqliteEngine>(
                      SqliteOptions{.path = folder.file("rounds.db").string()}, clock),
                  true);
    struct {
        std::vector<double> raw_one, raw_two, raw_grouped, in_memory, grouped, alone;
    } rates;
    for (int i = 0; i < settings.rounds; ++i) {
        rates.raw_one.push_back(one_commit.rounds_per_second(1, 1000));
        rates.in_memory.push_back(memory.rounds_per_second(kInFlight, 200'000));
        rates.raw_grouped.push_back(two_commits.rounds_per_second(kInFlight, 30'000));
        rates.grouped.push_back(durable.rounds_per_second(kInFlight, 30'000));
        rates.raw_two.push_back(two_commits.rounds_per_second(1, 1000));
        rates.alone.push_back(durable.rounds_per_second(1, 1000));
    }
    const double raw_one = median(rates.raw_one);
    const double raw_two = median(rates.raw_two);
    const double raw_grouped = median(rates.raw_grouped);
    fmt::print(
        "SQLite alone, a round's rows:  {:.0f} rounds/s in one commit each, {:.0f} in two, "
        "{:.0f} in two for every {}\n",
        raw_one, raw_two, raw_grouped, kInFlight);
    fmt::print(
        "memory, {} in flight         {:>10.0f} rounds/s  {:>6.1f} x one commit a round "
        "(goal 100)\n",
        kInFlight, median(rates.in_memory), median(rates.in_memory) / raw_one);
    fmt::print(
        "sqlite, {} in flight         {:>10.0f} rounds/s  {:>6.2f} of SQLite alone "
        "(goal 0.50)\n",
        kInFlight, median(rates.grouped), median(rates.grouped) / raw_grouped);
    fmt::print(
        "sqlite, one at a time         {:>10.3f} ms        {:>6.2f} x two commits "
        "(goal 1.30)\n",
        1e3 / median(rates.alone), raw_two / median(rates.alone));
    constexpr auto kUnit = "rounds/s";
    constexpr auto kMemory = "a round in memory, 256 in flight";
    constexpr auto kDurable = "a durable round, 256 in flight";
    constexpr auto kAlone = "a durable round, one at a time";
    record({.what = kMemory, .unit = kUnit, .values = rates.in_memory});
    record({.what = kMemory,
            .who = "bare SQLite, a commit a round",
            .unit = kUnit,
            .values = rates.raw_one});
    record({.what = kDurable, .unit = kUnit, .values = rates.grouped});
    record({.what = kDurable,
            .who = "bare SQLite, two commits for 256 rounds",
            .unit = kUnit,
            .values = rates.raw_grouped});
    record({.what = kAlone, .unit = kUnit, .values = rates.alone});
    record({.what = kAlone,
            .who = "bare SQLite, two commits a round",
            .unit = kUnit,
            .values = rates.raw_two});
}

void weigh(const Settings& settings) {
    SystemClock clock;
    Bench memory(std::make_unique<MemoryEngine>(clock), false);
    const double before = resident_bytes();
    memory.open_many(settings.pending);
    const double each = (resident_bytes() - before) / static_cast<double>(settings.pending);
    fmt::print("pending, {:>9} asks of 1 KiB      {:>10.0f} bytes each              (goal 3072)\n",
               settings.pending, each);
    record({.what = fmt::format("memory of each of {} pending asks of 1 KiB", settings.pending),
            .unit = "bytes",
            .values = {each}});
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const std::string_view value = argv[i + 1];
        if (name == "--dir") settings.folder = value;
        if (name == "--rounds")
            std::from_chars(value.data(), value.data() + value.size(), settings.rounds);
        if (name == "--pending")
            std::from_chars(value.data(), value.data() + value.size(), settings.pending);
    }
    const Folder folder(settings.folder);
    compare(settings, folder);
    weigh(settings);
    return 0;
}
