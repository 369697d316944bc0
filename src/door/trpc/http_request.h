// SPDX-License-Identifier: Apache-2.0
// The queries and mutations of one HTTP request, alone or as a batch: answered together once all
// are done, or line by line as each is (JSONL). One that waits for a person for long sends spaces
// meanwhile, so that neither side's timeouts end it. Kept by its door until all are done or the
// client has gone; belongs to the loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "door/alarms.h"
#include "door/trpc/procedures.h"
#include "net/exchange.h"

namespace parley::trpc {

class HttpRequest;
using OpenRequests = std::unordered_set<std::shared_ptr<HttpRequest>>;

class HttpRequest : public std::enable_shared_from_this<HttpRequest> {
public:
    enum class Form : std::uint8_t { single, batch, lines };
    struct Wiring {
        Procedures& procedures;
        std::shared_ptr<Alarms> alarms;
        OpenRequests& open;
    };

    static void serve(Wiring wiring, net::Exchange exchange, Form form, std::vector<Call> calls);

    HttpRequest(Wiring wiring, net::Exchange exchange, Form form, std::vector<Call> calls);

private:
    void start();
    void run(std::size_t index);
    void finish(std::size_t index, CallResult result);
    void begin_lines();
    void begin_spaces();
    void send_line(std::size_t index);
    void send_all();
    void release();
    void server_closing();
    std::string document() const;
    int status() const;
    // Unless a procedure of this name can be called so.
    std::optional<Failure> find_fault(const Call& call, const Procedure* procedure) const;

    Wiring wiring_;
    std::optional<net::Exchange> exchange_;
    net::Stream stream_;
    Form form_;
    std::vector<Call> calls_;
    std::vector<std::optional<CallResult>> results_;
    std::vector<CallHandle> handles_;
    std::size_t missing_;
    std::size_t answered_bytes_ = 0;
    std::optional<Alarms::Key> alarm_;
};

// One failure in place of all answers.
void reply_failure(net::Exchange& exchange, const Failure& failure);

}  // namespace parley::trpc
