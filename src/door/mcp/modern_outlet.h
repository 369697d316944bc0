// SPDX-License-Identifier: Apache-2.0
// The answer to a modern client over HTTP: one JSON document, or one event stream whose end is the
// end of the call. Belongs to the loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bridge/mcp/call.h"
#include "bridge/mcp/outlet.h"
#include "net/exchange.h"

namespace parley::mcp {

// The HTTP status that goes with an error of the protocol.
int http_status(int code);

class ModernOutlet final : public Outlet, public std::enable_shared_from_this<ModernOutlet> {
public:
    explicit ModernOutlet(net::Exchange exchange) : exchange_(std::move(exchange)) {}

    // A client that closes the connection has cancelled the call.
    void watch(const std::shared_ptr<Call>& call);

    void hold() override;
    void send(std::string message) override;
    void finish(std::string message, int code) override;

private:
    std::optional<net::Exchange> exchange_;  // until it is answered
    net::Stream stream_;
    std::weak_ptr<Call> call_;
};

}  // namespace parley::mcp
