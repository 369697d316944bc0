// SPDX-License-Identifier: Apache-2.0
// The broker as a program uses it, wherever it runs: ask, answer, watch. parley::Broker is one
// inside the program (parley/broker.h), parley::Client one that runs elsewhere (parley/client.h);
// code that takes an AnyBroker& works with either.
//
// Threads. Every function may be called from any thread at any time; only moving and destroying
// need the caller's own care. Code of the program runs on two threads of ours and on no other:
//   - the callback thread: on_settled callbacks, watch callbacks, and coroutines that go on (unless
//     `resume` of the options takes them elsewhere), one at a time, in order;
//   - the handler thread: the question handler, one ask at a time.
// Both may call anything here except close() and the destructor. What they do slowly delays the
// others of their thread and nothing else.
//
// Errors are values (parley/result.h); nothing here throws, and what a callback throws is caught
// and reported to `on_problem` of the options.
#pragma once

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
#include "parley/ticket.h"
#include "parley/values.h"

namespace parley {

namespace program {
class Core;
}  // namespace program

class AnyBroker {
public:
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
    // its result is no longer wanted: the ask was settled elsewhere, the handler was replaced, this
    // is closed.
    using Handler = std::function<std::optional<Answers>(const Ask& ask, std::stop_token stop)>;
    // Replaces the handler; an empty one ends it. Blocks until the earlier handler has returned,
    // except when called by it.
    void set_handler(Handler handler);

    // Tells what happens from now on, or since a cursor: see Frame. Every event once, in order, on
    // the callback thread. A slow callback costs no memory: what it has not seen stays in the
    // store.
    using WatchCallback = std::function<void(const Frame& frame)>;
    [[nodiscard]] Result<Watch> watch(WatchRequest request, WatchCallback callback);

    // Ends it, as the class that it is says. All that waits ends with `interrupted`; the handler is
    // told to stop and waited for, and so are callbacks. Calls after that fail with `unavailable`.
    // Not from a callback or the handler.
    void close();

protected:
    explicit AnyBroker(std::shared_ptr<program::Core> core) : core_(std::move(core)) {}
    // One that was moved from may only be destroyed or assigned to; one that is assigned to is
    // closed first.
    AnyBroker(AnyBroker&& other) noexcept;
    AnyBroker& operator=(AnyBroker&& other) noexcept;
    // As close().
    ~AnyBroker();

private:
    std::shared_ptr<program::Core> core_;
};

}  // namespace parley
