// SPDX-License-Identifier: Apache-2.0
// How much of SQLite's own speed is left: the same rows through SQLite's C interface, through the
// engine, and through the Store with its two threads, in turn and in one run, so that the ratios
// hold on any machine. With --pending N also: how long a store with N pending asks takes to open,
// and what each costs in memory.
//
// usage: store_bench [--dir FOLDER] [--rounds N] [--pending N]
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/ids.h"
#include "base/loop_thread.h"
#include "core/record.h"
#include "store/sqlite_engine.h"
#include "store/store.h"

namespace parley {

namespace {

constexpr std::size_t kAskTextBytes = 1024;
constexpr std::size_t kSessions = 64;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// What one round writes: asks of 1 KiB, and an answer to each.
class Load {
public:
    Load() {
        for (std::size_t i = 0; i < kSessions; ++i) {
            auto session = std::make_shared<Session>();
            session->id = ids_.next<SessionKind>(clock_.wall());
            session->created_at = clock_.wall();
            sessions_.push_back(session);
        }
        auto settlement = std::make_shared<Settlement>();
        settlement->answers = {{.selected = {"PostgreSQL"}}};
        settlement->decider = {.principal = "uid:1000"};
        settlement->door = "native";
        settlement->at = clock_.wall();
        settlement_ = std::move(settlement);
    }

    const std::vector<SessionPtr>& sessions() const { return sessions_; }
    const std::shared_ptr<const Settlement>& settlement() const { return settlement_; }

    std::vector<AskPtr> asks(std::size_t count) {
        std::vector<AskPtr> made;
        for (std::size_t i = 0; i < count; ++i) {
            auto spec = std::make_shared<AskSpec>();
            spec->questions = {{.text = std::string(kAskTextBytes - 200, 'q'),
                                .header = "Database",
                                .options = {{"PostgreSQL", std::string(80, 'd')},
                                            {"SQLite", std::string(80, 'd')}}}};
            auto ask = std::make_shared<Ask>();
            ask->id = ids_.next<AskKind>(clock_.wall());
            ask->session = sessions_[made_++ % sessions_.size()]->id;
            ask->spec = std::move(spec);
            ask->created_at = clock_.wall();
            made.push_back(std::move(ask));
        }
        return made;
    }

private:
    SystemClock clock_;
    IdMaker ids_{system_random()};
    std::vector<SessionPtr> sessions_;
    std::shared_ptr<const Settlement> settlement_;
    std::size_t made_ = 0;
};

// One way to write a batch of asks and then a batch of answers to them.
class Lane {
public:
    virtual ~Lane() = default;
    virtual void round(const std::vector<AskPtr>& asks) = 0;
};

class EngineLane final : public Lane {
public:
    EngineLane(const std::string& path, const Load& load)
        : engine_(SqliteOptions{.path = path}, clock_), settlement_(load.settlement()) {
        ASSERT(engine_.open().has_value());
        std::vector<Change> changes;
        for (const SessionPtr& session : load.sessions()) changes.push_back(OpenSession{session});
        ASSERT(engine_.commit(changes).has_value());
    }

    void round(const std::vector<AskPtr>& asks) override {
        std::vector<Change> changes;
        for (const AskPtr& ask : asks) changes.push_back(OpenAsk{ask});
        ASSERT(engine_.commit(changes).has_value());
        changes.clear();
        for (const AskPtr& ask : asks) changes.push_back(SettleAsk{ask->id, settlement_, ask});
        ASSERT(engine_.commit(changes).has_value());
    }

private:
    SystemClock clock_;
    SqliteEngine engine_;
    std::shared_ptr<const Settlement> settlement_;
};

class StoreLane final : public Lane, private StoreListener {
public:
    StoreLane(const std::string& path, const Load& load)
        : settlement_(load.settlement()),
          store_(std::make_unique<SqliteEngine>(SqliteOptions{.path = path}, clock_),
                 {.worker = worker_, .home = home_, .clock = clock_}) {
        std::promise<void> ready;
        home_.post([&] {
            store_.open(*this, [&](Result<Snapshot> opened) {
                ASSERT(opened.has_value());
                std::vector<Change> changes;
                for (const SessionPtr& session : load.sessions())
                    changes.push_back(OpenSession{session});
                store_.commit(std::move(changes), [&](auto done) {
                    ASSERT(done.has_value());
                    ready.set_value();
                });
            });
        });
        ready.get_future().wait();
    }
    ~StoreLane() override {
        std::promise<void> closed;
        home_.post([&] { store_.close([&] { closed.set_value(); }); });
        closed.get_future().wait();
    }

    // Each ask is a commit of its own, as the broker submits them; the store groups them.
    void round(const std::vector<AskPtr>& asks) override {
        submit_all(asks, [](const AskPtr& ask) -> Change { return OpenAsk{ask}; });
        submit_all(asks, [this](const AskPtr& ask) -> Change {
            return SettleAsk{ask->id, settlement_, ask};
        });
    }

private:
    template <class Make>
    void submit_all(const std::vector<AskPtr>& asks, Make make) {
        std::promise<void> done;
        std::size_t left = asks.size();
        home_.post([&] {
            for (const AskPtr& ask : asks) {
                store_.commit(make(ask), [&](auto outcome) {
                    ASSERT(outcome.has_value());
                    if (--left == 0) done.set_value();
                });
            }
        });
        done.get_future().wait();
    }

    void on_committed(std::span<const EventPtr>) override {}
    void on_lost(const Error& error) override {
        std::fprintf(stderr, "%s\n", error.message.c_str());
        std::abort();
    }
    void on_reopened(Snapshot) override {}

    SystemClock clock_;
    std::shared_ptr<const Settlement> settlement_;
    LoopThread worker_;
    LoopThread home_;
    Store store_;
};

// The same rows in the same tables by SQLite's own interface, with the records made beforehand.
class RawLane final : public Lane {
public:
    RawLane(const std::string& path, const Load& load)
        : settlement_record_(to_record(*load.settlement())) {
        {
            EngineLane make_tables(path, load);
        }
        ASSERT(sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                               nullptr) == SQLITE_OK);
        for (const char* sql :
             {"PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL",
              "PRAGMA wal_autocheckpoint=16384", "PRAGMA cache_size=-16384"})
            run(sql);
        begin_ = prepare("BEGIN IMMEDIATE");
        commit_ = prepare("COMMIT");
        ask_ = prepare(
            "INSERT INTO asks(opened, id, session, state, created_ms, spec) "
            "VALUES(?, ?, ?, 0, ?, ?)");
        settle_ = prepare(
            "UPDATE asks SET state = 1, settled = ?, settlement = ? WHERE id = ? AND +state = 0");
        event_ = prepare("INSERT INTO events VALUES(?, ?, ?, ?, ?, NULL)");
    }
    ~RawLane() override {
        for (sqlite3_stmt* statement : {begin_, commit_, ask_, settle_, event_})
            sqlite3_finalize(statement);
        sqlite3_close(db_);
    }

    void round(const std::vector<AskPtr>& asks) override {
        step(begin_);
        for (const AskPtr& ask : asks) {
            const std::string record = to_record(*ask->spec);
            const auto id = bytes(ask->id.bits());
            const auto session = bytes(ask->session.bits());
            sqlite3_bind_int64(ask_, 1, ++cursor_);
            sqlite3_bind_blob(ask_, 2, id.data(), 16, SQLITE_STATIC);
            sqlite3_bind_blob(ask_, 3, session.data(), 16, SQLITE_STATIC);
            sqlite3_bind_int64(ask_, 4, ask->created_at.time_since_epoch().count());
            sqlite3_bind_text(ask_, 5, record.data(), static_cast<int>(record.size()),
                              SQLITE_STATIC);
            step(ask_);
            add_event(1, id, session);
        }
        step(commit_);
        step(begin_);
        for (const AskPtr& ask : asks) {
            const auto id = bytes(ask->id.bits());
            sqlite3_bind_int64(settle_, 1, ++cursor_);
            sqlite3_bind_text(settle_, 2, settlement_record_.data(),
                              static_cast<int>(settlement_record_.size()), SQLITE_STATIC);
            sqlite3_bind_blob(settle_, 3, id.data(), 16, SQLITE_STATIC);
            step(settle_);
            add_event(2, id, bytes(ask->session.bits()));
        }
        step(commit_);
    }

private:
    using Bytes = std::array<unsigned char, 16>;

    static Bytes bytes(IdBits bits) {
        Bytes out;
        for (std::size_t i = 0; i < 8; ++i) {
            out[i] = static_cast<unsigned char>(bits.high >> (56 - 8 * i));
            out[i + 8] = static_cast<unsigned char>(bits.low >> (56 - 8 * i));
        }
        return out;
    }

    void run(const char* sql) {
        ASSERT(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    }
    sqlite3_stmt* prepare(const char* sql) {
        sqlite3_stmt* statement = nullptr;
        ASSERT(sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) == SQLITE_OK);
        return statement;
    }
    static void step(sqlite3_stmt* statement) {
        ASSERT(sqlite3_step(statement) == SQLITE_DONE);
        sqlite3_reset(statement);
    }
    void add_event(int type, const Bytes& ask, const Bytes& session) {
        sqlite3_bind_int64(event_, 1, cursor_);
        sqlite3_bind_int(event_, 2, type);
        sqlite3_bind_int64(event_, 3, 1'700'000'000'000);
        sqlite3_bind_blob(event_, 4, session.data(), 16, SQLITE_STATIC);
        sqlite3_bind_blob(event_, 5, ask.data(), 16, SQLITE_STATIC);
        step(event_);
    }

    std::string settlement_record_;
    // Above every cursor that the tables' maker used.
    std::int64_t cursor_ = std::int64_t{1} << 62;
    sqlite3* db_ = nullptr;
    sqlite3_stmt* begin_ = nullptr;
    sqlite3_stmt* commit_ = nullptr;
    sqlite3_stmt* ask_ = nullptr;
    sqlite3_stmt* settle_ = nullptr;
    sqlite3_stmt* event_ = nullptr;
};

struct Settings {
    std::filesystem::path folder;
    int rounds = 9;
    std::size_t pending = 0;
};

class StoreBench {
public:
    explicit StoreBench(Settings settings) : settings_(std::move(settings)) {}

    void compare_lanes() {
        RawLane raw(path("raw.db"), load_);
        EngineLane engine(path("engine.db"), load_);
        StoreLane store(path("store.db"), load_);
        fmt::print("{:>6} {:>12} {:>12} {:>12} {:>12} {:>12}   (changes/s, medians of {})\n",
                   "batch", "SQLite", "engine", "Store", "engine/SQL", "Store/SQL",
                   settings_.rounds);
        for (const std::size_t batch : {1U, 16U, 64U, 256U}) {
            std::vector<double> raw_rates, engine_rates, store_rates, engine_ratio, store_ratio;
            for (int i = 0; i < settings_.rounds; ++i) {
                raw_rates.push_back(rate(raw, batch));
                engine_rates.push_back(rate(engine, batch));
                store_rates.push_back(rate(store, batch));
                engine_ratio.push_back(engine_rates.back() / raw_rates.back());
                store_ratio.push_back(store_rates.back() / raw_rates.back());
            }
            fmt::print("{:>6} {:>12.0f} {:>12.0f} {:>12.0f} {:>12.2f} {:>12.2f}\n", batch,
                       median(raw_rates), median(engine_rates), median(store_rates),
                       median(engine_ratio), median(store_ratio));
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
                changes.push_back(OpenSession{session});
            ASSERT(engine.commit(changes).has_value());
            for (std::size_t left = settings_.pending; left > 0;) {
                const std::size_t batch = std::min<std::size_t>(left, 1024);
                changes.clear();
                for (const AskPtr& ask : load_.asks(batch)) changes.push_back(OpenAsk{ask});
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
        } else {
            is_known = false;
        }
        if (!is_known) {
            std::fprintf(stderr, "usage: store_bench [--dir FOLDER] [--rounds N] [--pending N]\n");
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
    }
    std::filesystem::remove_all(folder);
    return 0;
}
