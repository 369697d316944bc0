// SPDX-License-Identifier: Apache-2.0
// What a program holds of an ask that it made and of a watch that it keeps, and what it may say
// when it settles one: the same for a broker inside the program and for one elsewhere.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "parley/event.h"
#include "parley/result.h"
#include "parley/values.h"

namespace parley {

namespace program {
class TicketState;
class WatchState;
}  // namespace program

// One ask, to wait for. A ticket is a handle: copies mean the same ask. Dropping all of them ends
// neither the ask nor its callbacks. It may outlive what made it.
//
// Every way of waiting gives the same result: the ask with its settlement, which says how it ended
// (answered, dismissed, timed out or withdrawn), or an Error if there will be none: the ask was
// refused and never opened (`invalid`, `key_conflict`, …), or the Broker or Client was closed
// meanwhile (`interrupted`); then the ask itself stays pending in the store.
class Ticket {
public:
    // Blocks until the ask is durable and has its id, or is refused.
    [[nodiscard]] Result<AskPtr> opened() const;

    // Blocks until the ask is settled.
    [[nodiscard]] Result<AskPtr> wait() const;
    // The same, for at most so long. Nullopt: not settled yet, and nothing has changed.
    [[nodiscard]] std::optional<Result<AskPtr>> wait_for(std::chrono::nanoseconds time) const;
    // Never blocks.
    [[nodiscard]] std::optional<Result<AskPtr>> poll() const;

    // Calls back once, on the callback thread, never inside this call; on a ticket that has ended,
    // soon. After close() there is no such thread: then it is called at once, here.
    void on_settled(std::function<void(const Result<AskPtr>&)> callback) const;

    // Takes the ask back. Never blocks; how the ask really ended is seen by waiting, since an
    // answer may have been first.
    void cancel(std::optional<std::string> reason = {}) const;

    // co_await ticket: goes on at once if the ask has ended, otherwise on the callback thread or
    // through `resume` of the options. A coroutine that is destroyed while it is suspended here is
    // not resumed; destroy it where it would have been resumed, or before the ask can end.
    class Awaiter {
    public:
        explicit Awaiter(std::shared_ptr<program::TicketState> state) : state_(std::move(state)) {}
        ~Awaiter();
        Awaiter(const Awaiter&) = delete;
        Awaiter& operator=(const Awaiter&) = delete;

        bool await_ready() const;
        bool await_suspend(std::coroutine_handle<> coroutine);
        Result<AskPtr> await_resume() const;

    private:
        std::shared_ptr<program::TicketState> state_;
        std::uint64_t number_ = 0;  // of the suspension; zero before it
    };
    Awaiter operator co_await() const { return Awaiter(state_); }

private:
    friend class AnyBroker;
    explicit Ticket(std::shared_ptr<program::TicketState> state) : state_(std::move(state)) {}

    std::shared_ptr<program::TicketState> state_;
};

// The right to be told what happens. Once it is dropped, its callback is not running and will not
// run again; dropped inside the callback, it is the last call. It may outlive what made it.
class Watch {
public:
    Watch() = default;
    Watch(Watch&& other) noexcept;
    Watch& operator=(Watch&& other) noexcept;
    ~Watch();

private:
    friend class AnyBroker;
    explicit Watch(std::shared_ptr<program::WatchState> state) : state_(std::move(state)) {}

    std::shared_ptr<program::WatchState> state_;
};

struct WatchRequest {
    // The last cursor that was seen. Without one, the pending asks come first.
    std::optional<Cursor> after = {};
    // Only what belongs to this session.
    std::optional<SessionId> session = {};
};

struct AnswerOptions {
    std::optional<std::string> by = {};  // the person's name, recorded beside the program's
    bool may_be_partial = false;         // some questions may be left unanswered
};

struct DismissOptions {
    std::optional<std::string> by = {};
    std::optional<std::string> reason = {};  // the agent is told
};

}  // namespace parley
