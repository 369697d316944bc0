// SPDX-License-Identifier: Apache-2.0
// The commit queue behind Store: gathers changes into batches, runs one batch at a time on the
// worker, and brings the engine back after a failure. Lives on the home thread; only `engine_` is
// touched on the worker, and only by tasks that this class posts there.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/turns.h"
#include "store/engine.h"
#include "store/limits.h"
#include "store/news_bell.h"
#include "store/store.h"

namespace parley {

class Store::Queue : public std::enable_shared_from_this<Store::Queue> {
public:
    Queue(std::unique_ptr<Engine> engine, Wiring wiring)
        : engine_(std::move(engine)), wiring_(wiring) {}
    // Once, after construction.
    void watch_feed();

    void open(StoreListener& listener, Done<Snapshot> done);
    void close(UniqueFunction<void()> done);
    // The owner is gone: nothing more is reported.
    void abandon();

    void check();
    void catch_up(UniqueFunction<void()> done);
    void commit(Change&& change, CommitDone&& done);
    void commit(std::vector<Change> changes, CommitDone done);

    template <class T>
    void read(UniqueFunction<Result<T>(Engine&)> query, Done<T> done) {
        if (state_ == State::closed) {
            wiring_.home.post([done = std::move(done)]() mutable { done(closed_error()); });
            return;
        }
        wiring_.worker.post([self = shared_from_this(), query = std::move(query),
                             done = std::move(done)]() mutable {
            auto result = query(*self->engine_);
            Executor& home = self->wiring_.home;
            home.post([self = std::move(self), done = std::move(done),
                       result = std::move(result)]() mutable {
                if (self->listener_ == nullptr) return;
                if (!result) self->read_failed(result.error());
                done(std::move(result));
            });
        });
    }

    // A page may be large, and a thousand may be asked for at once: the next is read when the one
    // before it has been taken. It is read in slices (slices.h); what is to be written goes between
    // them.
    template <class Slices>
    void read_page(Slices slices, Done<typename Slices::Page> done) {
        pages_.take([this, slices = std::move(slices), done = std::move(done)]() mutable {
            read_slice(std::make_shared<Slices>(std::move(slices)), std::move(done));
        });
    }

    void run_between(UniqueFunction<void(Engine&)> work, UniqueFunction<void()> done);

    const StoreStats& stats() const { return stats_; }

private:
    enum class State { closed, ready, recovering, closing };
    // Gathering: others commit now, and more may come until they have. Due: at the end of this
    // turn.
    enum class Writing { idle, gathering, due, running };
    // Due: once more after the one that runs.
    enum class Polling { idle, running, due };

    // One call of commit(): how many of the batch's changes are its own, and whom to tell.
    struct Entry {
        std::size_t changes = 0;
        std::size_t bytes = 0;
        CommitDone done;
    };
    struct Batch {
        std::vector<Change> changes;
        std::vector<Entry> entries;
        std::size_t bytes = 0;  // of all changes, as weight_of() counts
        Mono started = {};
        bool was_offered_before = false;
        Error error = {};
    };

    static Rejection closed_error() {
        return reject(ErrorCode::unavailable, "the store is closed");
    }

    template <class Slices>
    void read_slice(std::shared_ptr<Slices> slices, Done<typename Slices::Page> done) {
        using Page = typename Slices::Page;
        read<Page>([slices](Engine& engine) { return slices->read(engine); },
                   [this, slices, done = std::move(done)](Result<Page> slice) mutable {
                       if (slice && !slices->take(std::move(*slice)))
                           return read_slice(std::move(slices), std::move(done));
                       done(slice ? std::move(*slices).page() : std::move(slice));
                       page_taken();
                   });
    }
    void page_taken();
    bool admit(std::size_t bytes, CommitDone& done);
    void schedule_flush();
    void start_next_batch();
    bool should_gather(const Batch& batch) const;
    void gather();
    void stop_gathering();
    std::unique_ptr<Batch> take_batch();
    void run(std::unique_ptr<Batch> batch);
    void finish(std::unique_ptr<Batch> batch, Result<CommitReport> report);
    void acknowledge(Batch& batch, const CommitReport& report);
    void keep_spare(std::unique_ptr<Batch> batch);

    void read_failed(const Error& error);
    void recover(std::unique_ptr<Batch> batch, Error error);
    void reopen(std::unique_ptr<Batch> batch);
    void reopened(std::unique_ptr<Batch> batch, Result<Snapshot> snapshot);
    void refuse_all(std::vector<Entry>& entries, const Error& error);

    // What others wrote is read with each transaction, and when they say that there are news.
    void hear_news();
    // In any case, and as soon as it can be.
    void poll_feed();
    void start_poll();
    void polled(Result<FeedSlice> slice);
    bool take_slice(Result<FeedSlice> slice);
    void schedule_poll();

    void schedule_tidy_up();
    void tidy_up();
    void finish_closing();

    std::unique_ptr<Engine> engine_;
    Wiring wiring_;
    std::shared_ptr<NewsBell> bell_;  // the engine has it too
    StoreListener* listener_ = nullptr;

    State state_ = State::closed;
    Batch waiting_;
    std::unique_ptr<Batch> spare_;  // empty; keeps its room for the next batch
    Writing writing_ = Writing::idle;
    std::uint64_t gatherings_ = 0;
    bool have_others_written_ = false;  // since the last transaction ended
    bool is_tidy_scheduled_ = false;
    std::optional<Mono> untidy_since_ = {};
    bool is_checking_ = false;
    bool is_shared_ = false;  // others write too
    Polling polling_ = Polling::idle;
    std::vector<UniqueFunction<void()>> to_catch_up_;  // with the next poll
    std::vector<UniqueFunction<void()>> catching_up_;  // with the one that is on its way
    bool is_poll_scheduled_ = false;
    std::atomic<int> untold_ = 0;    // news since a slice was on its way home; 0 if none is
    bool must_try_writing_ = false;  // before it counts as back
    Millis reopen_delay_ = limits::kStoreReopenDelayMin;
    Turns pages_{1};
    UniqueFunction<void()> closed_;
    StoreStats stats_;
};

}  // namespace parley
