// SPDX-License-Identifier: Apache-2.0
// A subscription over Server-Sent Events, as httpSubscriptionLink reads it. Owned by its
// connection; belongs to the loop's thread.
#pragma once

#include "door/trpc/session_stream.h"
#include "net/exchange.h"

namespace parley::trpc {

class SseStream final : public SessionStream {
public:
    using SessionStream::SessionStream;

    static void serve(FramePump::Wiring wiring, net::Exchange exchange, const Procedure& procedure,
                      const Call& call);

private:
    void serve(net::Exchange exchange, const Call& call);

    bool is_open() const override { return stream_.is_open(); }
    std::size_t queued_bytes() const override { return stream_.queued_bytes(); }
    void on_queue_below(std::size_t bytes, Task task) override {
        stream_.on_queue_below(bytes, std::move(task));
    }
    // After a silence it says nothing of an id that it has not shown.
    bool may_lose_place() const override { return !is_tracked() && is_repeatable(); }
    void begin() override;
    void tell(const Told& event) override;
    void mark(const std::string& id) override;
    void complete() override;
    void fail(const Failure& failure) override;

    net::Stream stream_;
    bool has_begun_ = false;
};

// A stream that says why there is none, and ends: clients that subscribe read no HTTP status.
std::string refused_stream(const Failure& failure, std::string_view path);
void reply_refused_stream(net::Exchange& exchange, const Failure& failure, std::string_view path);

}  // namespace parley::trpc
