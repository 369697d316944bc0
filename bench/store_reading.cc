// SPDX-License-Identifier: Apache-2.0
#include "store_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <vector>

#include "base/assert.h"
#include "base/loop_thread.h"
#include "figures.h"
#include "store/sqlite_engine.h"
#include "store/store.h"
#include "store_lanes.h"

namespace parley {

namespace {

constexpr std::size_t kBatch = 1024;
constexpr int kAsksARound = 40;

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// Five events of one session, then `events` of the others.
SessionPtr fill(const std::string& path, const Load& load, std::size_t events) {
    const SystemClock clock;
    SqliteEngine engine({.path = path}, clock);
    ASSERT(engine.open().has_value());
    std::vector<Change> changes;
    for (const SessionPtr& session : load.sessions()) changes.emplace_back(OpenSession{session});
    const SessionPtr quiet = load.sessions().front();
    const auto notice = [&](const SessionPtr& session) {
        return GiveNotice{session->id, clock.wall(), {.text = "Step by step."}};
    };
    for (int i = 0; i < 5; ++i) changes.emplace_back(notice(quiet));
    ASSERT(engine.commit(changes).has_value());
    for (std::size_t made = 0; made < events; made += changes.size()) {
        changes.clear();
        for (std::size_t i = 0; i < std::min(kBatch, events - made); ++i)
            changes.emplace_back(notice(load.sessions()[1 + i % (load.sessions().size() - 1)]));
        ASSERT(engine.commit(changes).has_value());
    }
    return quiet;
}

class ReadingBench final : private StoreListener {
public:
    ReadingBench(const std::string& path, Load& load)
        : load_(load),
          store_(std::make_unique<SqliteEngine>(SqliteOptions{.path = path}, clock_),
                 {.worker = worker_, .home = home_, .clock = clock_}) {
        std::promise<Snapshot> opened;
        home_.post([&] {
            store_.open(*this, [&](Result<Snapshot> snapshot) {
                ASSERT(snapshot.has_value());
                opened.set_value(std::move(*snapshot));
            });
        });
        oldest_ = opened.get_future().get().oldest;
    }
    ~ReadingBench() override {
        std::promise<void> closed;
        home_.post([&] { store_.close([&] { closed.set_value(); }); });
        closed.get_future().get();
    }

    Cursor oldest() const { return oldest_; }

    // Of one ask, in microseconds.
    double ask() {
        const AskPtr ask = load_.asks(1).front();
        std::promise<void> done;
        const auto start = std::chrono::steady_clock::now();
        home_.post([&] { store_.commit(OpenAsk{ask}, [&](const auto&) { done.set_value(); }); });
        done.get_future().get();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count();
    }
    double asks() {
        std::vector<double> each;
        for (int i = 0; i < kAsksARound; ++i) each.push_back(ask());
        return median(each);
    }

    // One page after the other until it is told to stop.
    void start(const EventQuery& query) {
        is_reading_ = true;
        stopped_ = {};
        home_.post([this, query] { read(query); });
    }
    void stop() {
        is_reading_ = false;
        stopped_.get_future().get();
    }
    std::size_t reads() const { return reads_; }

private:
    void read(const EventQuery& query) {
        store_.list_events(query, [this, query](Result<EventPage> page) {
            ASSERT(page.has_value() && !page->events.empty());
            ++reads_;
            if (is_reading_) return read(query);
            stopped_.set_value();
        });
    }

    void on_committed(std::span<const EventPtr>) override {}
    void on_lost(const Error& error) override {
        std::fprintf(stderr, "%s\n", error.message.c_str());
        std::abort();
    }
    void on_reopened(Snapshot) override {}

    Load& load_;
    SystemClock clock_;
    LoopThread worker_;
    LoopThread home_;
    Store store_;
    Cursor oldest_;
    std::atomic<bool> is_reading_ = false;
    std::atomic<std::size_t> reads_ = 0;
    std::promise<void> stopped_;
};

}  // namespace

void measure_reading(const std::string& path, std::size_t events, int rounds) {
    Load load;
    const SessionPtr quiet = fill(path, load, events);
    ReadingBench bench(path, load);
    struct Row {
        const char* name;
        EventQuery query;
    };
    const std::vector<Row> rows = {
        {"a quiet session", {.after = {}, .session = quiet->id, .order = ListOrder::newest_first}},
        {"a busy session",
         {.after = {}, .session = load.sessions().back()->id, .order = ListOrder::newest_first}},
        {"all, from the oldest", {.after = bench.oldest()}},
    };
    fmt::print("\nan ask while another reads, in a store of {} events (medians of {})\n", events,
               rounds);
    for (const Row& row : rows) {
        std::vector<double> alone, beside, ratio;
        const std::size_t before = bench.reads();
        for (int i = 0; i < rounds; ++i) {
            alone.push_back(bench.asks());
            bench.start(row.query);
            beside.push_back(bench.asks());
            bench.stop();
            ratio.push_back(beside.back() / alone.back());
        }
        fmt::print("  {:<22} alone {:>6.0f} us, beside {:>6.0f} us, {:.2f} x   ({} pages read)\n",
                   row.name, median(alone), median(beside), median(ratio), bench.reads() - before);
        bench::record({.what = fmt::format("an ask while another reads: {}", row.name),
                       .unit = "× without",
                       .values = ratio});
        std::fflush(stdout);
    }
}

}  // namespace parley
