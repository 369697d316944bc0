// SPDX-License-Identifier: Apache-2.0
#include "sqlite_disk.h"

#include <utility>

#include "base/sizes.h"

namespace parley::sim {

class SqliteDisk::Handle final : public Engine {
public:
    explicit Handle(SqliteDisk& disk)
        : disk_(disk),
          engine_({.path = "/sim.db",
                   .vfs = disk.vfs_.name(),
                   .events_filed_at_once = 11,
                   .cache_bytes = 16 * limits::kKiB},
                  disk.clock_) {
        disk_.current_ = this;
    }
    ~Handle() override {
        if (disk_.current_ == this) disk_.current_ = nullptr;
    }

    bool is_open() const { return is_open_; }

    Result<Snapshot> open() override {
        disk_.vfs_.clear_failure();
        auto snapshot = engine_.open();
        is_open_ = snapshot.has_value();
        return snapshot;
    }
    void close() noexcept override {
        is_open_ = false;
        engine_.close();
    }
    Result<CommitReport> commit(std::span<const Change> changes) override {
        if (disk_.random_.chance(disk_.faults_.commit_percent)) {
            const auto failure = disk_.random_.chance(50) ? CrashVfs::Failure::disk_full
                                                          : CrashVfs::Failure::io_error;
            disk_.vfs_.inject(failure, 1 + disk_.random_.below(6));
        }
        auto report = engine_.commit(changes);
        is_open_ = report.has_value();
        return report;
    }
    Result<AskPtr> find_ask(AskId id) override { return engine_.find_ask(id); }
    Result<AskPtr> find_ask_by_call(SessionId session, std::string_view call_id) override {
        return engine_.find_ask_by_call(session, call_id);
    }
    Result<SessionPtr> find_session(SessionId id) override { return engine_.find_session(id); }
    Result<AskPage> list_asks(const AskQuery& query) override { return engine_.list_asks(query); }
    Result<SessionPage> list_sessions(const SessionQuery& query) override {
        return engine_.list_sessions(query);
    }
    Result<EventPage> list_events(const EventQuery& query) override {
        return engine_.list_events(query);
    }
    Result<bool> tidy_up() override { return engine_.tidy_up(); }

private:
    SqliteDisk& disk_;
    SqliteEngine engine_;
    bool is_open_ = false;
};

std::unique_ptr<Engine> SqliteDisk::make_engine() {
    return std::make_unique<Handle>(*this);
}

void SqliteDisk::crash() {
    vfs_.clear_failure();
    // A killed process leaves its writes in the system's cache; a power loss does not.
    if (random_.chance(50)) {
        vfs_.kill();
    } else {
        vfs_.crash(random_.bits());
    }
}

Engine* SqliteDisk::view() {
    return current_ != nullptr && current_->is_open() ? current_ : nullptr;
}

}  // namespace parley::sim
