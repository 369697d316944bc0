// SPDX-License-Identifier: Apache-2.0
// Parley inside a program: ask a person a question and go on with the answer, or be the part of the
// program that answers. Questions and answers are kept in a store; what was acknowledged survives a
// crash, and an ask has exactly one settlement, whoever races for it.
//
//     auto broker = parley::Broker::open({.store = "sqlite:/var/lib/app/asks.db"});
//     if (!broker) return complain(broker.error());
//
//     parley::Ticket ticket = broker->ask({.spec = {.questions = {{
//         .text = "Deploy to production?", .header = "Deploy",
//         .options = {{"Yes", "now"}, {"No", "not today"}}}}}});
//
//     auto settled = ticket.wait();                        // blocking,
//     ticket.on_settled([](const auto& settled) { … });    // or with a callback,
//     auto settled = co_await ticket;                      // or in a coroutine of any library
//
//     if (!settled) …                                      // never opened, or the broker closed
//     else if ((*settled)->state() == parley::AskState::answered)
//         use((*settled)->settlement->answers);
//
// Threads. Every function may be called from any thread at any time; only moving and destroying a
// Broker need the caller's own care. Code of the program runs on two threads of the broker and on
// no other:
//   - the callback thread: on_settled callbacks, watch callbacks, and coroutines that go on (unless
//     BrokerOptions::resume takes them elsewhere), one at a time, in order;
//   - the handler thread: the question handler, one ask at a time.
// Both may call anything here except close() and the destructor. What they do slowly delays the
// others of their thread and never the broker.
//
// Errors are values (parley/result.h); nothing here throws, and what a callback throws is caught
// and reported to BrokerOptions::on_problem.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parley/event.h"
#include "parley/requests.h"
#include "parley/result.h"
#include "parley/values.h"

namespace parley {

namespace embedded {
class Core;
class TicketState;
class WatchState;
}  // namespace embedded

// One ask, to wait for. A ticket is a handle: copies mean the same ask. Dropping all of them ends
// neither the ask nor its callbacks. It may outlive the broker.
//
// Every way of waiting gives the same result: the ask with its settlement, which says how it ended
// (answered, dismissed, timed out or withdrawn), or an Error if there will be none: the ask was
// refused and never opened (`invalid`, `key_conflict`, …), or the broker was closed meanwhile
// (`interrupted`); then the ask itself stays pending in the store.
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
    // soon. After the broker was closed there is no such thread: then it is called at once, here.
    void on_settled(std::function<void(const Result<AskPtr>&)> callback) const;

    // Takes the ask back. Never blocks; how the ask really ended is seen by waiting, since an
    // answer may have been first.
    void cancel(std::optional<std::string> reason = {}) const;

    // co_await ticket: goes on at once if the ask has ended, otherwise on the callback thread or
    // through BrokerOptions::resume. A coroutine that is destroyed while it is suspended here is
    // not resumed; destroy it where it would have been resumed, or before the ask can end.
    class Awaiter {
    public:
        explicit Awaiter(std::shared_ptr<embedded::TicketState> state) : state_(std::move(state)) {}
        ~Awaiter();
        Awaiter(const Awaiter&) = delete;
        Awaiter& operator=(const Awaiter&) = delete;

        bool await_ready() const;
        bool await_suspend(std::coroutine_handle<> coroutine);
        Result<AskPtr> await_resume() const;

    private:
        std::shared_ptr<embedded::TicketState> state_;
        std::uint64_t number_ = 0;  // of the suspension; zero before it
    };
    Awaiter operator co_await() const { return Awaiter(state_); }

private:
    friend class Broker;
    explicit Ticket(std::shared_ptr<embedded::TicketState> state) : state_(std::move(state)) {}

    std::shared_ptr<embedded::TicketState> state_;
};

// The right to be told what happens. Once it is dropped, its callback is not running and will not
// run again; dropped inside the callback, it is the last call. It may outlive the broker.
class Watch {
public:
    Watch() = default;
    Watch(Watch&& other) noexcept;
    Watch& operator=(Watch&& other) noexcept;
    ~Watch();

private:
    friend class Broker;
    explicit Watch(std::shared_ptr<embedded::WatchState> state) : state_(std::move(state)) {}

    std::shared_ptr<embedded::WatchState> state_;
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

struct BrokerOptions {
    // "memory:" forgets everything with the process; "sqlite:PATH" is a file, created if it is not
    // there, and held by one broker at a time.
    std::string store = "memory:";
    // Who this program is in the records: as asker, and as the decider of what it settles.
    std::string principal = "program";
    // Takes a coroutine whose ask has ended to where it goes on, e.g. by posting it to the
    // program's own loop, which then calls resume() on it. Called on the callback thread. Empty:
    // it goes on there.
    std::function<void(std::coroutine_handle<>)> resume = {};
    // Told what no caller can be told: an exception out of a callback or a handler, an answer of
    // the handler that was refused. Empty: a line on standard error.
    std::function<void(std::string_view what)> on_problem = {};
};

class Broker {
public:
    // Blocks until the store is loaded and everything that was due meanwhile is settled.
    [[nodiscard]] static Result<Broker> open(BrokerOptions options = {});

    // One that was moved from may only be destroyed or assigned to; one that is assigned to is
    // closed first.
    Broker(Broker&& other) noexcept;
    Broker& operator=(Broker&& other) noexcept;
    // As close().
    ~Broker();

    // Asks. Never blocks: everything that can go wrong is told by the ticket. The same key in the
    // same session, or the same tool call, is the same ask, also after a restart.
    Ticket ask(AskRequest request);
    // For an ask that was made before, by this program or an earlier run of it.
    [[nodiscard]] Ticket ticket(AskId id);

    // Settles an ask. The first valid settlement stands: the reply says whether it is this one and
    // carries the one that does. An invalid answer is an Error that names every fault, and leaves
    // the ask pending. Blocks until the outcome is durable.
    [[nodiscard]] Result<SettleReply> answer(AskId id, Answers answers, AnswerOptions options = {});
    // Refused with `conflict` if the asker forbade it.
    [[nodiscard]] Result<SettleReply> dismiss(AskId id, DismissOptions options = {});
    [[nodiscard]] Result<SettleReply> withdraw(AskId id, std::optional<std::string> reason = {});

    // What is pending, oldest first, and one ask, pending or settled.
    [[nodiscard]] Result<std::vector<AskPtr>> pending() const;
    [[nodiscard]] Result<AskPtr> find(AskId id) const;

    // Sessions group the asks of one conversation. `ref` is a session's id or the program's own
    // name for it; ending one withdraws its pending asks.
    [[nodiscard]] Result<SessionPtr> open_session(SessionRequest request = {});
    [[nodiscard]] Result<SessionPtr> end_session(std::string_view ref,
                                                 std::optional<std::string> reason = {});

    // The handler is given every ask, first those that are pending, and returns the answers, or
    // nullopt to leave the ask to others. Answers that are refused, or an exception, leave it
    // pending too; on_problem is told. It runs on the handler thread, one ask at a time in the
    // order in which they were asked, and may block as long as it likes. `stop` is requested when
    // its result is no longer wanted: the ask was settled elsewhere, the handler was replaced, the
    // broker closes.
    using Handler = std::function<std::optional<Answers>(const Ask& ask, std::stop_token stop)>;
    // Replaces the handler; an empty one ends it. Blocks until the earlier handler has returned,
    // except when called by it.
    void set_handler(Handler handler);

    // Tells what happens from now on, or since a cursor: see Frame. Every event once, in order, on
    // the callback thread. A slow callback costs no memory: what it has not seen stays in the
    // store.
    using WatchCallback = std::function<void(const Frame& frame)>;
    [[nodiscard]] Result<Watch> watch(WatchRequest request, WatchCallback callback);

    // Ends the broker: what was asked or settled before is still written, then the store is closed.
    // Pending asks stay pending in it; all that waits ends with `interrupted`; the handler is told
    // to stop and waited for, and so are callbacks. Calls after that fail with `unavailable`.
    // Not from a callback or the handler.
    void close();

private:
    explicit Broker(std::shared_ptr<embedded::Core> core) : core_(std::move(core)) {}

    std::shared_ptr<embedded::Core> core_;
};

}  // namespace parley
