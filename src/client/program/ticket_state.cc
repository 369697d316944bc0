// SPDX-License-Identifier: Apache-2.0
#include "client/program/ticket_state.h"

#include <algorithm>
#include <utility>

#include "client/away.h"
#include "client/limits.h"

namespace parley::program {

void TicketState::open(Link& link, AskRequest request) {
    link.ask(std::move(request),
             [this, &link, hook = EndHook(shared_from_this())](Result<OpenedAsk> opened) mutable {
                 if (!opened) return hook(reject(std::move(opened).error()));
                 found(link, opened->ask, std::move(hook));
             });
}

void TicketState::attach(Link& link, AskId id) {
    link.find_ask(id,
                  [this, &link, hook = EndHook(shared_from_this())](Result<AskPtr> ask) mutable {
                      if (!ask) return hook(std::move(ask));
                      found(link, *ask, std::move(hook));
                  });
}

void TicketState::found(Link& link, const AskPtr& ask, EndHook hook) {
    {
        const std::lock_guard lock(mutex_);
        opened_ = ask;
        changed_.notify_all();
    }
    if (!ask->is_pending()) return hook(ask);
    link.wait(ask->id, std::move(hook)).release();
    if (is_cancelled_) withdraw(link);
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
    changed_.wait_for(lock, std::min<std::chrono::nanoseconds>(time, limits::kTicketWaitMax),
                      [this] { return ended_.has_value(); });
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
    core_->post([self = shared_from_this(), reason = std::move(reason)](Link& link) mutable {
        if (std::exchange(self->is_cancelled_, true)) return;
        self->cancel_reason_ = std::move(reason);
        self->withdraw(link);
    });
}

// Once the ask has its id; before that, found() comes here again.
void TicketState::withdraw(Link& link) {
    const std::lock_guard lock(mutex_);
    if (!opened_ || ended_) return;
    link.withdraw(opened_->id, cancel_reason_,
                  [weak = weak_from_this(), core = core_](const Result<SettleReply>& reply) {
                      if (reply) return;
                      if (!is_away(reply.error()))
                          return core->report("an ask was not withdrawn: " + reply.error().message);
                      core->post_retry([weak] {
                          if (const auto self = weak.lock()) self->withdraw_again();
                      });
                  });
}

void TicketState::withdraw_again() {
    core_->post([self = shared_from_this()](Link& link) { self->withdraw(link); });
}

}  // namespace parley::program

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
