// SPDX-License-Identifier: Apache-2.0
#include "store_lanes.h"

#include <sqlite3.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <utility>

#include "base/assert.h"
#include "base/loop_thread.h"
#include "core/record.h"
#include "store/limits.h"
#include "store/sqlite_engine.h"
#include "store/store.h"

namespace parley {

namespace {

constexpr std::size_t kAskTextBytes = 1024;
constexpr std::size_t kSessions = 64;

class EngineLane final : public Lane {
public:
    EngineLane(const std::string& path, const Load& load)
        : engine_(SqliteOptions{.path = path}, clock_), settlement_(load.settlement()) {
        ASSERT(engine_.open().has_value());
        std::vector<Change> changes;
        for (const SessionPtr& session : load.sessions())
            changes.emplace_back(OpenSession{session});
        ASSERT(engine_.commit(changes).has_value());
    }

    void round(const std::vector<AskPtr>& asks) override {
        std::vector<Change> changes;
        for (const AskPtr& ask : asks) changes.emplace_back(OpenAsk{ask});
        ASSERT(engine_.commit(changes).has_value());
        changes.clear();
        for (const AskPtr& ask : asks) changes.emplace_back(SettleAsk{ask->id, settlement_, ask});
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
                    changes.emplace_back(OpenSession{session});
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
    RawLane(const std::string& path, const Load& load, Commits commits)
        : commits_(commits), settlement_record_(to_record(*load.settlement())) {
        {
            EngineLane make_tables(path, load);
        }
        ASSERT(sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                               nullptr) == SQLITE_OK);
        for (const char* sql : {"PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=WAL",
                                "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=16384",
                                "PRAGMA cache_size=-8192", "PRAGMA temp_store=MEMORY"})
            run(sql);
        begin_ = prepare("BEGIN IMMEDIATE");
        commit_ = prepare("COMMIT");
        ask_ = prepare(
            "INSERT INTO asks(opened, id, session, state, created_ms, spec) "
            "VALUES(?, ?, ?, 0, ?, ?)");
        settle_ = prepare(
            "UPDATE asks SET state = 1, settled = ?, settlement = ? WHERE id = ? AND state = 0");
        event_ = prepare("INSERT INTO events VALUES(?, ?, ?, ?, ?, iif(?2 = 2, '1', NULL))");
        file_by_session_ = prepare(
            "INSERT OR FAIL INTO filed_by_session SELECT session, ask FROM events "
            "WHERE cursor > ? AND type = 1");
        file_by_state_ = prepare(
            "INSERT OR FAIL INTO filed_by_state SELECT CAST(doc AS INTEGER), ask FROM events "
            "WHERE cursor > ? AND type = 2");
        file_events_ = prepare(
            "INSERT OR FAIL INTO filed_events SELECT session, min(cursor), max(cursor) "
            "FROM events WHERE cursor > ? GROUP BY session");
        file_settled_ = prepare(
            "INSERT OR FAIL INTO filed_settled SELECT cursor, ask FROM events "
            "WHERE cursor > ? AND type = 2");
        file_pending_ = prepare(
            "INSERT OR FAIL INTO filed_by_state SELECT 0, id FROM asks "
            "WHERE opened > ? AND state = 0");
        file_pending_by_session_ = prepare(
            "INSERT OR FAIL INTO filed_pending_by_session SELECT session, id FROM asks "
            "WHERE opened > ? AND state = 0");
        drop_pending_ = prepare("DELETE FROM filed_by_state WHERE state = 0 AND ask = ?");
        drop_pending_of_session_ =
            prepare("DELETE FROM filed_pending_by_session WHERE session = ? AND ask = ?");
        put_filed_ = prepare("UPDATE meta SET value = ? WHERE name = 'filed'");
    }
    ~RawLane() override {
        for (sqlite3_stmt* statement :
             {begin_, commit_, ask_, settle_, event_, file_by_session_, file_by_state_,
              file_events_, file_settled_, file_pending_, file_pending_by_session_, drop_pending_,
              drop_pending_of_session_, put_filed_})
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
        bool are_filed = false;
        if (commits_ == Commits::two_a_round) {
            are_filed = file();
            step(commit_);
            step(begin_);
        }
        for (const AskPtr& ask : asks) {
            const auto id = bytes(ask->id.bits());
            sqlite3_bind_int64(settle_, 1, ++cursor_);
            sqlite3_bind_text(settle_, 2, settlement_record_.data(),
                              static_cast<int>(settlement_record_.size()), SQLITE_STATIC);
            sqlite3_bind_blob(settle_, 3, id.data(), 16, SQLITE_STATIC);
            step(settle_);
            const auto session = bytes(ask->session.bits());
            if (are_filed) drop_pending(id, session);
            add_event(2, id, session);
        }
        file();
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
    void drop_pending(const Bytes& ask, const Bytes& session) {
        sqlite3_bind_blob(drop_pending_, 1, ask.data(), 16, SQLITE_STATIC);
        step(drop_pending_);
        sqlite3_bind_blob(drop_pending_of_session_, 1, session.data(), 16, SQLITE_STATIC);
        sqlite3_bind_blob(drop_pending_of_session_, 2, ask.data(), 16, SQLITE_STATIC);
        step(drop_pending_of_session_);
    }
    // True if there was enough to file.
    bool file() {
        if (cursor_ - filed_ < static_cast<std::int64_t>(limits::kSqliteEventsFiledAtOnce))
            return false;
        for (sqlite3_stmt* statement : {file_by_session_, file_by_state_, file_events_,
                                        file_settled_, file_pending_, file_pending_by_session_}) {
            sqlite3_bind_int64(statement, 1, filed_);
            step(statement);
        }
        filed_ = cursor_;
        sqlite3_bind_int64(put_filed_, 1, filed_);
        step(put_filed_);
        return true;
    }

    Commits commits_;
    std::string settlement_record_;
    // Above every cursor that the tables' maker used.
    std::int64_t cursor_ = std::int64_t{1} << 62;
    std::int64_t filed_ = cursor_;
    sqlite3* db_ = nullptr;
    sqlite3_stmt* begin_ = nullptr;
    sqlite3_stmt* commit_ = nullptr;
    sqlite3_stmt* ask_ = nullptr;
    sqlite3_stmt* settle_ = nullptr;
    sqlite3_stmt* event_ = nullptr;
    sqlite3_stmt* file_by_session_ = nullptr;
    sqlite3_stmt* file_by_state_ = nullptr;
    sqlite3_stmt* file_events_ = nullptr;
    sqlite3_stmt* file_settled_ = nullptr;
    sqlite3_stmt* file_pending_ = nullptr;
    sqlite3_stmt* file_pending_by_session_ = nullptr;
    sqlite3_stmt* drop_pending_ = nullptr;
    sqlite3_stmt* drop_pending_of_session_ = nullptr;
    sqlite3_stmt* put_filed_ = nullptr;
};

}  // namespace

AskSpec kilobyte_spec() {
    return {.questions = {{.text = std::string(kAskTextBytes - 200, 'q'),
                           .header = "Database",
                           .options = {{"PostgreSQL", std::string(80, 'd')},
                                       {"SQLite", std::string(80, 'd')}}}}};
}

Load::Load(AskSpec spec) : spec_(std::make_shared<AskSpec>(std::move(spec))) {
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

std::vector<AskPtr> Load::asks(std::size_t count) {
    std::vector<AskPtr> made;
    for (std::size_t i = 0; i < count; ++i) {
        auto ask = std::make_shared<Ask>();
        ask->id = ids_.next<AskKind>(clock_.wall());
        ask->session = sessions_[made_++ % sessions_.size()]->id;
        ask->spec = spec_;
        ask->created_at = clock_.wall();
        made.push_back(std::move(ask));
    }
    return made;
}

std::unique_ptr<Lane> make_raw_lane(const std::string& path, const Load& load, Commits commits) {
    return std::make_unique<RawLane>(path, load, commits);
}

std::unique_ptr<Lane> make_engine_lane(const std::string& path, const Load& load) {
    return std::make_unique<EngineLane>(path, load);
}

std::unique_ptr<Lane> make_store_lane(const std::string& path, const Load& load) {
    return std::make_unique<StoreLane>(path, load);
}

}  // namespace parley
