// SPDX-License-Identifier: Apache-2.0
// Inside client: one Following of a RemoteLink. Reads /v1/events, and after a lost connection comes
// back from the last cursor it saw. While it is paused it is not connected: what it misses waits in
// the broker's store. Owned by its handle.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/lifetime.h"
#include "client/follow.h"
#include "dialect/native/problem.h"
#include "net/http_calls.h"
#include "net/loop.h"

namespace parley {

class RemoteFollow final : public Following, private net::EventSink {
public:
    struct Wiring {
        net::Loop& loop;
        net::HttpCalls& calls;
        std::weak_ptr<const void> link;  // `calls` is gone once this is
    };

    static std::unique_ptr<Following> start(Wiring wiring, net::ClientRequest request,
                                            std::optional<Cursor> after, FollowListener& listener);

    void pause() override;
    void resume() override;
    const ResumePoint& resume_point() const override { return resume_point_; }

private:
    RemoteFollow(Wiring wiring, net::ClientRequest request, std::optional<Cursor> after,
                 FollowListener& listener);

    void on_open() override;
    void on_event(wire::ReceivedSse event) override;
    void on_refused(const net::ClientResponse& response) override;
    void on_end(Error why) override;
    void connect();
    void gather(Frame frame);
    void give();
    void tell(const native::StoreNews& news);

    Wiring wiring_;
    net::ClientRequest request_;
    FollowListener& listener_;
    ResumePoint resume_point_;
    Millis delay_;
    bool is_paused_ = false;
    bool is_over_ = false;
    bool must_reset_ = false;
    bool is_giving_posted_ = false;
    std::vector<Frame> gathered_;  // read, not given yet
    Lifetime alive_;
    net::HttpCalls::Handle stream_;
};

}  // namespace parley
