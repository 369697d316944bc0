// SPDX-License-Identifier: Apache-2.0
// What the commit queue does to hear of what others wrote to the same store.
#include <algorithm>
#include <iterator>
#include <utility>

#include "store/limits.h"
#include "store/store_queue.h"

namespace parley {

// The engine calls from a thread of its own choosing; the queue belongs to home.
void Store::Queue::watch_feed() {
    is_shared_ = engine_->watch_feed([weak = weak_from_this(), &home = wiring_.home] {
        home.post([weak] {
            if (const auto self = weak.lock()) self->hear_news();
        });
    });
}

// What others wrote reaches the listener in the order of the feed: the worker does one thing at a
// time, and tells of it in that order.
void Store::Queue::poll_feed() {
    if (listener_ == nullptr || state_ != State::ready) {
        for (auto& done : std::exchange(to_catch_up_, {})) wiring_.home.post(std::move(done));
        return;
    }
    if (is_polling_) {
        is_poll_due_ = true;
        return;
    }
    start_poll(Poll::in_any_case);
}

void Store::Queue::hear_news() {
    has_news_ = true;
    look_for_news();
}

// A transaction that runs, or is about to, reads what others wrote before it: when it has ended,
// there may be nothing new about the news.
void Store::Queue::look_for_news() {
    const bool is_at_rest = !is_batch_running_ && !is_flush_posted_ && !is_polling_;
    if (!has_news_ || !is_at_rest || listener_ == nullptr || state_ != State::ready) return;
    start_poll(Poll::if_news);
}

void Store::Queue::start_poll(Poll poll) {
    is_polling_ = true;
    has_news_ = false;
    catching_up_ = std::exchange(to_catch_up_, {});
    wiring_.worker.post([self = shared_from_this(), poll]() mutable {
        const bool is_needed = poll == Poll::in_any_case || self->engine_->has_news();
        auto slice = is_needed ? self->engine_->poll_feed() : FeedSlice{};
        Executor& home = self->wiring_.home;
        home.post([self = std::move(self), slice = std::move(slice)]() mutable {
            self->polled(std::move(slice));
        });
    });
}

// Who wants to catch up waits for all there is.
void Store::Queue::polled(Result<FeedSlice> slice) {
    is_polling_ = false;
    bool has_more = false;
    // A store that is brought back is read as a whole.
    if (listener_ != nullptr && state_ == State::ready) {
        if (slice) {
            has_more = slice->has_more;
            have_others_written_ |= !slice->events.empty();
            if (!slice->events.empty()) listener_->on_committed(slice->events);
        } else if (!is_batch_running_) {
            // A transaction that runs meets it by itself.
            recover(nullptr, std::move(slice).error());
        }
    }
    auto caught_up = std::exchange(catching_up_, {});
    if (has_more) {
        std::ranges::move(caught_up, std::back_inserter(to_catch_up_));
        return poll_feed();
    }
    for (auto& done : caught_up)
        if (listener_ != nullptr) done();
    if (std::exchange(is_poll_due_, false) || !to_catch_up_.empty()) return poll_feed();
    look_for_news();
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
