// SPDX-License-Identifier: Apache-2.0
#include "disk.h"

#include "base/result.h"

namespace parley::sim {

class MemoryDisk::Handle final : public Engine {
public:
    explicit Handle(MemoryDisk& disk) : disk_(disk) {}

    Result<Snapshot> open() override {
        if (disk_.random_.chance(disk_.faults_.open_percent))
            return reject(ErrorCode::unavailable, "simulated: cannot open");
        is_open_ = true;
        return disk_.engine_.open();
    }
    void close() noexcept override { is_open_ = false; }
    Result<CommitReport> commit(std::span<const Change> changes) override {
        if (!is_open_) return closed();
        if (!disk_.random_.chance(disk_.faults_.commit_percent))
            return disk_.engine_.commit(changes);
        // The caller learns only that it failed, not whether it was written.
        if (disk_.random_.chance(50)) (void)disk_.engine_.commit(changes);
        is_open_ = false;
        return reject(ErrorCode::unavailable, "simulated: the commit failed");
    }
    Result<AskPtr> find_ask(AskId id) override {
        if (!is_open_) return closed();
        return disk_.engine_.find_ask(id);
    }
    Result<AskPtr> find_ask_by_call(SessionId session, std::string_view call_id) override {
        if (!is_open_) return closed();
        return disk_.engine_.find_ask_by_call(session, call_id);
    }
    Result<SessionPtr> find_session(SessionId id) override {
        if (!is_open_) return closed();
        return disk_.engine_.find_session(id);
    }
    Result<AskPage> list_asks(const AskQuery& query) override {
        if (!is_open_) return closed();
        return disk_.engine_.list_asks(query);
    }
    Result<SessionPage> list_sessions(const SessionQuery& query) override {
        if (!is_open_) return closed();
        return disk_.engine_.list_sessions(query);
    }
    Result<EventPage> list_events(const EventQuery& query) override {
        if (!is_open_) return closed();
        return disk_.engine_.list_events(query);
    }
    Result<bool> tidy_up() override { return false; }

private:
    static Rejection closed() { return reject(ErrorCode::unavailable, "simulated: closed"); }

    MemoryDisk& disk_;
    bool is_open_ = false;
};

std::unique_ptr<Engine> MemoryDisk::make_engine() {
    return std::make_unique<Handle>(*this);
}

}  // namespace parley::sim
