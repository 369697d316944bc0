// SPDX-License-Identifier: Apache-2.0
// One answer of POST /api/chat or GET /api/chat/{id}/stream: the session's turn as a UI message
// stream, until the turn ends. Owned by its connection; belongs to the loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dialect/ai_sdk/ui_messages.h"
#include "door/frame_pump.h"
#include "net/exchange.h"
#include "net/stream.h"
#include "parley/requests.h"

namespace parley {

class UiStream final : public FrameSink, public std::enable_shared_from_this<UiStream> {
public:
    struct Wiring {
        LoopBroker& broker;
        const Clock& clock;
    };
    struct Request {
        SessionId session;
        std::optional<Cursor> after = {};  // absent: begins with what is pending
        std::string message_id = {};
        std::set<std::string> known_calls = {};
        std::vector<AskPtr> shown_first = {};
        std::optional<Said> queued = {};  // a message that waits
        bool finishes_on_ask = false;
    };

    UiStream(Wiring wiring, Caller caller, Request request);
    // Answers the exchange, with a refusal or with the stream.
    static void serve(Wiring wiring, net::Exchange exchange, Request request);

private:
    void start(net::Stream stream);

    // FrameSink
    bool is_open() const override { return stream_.is_open() && !message_.is_finished(); }
    std::size_t queued_bytes() const override { return stream_.queued_bytes(); }
    void on_queue_below(std::size_t bytes, Task task) override {
        stream_.on_queue_below(bytes, std::move(task));
    }
    void send(const Frame& frame) override;
    void tell_of_store(const std::optional<Error>& away) override;
    void cut() override { stream_.abort(); }

    void tell_event(const Event& event);
    void show_ask(const Ask& ask);
    bool has_pending() const;
    void flush();

    Wiring wiring_;
    Request request_;
    std::shared_ptr<FramePump> pump_;
    ai_sdk::MessageStream message_;
    ai_sdk::MessageStream::Chunks chunks_;
    net::Stream stream_;
    std::set<AskId> open_asks_;  // shown, and not told how they ended
    bool was_working_ = false;
    bool is_over_ = false;  // the turn; asks may still wait
};

}  // namespace parley
