// SPDX-License-Identifier: Apache-2.0
// What the commit queue does when the engine has failed.
#include <algorithm>
#include <utility>

#include "store/limits.h"
#include "store/store_queue.h"

namespace parley {

// While the store is brought back, nothing can be read, and that is no news. One that others share
// may be away, or too slow for this once: the feed tells which, and what is away is brought back.
// What else cannot be read is damaged.
void Store::Queue::read_failed(const Error& error) {
    if (state_ != State::ready) return;
    if (is_shared_ && error.code == ErrorCode::unavailable) return poll_feed();
    listener_->on_damaged(error);
}

// After a failed commit nobody knows what is in the file: it may have been written, or not, or will
// be found half written. So nothing is told and nothing is guessed: the store is opened anew, the
// listener takes what it finds there, and only then the batch is offered again: a change counts
// once, however often it is offered (store/change.h).
void Store::Queue::recover(std::unique_ptr<Batch> batch, Error error) {
    ++stats_.failures;
    state_ = State::recovering;
    if (batch) batch->error = error;
    listener_->on_lost(error);
    reopen(std::move(batch));
}

// After a commit that failed, what can be opened may still not be written to: it is not back then.
void Store::Queue::reopen(std::unique_ptr<Batch> batch) {
    must_try_writing_ |= batch != nullptr;
    wiring_.worker.post([self = shared_from_this(), batch = std::move(batch),
                         must_try = must_try_writing_]() mutable {
        self->engine_->close();
        auto snapshot = self->engine_->open();
        if (snapshot && must_try) {
            if (auto can_write = self->engine_->try_writing(); !can_write)
                snapshot = reject(std::move(can_write).error());
        }
        Executor& home = self->wiring_.home;
        home.post([self = std::move(self), batch = std::move(batch),
                   snapshot = std::move(snapshot)]() mutable {
            self->reopened(std::move(batch), std::move(snapshot));
        });
    });
}

// A batch that fails again after a good opening carries the fault itself; it is refused, or it
// would keep everybody else from the store for ever. While the store cannot be opened at all,
// callers are refused at once: they can try again, and we cannot say how long it lasts.
void Store::Queue::reopened(std::unique_ptr<Batch> batch, Result<Snapshot> snapshot) {
    if (listener_ == nullptr) return;
    if (!snapshot) {
        listener_->on_lost(snapshot.error());
        if (batch) refuse_all(batch->entries, snapshot.error());
        refuse_all(waiting_.entries, snapshot.error());
        waiting_ = {};
        if (closed_) {
            state_ = State::closed;
            std::exchange(closed_, nullptr)();
            return;
        }
        const Mono again = wiring_.clock.mono() + reopen_delay_;
        reopen_delay_ = std::min<Millis>(reopen_delay_ * 2, limits::kStoreReopenDelayMax);
        wiring_.home.post_at(again, [self = shared_from_this()] {
            if (self->listener_ != nullptr && self->state_ == State::recovering)
                self->reopen(nullptr);
        });
        return;
    }
    reopen_delay_ = limits::kStoreReopenDelayMin;
    must_try_writing_ = false;
    state_ = closed_ ? State::closing : State::ready;
    listener_->on_reopened(std::move(*snapshot));
    if (batch && !batch->was_offered_before) {
        batch->was_offered_before = true;
        run(std::move(batch));
        return;
    }
    if (batch) refuse_all(batch->entries, batch->error);
    if (listener_ == nullptr || writing_ == Writing::running) return;
    start_next_batch();
}

// Whatever keeps the store from its file, for who wrote it is away: "conflict" and "denied" would
// be taken for words about the ask.
void Store::Queue::refuse_all(std::vector<Entry>& entries, const Error& error) {
    Error told = error;
    if (told.code != ErrorCode::corrupt && told.code != ErrorCode::internal)
        told.code = ErrorCode::unavailable;
    for (Entry& entry : entries) entry.done(reject(told));
    entries.clear();
}

}  // namespace parley
