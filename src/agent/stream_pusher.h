// SPDX-License-Identifier: Apache-2.0
// An agent's stream on its way to the broker: in order, some items at a time, tried again while the
// broker is away. Text that grows while it waits is put together. Lives on its link's executor.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_function.h"
#include "client/link.h"
#include "net/loop.h"

namespace parley {

class StreamPusher {
public:
    StreamPusher(net::Loop& loop, Link& link, std::string session);

    void push(StreamItem item);
    // Runs `task` once all that was pushed before has arrived, or was refused.
    void when_done(Task task);

private:
    void send();
    void sent(const Result<void>& result);

    net::Loop& loop_;
    Link& link_;
    std::string session_;
    std::deque<StreamItem> waiting_;
    std::vector<StreamItem> sending_;
    std::vector<Task> when_done_;
    Millis delay_;
    bool is_over_ = false;  // the session takes no more
    std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace parley
