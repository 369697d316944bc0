// SPDX-License-Identifier: Apache-2.0
// What the commit queue does to hear of what others wrote to the same store.
#include <algorithm>
#include <iterator>
#include <utility>

#include "store/limits.h"
#include "store/store_queue.h"

namespace parley {

// The engine calls from a thread of its own choosing. The worker looks at once, since whoever waits
// for an answer waits for that; a transaction that ran when the news came may have told them.
void Store::Queue::watch_feed() {
    bell_ = std::make_shared<NewsBell>(wiring_.worker, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->hear_news();
    });
    is_shared_ = engine_->watch_feed([bell = bell_] { bell->ring(); });
}

// On the worker. What it tells waits at home until it is taken: as much as that, and no more. What
// comes meanwhile is counted, and looked at then.
void Store::Queue::hear_news() {
    if (untold_.fetch_add(1) > 0) return;
    if (!engine_->has_news()) {
        untold_ = 0;
        return;
    }
    wiring_.home.post([self = shared_from_this(), slice = engine_->poll_feed()]() mutable {
        const bool has_more = self->take_slice(std::move(slice));
        if (self->untold_.exchange(0) > 1 && !has_more)
            self->wiring_.worker.post([self] { self->hear_news(); });
        if (has_more) self->poll_feed();
    });
}

// What others wrote reaches the listener in the order of the feed: the worker does one thing at a
// time, and tells of it in that order.
void Store::Queue::poll_feed() {
    if (listener_ == nullptr || state_ != State::ready) {
        for (auto& done : std::exchange(to_catch_up_, {})) wiring_.home.post(std::move(done));
        return;
    }
    if (polling_ == Polling::idle) return start_poll();
    polling_ = Polling::due;
}

void Store::Queue::start_poll() {
    polling_ = Polling::running;
    catching_up_ = std::exchange(to_catch_up_, {});
    wiring_.worker.post([self = shared_from_this()]() mutable {
        auto slice = self->engine_->poll_feed();
        Executor& home = self->wiring_.home;
        home.post([self = std::move(self), slice = std::move(slice)]() mutable {
            self->polled(std::move(slice));
        });
    });
}

// Who wants to catch up waits for all there is.
void Store::Queue::polled(Result<FeedSlice> slice) {
    const bool is_due = std::exchange(polling_, Polling::idle) == Polling::due;
    const bool has_more = take_slice(std::move(slice));
    auto caught_up = std::exchange(catching_up_, {});
    if (has_more) {
        std::ranges::move(caught_up, std::back_inserter(to_catch_up_));
        return poll_feed();
    }
    for (auto& done : caught_up)
        if (listener_ != nullptr) done();
    if (is_due || !to_catch_up_.empty()) poll_feed();
}

// Whether there is more to look for. A store that is brought back is read as a whole instead. One
// that closes looks for no more, but tells what it has read: what it still commits follows on that.
bool Store::Queue::take_slice(Result<FeedSlice> slice) {
    const bool is_closing = state_ == State::closing;
    if (listener_ == nullptr || (state_ != State::ready && !is_closing)) return false;
    if (!slice) {
        // A transaction that runs meets it by itself.
        if (writing_ != Writing::running && !is_closing) recover(nullptr, std::move(slice).error());
        return false;
    }
    have_others_written_ |= !slice->events.empty();
    const bool has_more = slice->has_more && !is_closing;
    if (!slice->events.empty()) listener_->on_committed(slice->events);
    return has_more;
}

// Who asks while nobody can tell goes on with what is known.
void Store::Queue::catch_up(UniqueFunction<void()> done) {
    if (!is_shared_ || state_ != State::ready) {
        wiring_.home.post(std::move(done));
        return;
    }
    to_catch_up_.push_back(std::move(done));
    poll_feed();
}

// News may be lost on their way.
void Store::Queue::schedule_poll() {
    if (!is_shared_ || std::exchange(is_poll_scheduled_, true)) return;
    wiring_.home.post_at(wiring_.clock.mono() + limits::kFeedPollEvery,
                         [self = shared_from_this()] {
                             self->is_poll_scheduled_ = false;
                             if (self->listener_ == nullptr) return;
                             self->poll_feed();
                             self->schedule_poll();
                         });
}

}  // namespace parley
