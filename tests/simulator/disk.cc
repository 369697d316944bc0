// SPDX-License-Identifier: Apache-2.0
#include "disk.h"

#include <functional>

#include "base/result.h"

namespace parley::sim {

class MemoryDisk::Handle final : public Engine {
    static constexpr std::size_t kFeedAtOnce = 3;

public:
    explicit Handle(MemoryDisk& disk) : disk_(disk) {}
    ~Handle() override { std::erase(disk_.watching_, this); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    bool watch_feed(std::function<void()> news) override {
        if (!disk_.is_shared_) return false;
        news_ = std::move(news);
        disk_.watching_.push_back(this);
        return true;
    }
    Result<FeedSlice> poll_feed() override {
        if (!is_open_) return closed();
        if (!disk_.random_.chance(disk_.faults_.commit_percent)) return read_slice();
        is_open_ = false;
        return reject(ErrorCode::unavailable, "simulated: the database is away");
    }
    Result<Snapshot> open() override {
        if (disk_.random_.chance(disk_.faults_.open_percent))
            return reject(ErrorCode::unavailable, "simulated: cannot open");
        TRY(snapshot, disk_.engine_.open());
        snapshot.is_shared = disk_.is_shared_;
        fed_ = snapshot.head;
        is_open_ = true;
        return snapshot;
    }
    void close() noexcept override { is_open_ = false; }
    Result<CommitReport> commit(std::span<const Change> changes) override {
        if (!is_open_) return closed();
        if (!disk_.random_.chance(disk_.faults_.commit_percent)) return write(changes);
        // The caller learns only that it failed, not whether it was written.
        if (disk_.random_.chance(50)) (void)write(changes);
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
    Result<CommitReport> write(std::span<const Change> changes) {
        TRY(report, disk_.engine_.commit(changes));
        if (!disk_.is_shared_) return std::move(report);
        TRY(events, read_feed());
        report.of_others = events.size() - report.events.size();
        report.events = std::move(events);
        for (Handle* other : disk_.watching_)
            if (other != this && !disk_.random_.chance(disk_.faults_.lost_news_percent))
                other->news_();
        return std::move(report);
    }
    Result<FeedSlice> read_slice() {
        TRY(page, disk_.engine_.list_events({.after = fed_, .limit = kFeedAtOnce}));
        if (page.has_gap) return reject(ErrorCode::unavailable, "simulated: too far behind");
        if (!page.events.empty()) fed_ = page.events.back()->cursor;
        return FeedSlice{std::move(page.events), page.has_more};
    }
    Result<std::vector<EventPtr>> read_feed() {
        std::vector<EventPtr> events;
        for (bool has_more = true; has_more;) {
            TRY(page, disk_.engine_.list_events({.after = fed_}));
            if (page.has_gap) return reject(ErrorCode::unavailable, "simulated: too far behind");
            has_more = page.has_more;
            for (EventPtr& event : page.events) {
                fed_ = event->cursor;
                events.push_back(std::move(event));
            }
        }
        return events;
    }
    static Rejection closed() { return reject(ErrorCode::unavailable, "simulated: closed"); }

    MemoryDisk& disk_;
    std::function<void()> news_;
    Cursor fed_;
    bool is_open_ = false;
};

std::unique_ptr<Engine> MemoryDisk::make_engine() {
    return std::make_unique<Handle>(*this);
}

}  // namespace parley::sim
