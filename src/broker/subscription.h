// SPDX-License-Identifier: Apache-2.0
// One reader of what happens. It pulls: `take` gives what is due, and the `ready` callback says
// when there is something to take again. A slow reader therefore costs no memory; it falls behind
// into the store and reads on from there by cursor. Confined to the broker's thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_function.h"
#include "core/viewer.h"
#include "parley/error.h"
#include "parley/event.h"

namespace parley {

class LoopBroker;

struct SubscribeRequest {
    std::optional<Cursor> after = {};
    std::optional<SessionId> session = {};
    Viewer viewer = {};        // who is told; drafts are their principal's alone
    bool is_agent = false;     // the session's agent listens for messages
    bool is_internal = false;  // the server's own, not one of its subscribers
};

class Subscription {
public:
    Subscription() = default;
    ~Subscription();
    Subscription(Subscription&&) noexcept;
    Subscription& operator=(Subscription&&) noexcept;

    // Appends at most `max` frames. If it appends none, `ready` is called once there are more.
    void take(std::vector<Frame>& out, std::size_t max);

    // Why there will be nothing more to take; null while there may be. What is stored and cannot be
    // read is not passed over as if it had not happened.
    const Error* failure() const;

    explicit operator bool() const { return reader_ != nullptr; }

    class Reader;  // broker/reader.h

private:
    friend class LoopBroker;
    explicit Subscription(std::shared_ptr<Reader> reader);

    std::shared_ptr<Reader> reader_;
};

}  // namespace parley
