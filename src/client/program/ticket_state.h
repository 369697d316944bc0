// SPDX-License-Identifier: Apache-2.0
// Behind parley::AnyBroker: what the copies of one ticket share. Filled on the loop, read and
// waited for on any thread. Everything that goes on after the ask has ended, callback or coroutine,
// stands in one list; whoever takes an entry out of it runs it, so each runs once or, withdrawn
// from the list in time, never.
#pragma once

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "client/program/core.h"
#include "parley/ticket.h"

namespace parley::program {

class TicketState : public std::enable_shared_from_this<TicketState> {
public:
    explicit TicketState(std::shared_ptr<Core> core) : core_(std::move(core)) {}

    // On the loop, one of the two, once.
    void open(Link& link, AskRequest request);
    void attach(Link& link, AskId id);
    // The end: of the ask, or of the hope that it will come.
    void fulfil(Result<AskPtr> ended);

    // Any thread.
    Result<AskPtr> opened();
    Result<AskPtr> wait();
    std::optional<Result<AskPtr>> wait_for(std::chrono::nanoseconds time);
    std::optional<Result<AskPtr>> poll();
    bool has_ended();
    void add_callback(std::function<void(const Result<AskPtr>&)> callback);
    void cancel(std::optional<std::string> reason);

    // Writes `number` and suspends; or false if the ask has ended. Once this returns true, and even
    // before it returns, the coroutine may go on elsewhere.
    bool suspend(std::coroutine_handle<> coroutine, std::uint64_t& number);
    void forget(std::uint64_t number);

private:
    struct Continuation {
        std::uint64_t number = 0;
        std::function<void(const Result<AskPtr>&)> callback = {};
        std::coroutine_handle<> coroutine = {};  // if there is no callback
    };

    using EndHook = Hook<AskPtr, std::shared_ptr<TicketState>>;

    void found(Link& link, const AskPtr& ask, EndHook hook);
    void withdraw(Link& link);
    void withdraw_again();
    void run_continuations();

    const std::shared_ptr<Core> core_;

    std::mutex mutex_;  // guards what follows, up to the next group
    std::condition_variable changed_;
    AskPtr opened_;                        // set once
    std::optional<Result<AskPtr>> ended_;  // set once; read without the lock by who saw it set
    std::deque<Continuation> continuations_;
    std::uint64_t next_number_ = 1;

    // Of the loop's own thread.
    bool is_cancelled_ = false;
    std::optional<std::string> cancel_reason_;
};

}  // namespace parley::program
