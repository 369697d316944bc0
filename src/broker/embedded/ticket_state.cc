// SPDX-License-Identifier: Apache-2.0
#include "broker/embedded/ticket_state.h"

#include <algorithm>
#include <utility>

#include "core/profile.h"

namespace parley::embedded {

namespace {

// A condition variable adds the time to the clock; a sum that overflows would not wait at all.
constexpr std::chrono::nanoseconds kLongestWait = std::chrono::hours(24 * 366);

}  // namespace

void TicketState::open(LoopBroker& broker, AskRequest request) {
    broker.ask(
        std::move(request), kOpenProfile, core_->actor(),
        [this, &broker, hook = EndHook(shared_from_this())](Result<OpenedAsk> opened) mutable {
            if (!opened) return hook(reject(std::move(opened).error()));
            found(broker, opened->ask, std::move(hook));
        });
}

void TicketState::attach(LoopBroker& broker, AskId id) {
    broker.find_ask(
        id, kUnrestricted,
        [this, &broker, hook = EndHook(shared_from_this())](Result<AskPtr> ask) mutable {
            if (!ask) return hook(std::move(ask));
            found(broker, *ask, std::move(hook));
        });
}

void TicketState::found(LoopBroker& broker, const AskPtr& ask, EndHook hook) {
    {
        const std::lock_guard lock(mutex_);
        opened_ = ask;
        changed_.notify_all();
    }
    if (!ask->is_pending()) return hook(ask);
    broker.wait(ask->id, kUnrestricted, std::move(hook)).release();
    if (is_cancelled_) withdraw(broker);
}

void TicketState::fulfil(Result<AskPtr> ended) {
    bool has_more = false;
    {
        const std::lock_guard lock(mutex_);
        ended_ = std::move(ended);
        has_more = !continuations_.empty();
        changed_.notify_all();
    }
    if (!has_more) return;
    core_->post_callback([self = shared_from_this()] { self->run_continuations(); });
}

void TicketState::run_continuations() {
    while (true) {
        Continuation next;
        {
            const std::lock_guard lock(mutex_);
            if (continuations_.empty()) return;
            next = std::move(continuations_.front());
            continuations_.pop_front();
        }
        if (next.callback) {
            core_->guard("a callback", [&] { next.callback(*ended_); });
        } else {
            core_->resume(next.coroutine);
        }
    }
}

Result<AskPtr> TicketState::opened() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return opened_ || ended_; });
    return opened_ ? opened_ : *ended_;
}

Result<AskPtr> TicketState::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_.has_value(); });
    return *ended_;
}

std::optional<Result<AskPtr>> TicketState::wait_for(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::min(time, kLongestWait), [this] { return ended_.has_value(); });
    return ended_;
}

std::optional<Result<AskPtr>> TicketState::poll() {
    const std::lock_guard lock(mutex_);
    return ended_;
}

bool TicketState::has_ended() {
    const std::lock_guard lock(mutex_);
    return ended_.has_value();
}

void TicketState::add_callback(std::function<void(const Result<AskPtr>&)> callback) {
    {
        const std::lock_guard lock(mutex_);
        continuations_.push_back({.number = next_number_++, .callback = std::move(callback)});
        if (!ended_) return;
    }
    core_->post_callback([self = shared_from_this()] { self->run_continuations(); });
}

bool TicketState::suspend(std::coroutine_handle<> coroutine, std::uint64_t& number) {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    number = next_number_++;
    continuations_.push_back({.number = number, .coroutine = coroutine});
    return true;
}

void TicketState::forget(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    std::erase_if(continuations_, [number](const auto& one) { return one.number == number; });
}

void TicketState::cancel(std::optional<std::string> reason) {
    core_->post(
        [self = shared_from_this(), reason = std::move(reason)](LoopBroker& broker) mutable {
            if (std::exchange(self->is_cancelled_, true)) return;
            self->cancel_reason_ = std::move(reason);
            self->withdraw(broker);
        });
}

// Once the ask has its id; before that, found() comes here again.
void TicketState::withdraw(LoopBroker& broker) {
    const std::lock_guard lock(mutex_);
    if (!opened_ || ended_) return;
    broker.withdraw(opened_->id, cancel_reason_, core_->actor(),
                    [core = core_](Result<SettleReply> reply) {
                        if (!reply)
                            core->report("an ask was not withdrawn: " + reply.error().message);
                    });
}

}  // namespace parley::embedded

namespace parley {

Result<AskPtr> Ticket::opened() const {
    return state_->opened();
}

Result<AskPtr> Ticket::wait() const {
    return state_->wait();
}

std::optional<Result<AskPtr>> Ticket::wait_for(std::chrono::nanoseconds time) const {
    return state_->wait_for(time);
}

std::optional<Result<AskPtr>> Ticket::poll() const {
    return state_->poll();
}

void Ticket::on_settled(std::function<void(const Result<AskPtr>&)> callback) const {
    state_->add_callback(std::move(callback));
}

void Ticket::cancel(std::optional<std::string> reason) const {
    state_->cancel(std::move(reason));
}

Ticket::Awaiter::~Awaiter() {
    if (number_ != 0) state_->forget(number_);
}

bool Ticket::Awaiter::await_ready() const {
    return state_->has_ended();
}

bool Ticket::Awaiter::await_suspend(std::coroutine_handle<> coroutine) {
    // The coroutine may go on and end, and this awaiter with it, before suspend() returns.
    const auto state = state_;
    return state->suspend(coroutine, number_);
}

Result<AskPtr> Ticket::Awaiter::await_resume() const {
    return state_->wait();
}

}  // namespace parley
