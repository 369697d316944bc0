// SPDX-License-Identifier: Apache-2.0
// One WebSocket of the chat door: tells a chat app what happens in its session and takes what its
// person says. One connection holds the session; others may observe. Owned by the coroutine that
// reads its socket; belongs to the loop's thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "broker/broker.h"
#include "dialect/chat/messages.h"
#include "door/chat/chat_seats.h"
#include "door/frame_pump.h"
#include "net/websocket.h"

namespace parley {

class ChatConnection final : public FrameSink, public std::enable_shared_from_this<ChatConnection> {
public:
    struct Wiring {
        LoopBroker& broker;
        const Clock& clock;
        ChatSeats& seats;
    };
    struct Visitor {
        Caller caller;
        std::string connection;  // its id
        std::string session;     // as the client calls it
        SessionId id;
        bool is_observer = false;
        std::optional<Cursor> after = {};
        MarkPtr seat = {};  // of who does not only observe
    };

    ChatConnection(Wiring wiring, Visitor visitor, net::WebSocket socket);

    // Says how things stand, then what was missed, then what happens.
    void start();
    net::WebSocket& socket() { return socket_; }
    void handle(std::string_view text);
    // The socket is over.
    void finish();
    // A newer connection holds the session now.
    void give_way();
    bool sits_at(const Mark& seat) const { return visitor_.seat->value == seat.value; }

private:
    // FrameSink
    bool is_open() const override { return socket_.is_open(); }
    std::size_t queued_bytes() const override { return socket_.queued_bytes(); }
    void on_queue_below(std::size_t bytes, Task task) override {
        socket_.on_queue_below(bytes, std::move(task));
    }
    void send(const Frame& frame) override;
    void tell_of_store(const std::optional<Error>& away) override;
    void cut() override;
    void break_off(const Error& error) override;

    // What the client is told (chat_connection.cc).
    void tell(std::string message) { (void)socket_.send(std::move(message)); }
    void tell_event(const Event& event);
    void tell_delta(const PartDelta& delta);
    void tell_opened(const AskPtr& ask, std::optional<Cursor> cursor);
    void tell_settled(const Ask& ask, Cursor cursor);
    void tell_part(const Part& part, const Event& event);
    bool has_pending_asks() const;
    void tell_status();
    void note(std::string_view type) { last_event_ = type; }

    // What the client says (chat_requests.cc).
    void respond(chat::Response response);
    void settle(const AskPtr& ask, chat::Response response);
    void cancel(const Ask& ask, std::optional<std::string> reason);
    void answer(const Ask& ask, const chat::Response& response);
    Done<SettleReply> offer(AskId id, UniqueFunction<void()> then);
    bool is_own(const Ask& ask) const;
    void refuse_unknown(std::string_view question);
    void say(std::string text);
    void interrupt();
    Actor actor() const;

    Wiring wiring_;
    Visitor visitor_;
    net::WebSocket socket_;
    std::shared_ptr<FramePump> pump_;
    ChatSeats::Told told_;
    std::set<std::string> streamed_;  // text parts that were sent in chunks
    // Settlements that this connection has offered and not yet been told of.
    struct Offer {
        int in_flight = 0;
        bool is_won = false;
    };
    std::map<AskId, Offer> offers_;
    bool holds_session_ = false;
    bool has_written_ = false;
    std::string_view last_event_;
    std::optional<Instant> last_at_;
    std::optional<Instant> completed_at_;
};

}  // namespace parley
