// SPDX-License-Identifier: Apache-2.0
// One request of an MCP client while it is worked on. It is answered once, with a result or an
// error, in the form of the client's era; a cancelled one is not answered at all. Belongs to the
// loop's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/executor.h"
#include "base/unique_function.h"
#include "bridge/mcp/outlet.h"
#include "dialect/mcp/client.h"
#include "wire/json_rpc.h"

namespace parley::mcp {

// Who the server is, as every client is told.
struct ServerInfo {
    std::string version = {};
};

void write_server_info(json::Writer& out, const ServerInfo& info);

class Call {
public:
    Call(wire::rpc::Request request, std::shared_ptr<const ClientInfo> client,
         std::shared_ptr<Outlet> outlet, const ServerInfo& info)
        : request_(std::move(request)),
          client_(std::move(client)),
          outlet_(std::move(outlet)),
          info_(info) {}

    const wire::rpc::Id& id() const { return request_.id; }
    const std::string& method() const { return request_.method; }
    const json::Value& params() const { return request_.params; }
    const ClientInfo& client() const { return *client_; }
    bool is_modern() const { return client_->era == Era::modern; }
    // Answered or cancelled.
    bool is_over() const { return outlet_ == nullptr; }

    // The answer will take a while: only what is needed until then stays of the parameters.
    void hold();
    // Only to a client that asked to be told.
    void progress(std::string_view message);
    bool wants_progress() const;
    // A request or notification of ours that belongs to this one.
    void send(std::string message);

    // `write` adds the members of the result to a json::Writer.
    template <class F>
    void complete(F write) {
        complete_as("complete", std::move(write));
    }
    // `type` is told to modern clients: "complete", "input_required" or "task".
    template <class F>
    void complete_as(std::string_view type, F write) {
        std::string result;
        json::Writer out(result);
        begin_result(out, type);
        write(out);
        out.end_object();
        finish(wire::rpc::write_response(id(), result), 0);
    }
    // `data` is JSON text, "" for none.
    void fail(int code, std::string_view message, std::string_view data = {});

    // What happens when the client cancels, or is cut off by the server; nothing is answered then.
    // What a client has asked that was cut off goes on waiting.
    enum class Leaving : std::uint8_t { cancelled, cut_off };
    void on_cancelled(UniqueFunction<void(Leaving)> told) { cancelled_ = std::move(told); }
    void cancel(Leaving how = Leaving::cancelled);

    // Called once when it is over; for the session that keeps it.
    void on_over(Task task) { over_ = std::move(task); }

private:
    void begin_result(json::Writer& out, std::string_view type) const;
    void finish(std::string message, int code);

    wire::rpc::Request request_;
    std::shared_ptr<const ClientInfo> client_;
    std::shared_ptr<Outlet> outlet_;  // until it is over
    const ServerInfo& info_;
    UniqueFunction<void(Leaving)> cancelled_;
    Task over_;
    std::int64_t progress_ = 0;
};

}  // namespace parley::mcp
