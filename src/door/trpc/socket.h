// SPDX-License-Identifier: Apache-2.0
// One WebSocket of the tRPC door: requests in, results and events out, any number at a time. A
// token may come in its first message. Kept by the coroutine that reads it; belongs to the loop's
// thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "door/alarms.h"
#include "door/trpc/procedures.h"
#include "door/trpc/session_stream.h"
#include "net/exchange.h"

namespace parley::trpc {

class Socket : public std::enable_shared_from_this<Socket> {
public:
    struct Wiring {
        LoopBroker& broker;
        Access& access;
        const Clock& clock;
        Procedures& procedures;
        std::shared_ptr<Alarms> alarms;
    };

    // Until the connection ends.
    static net::Co<void> serve(Wiring wiring, net::Exchange exchange);

    Socket(Wiring wiring, const net::Exchange& exchange);

    // For its subscriptions.
    bool is_open() const { return socket_.is_open(); }
    void send(std::string frame) { (void)socket_.send(std::move(frame)); }
    std::size_t queued_bytes() const { return socket_.queued_bytes(); }
    void on_queue_below(std::size_t bytes, Task task);
    void forget(const std::string& id) { live_.erase(id); }

private:
    // A request under way: a call or a subscription.
    struct Live {
        CallHandle call = {};
        std::shared_ptr<SessionStream> stream = {};
    };

    void opened();
    void closed();
    void take(const std::string& text);
    net::Co<void> take_params(std::string text);
    bool is_over();
    void take_request(SocketRequest request);
    void run(SocketRequest request, const Procedure& procedure);
    void subscribe(SocketRequest request, const Procedure& procedure);
    void stop(const std::string& id);
    void refuse(std::string_view id, const Failure& failure, std::string_view path = {});
    std::optional<Failure> find_fault(const SocketRequest& request, const Procedure* procedure);
    void close_later(std::chrono::seconds delay, std::string_view reason);

    Wiring wiring_;
    net::Peer peer_;
    net::WebSocket socket_;
    std::optional<Caller> caller_;
    bool awaits_params_ = false;
    std::map<std::string, Live> live_;  // by id
    std::size_t answered_bytes_ = 0;    // of the message in hand
    std::vector<Task> waiting_for_room_;
    std::optional<Alarms::Key> alarm_;
};

}  // namespace parley::trpc
