// SPDX-License-Identifier: Apache-2.0
// Which engines the conformance suite runs for.
#include "store/engine_conformance.h"

#include "store/fault_vfs.h"
#include "store/memory_engine.h"
#include "store/postgres/postgres_engine.h"
#include "store/postgres/postgres_test_cluster.h"
#include "store/sqlite_engine.h"
#include "store/sqlite_test_folder.h"

namespace parley {

namespace {

// The memory engine is itself the store, so what is "made again" is only a way to it.
class MemoryStore final : public TestedStore {
public:
    std::unique_ptr<Engine> make_engine(const Clock& clock) override {
        if (!engine_) engine_ = std::make_shared<MemoryEngine>(clock);
        return std::make_unique<Shared>(engine_);
    }

private:
    class Shared final : public Engine {
    public:
        explicit Shared(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
        Result<Snapshot> open() override { return engine_->open(); }
        void close() noexcept override { engine_->close(); }
        Result<CommitReport> commit(std::span<const Change> changes) override {
            return engine_->commit(changes);
        }
        Result<AskPtr> find_ask(AskId id) override { return engine_->find_ask(id); }
        Result<AskPtr> find_ask_by_call(SessionId session, std::string_view call_id) override {
            return engine_->find_ask_by_call(session, call_id);
        }
        Result<SessionPtr> find_session(SessionId id) override { return engine_->find_session(id); }
        Result<AskPage> list_asks(const AskQuery& query) override {
            return engine_->list_asks(query);
        }
        Result<SessionPage> list_sessions(const SessionQuery& query) override {
            return engine_->list_sessions(query);
        }
        Result<EventPage> list_events(const EventQuery& query) override {
            return engine_->list_events(query);
        }
        Result<bool> tidy_up() override { return engine_->tidy_up(); }
        Result<Pruned> prune(const Retention& before) override { return engine_->prune(before); }

    private:
        std::shared_ptr<Engine> engine_;
    };

    std::shared_ptr<Engine> engine_;
};

class SqliteFile final : public TestedStore {
public:
    std::unique_ptr<Engine> make_engine(const Clock& clock) override {
        return std::make_unique<SqliteEngine>(SqliteOptions{.path = folder_.path("store.db")},
                                              clock);
    }

private:
    TestFolder folder_;
};

class SqliteInMemory final : public TestedStore {
public:
    std::unique_ptr<Engine> make_engine(const Clock& clock) override {
        return std::make_unique<SqliteEngine>(
            SqliteOptions{.path = "/store.db", .vfs = disk_.name(), .events_filed_at_once = 7},
            clock);
    }

private:
    CrashVfs disk_;
};

class PostgresDatabase final : public TestedStore {
public:
    ~PostgresDatabase() override { PostgresCluster::shared().drop_database(url_); }
    std::unique_ptr<Engine> make_engine(const Clock& clock) override {
        return std::make_unique<PostgresEngine>(PostgresOptions{.url = url_}, clock);
    }

private:
    std::string url_ = PostgresCluster::shared().make_database();
};

template <class Store>
std::unique_ptr<TestedStore> make_store() {
    return std::make_unique<Store>();
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineConformance,
                         testing::Values(EngineKind{"Memory", make_store<MemoryStore>},
                                         EngineKind{"Sqlite", make_store<SqliteFile>,
                                                    /*random_seeds=*/3},
                                         EngineKind{"SqliteInMemory", make_store<SqliteInMemory>},
                                         EngineKind{"Postgres", make_store<PostgresDatabase>,
                                                    /*random_seeds=*/8}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace

}  // namespace parley
