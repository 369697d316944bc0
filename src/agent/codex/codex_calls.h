// SPDX-License-Identifier: Apache-2.0
// Our requests to an app-server, each with what is to be done with its reply. Belongs to who owns
// the connection, and to its thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/unique_function.h"
#include "dialect/codex/messages.h"

namespace parley {

class CodexCalls {
public:
    using Answered = UniqueFunction<void(const codex::Reply&)>;

    // The message that makes the request.
    std::string make(std::string_view method, std::string_view params, Answered done) {
        const std::uint64_t id = next_++;
        calls_[id] = std::move(done);
        return codex::write_request(id, method, params);
    }
    void take(const codex::Reply& reply) {
        const auto call = calls_.extract(reply.id);
        if (!call.empty()) call.mapped()(reply);
    }
    // No reply comes any more.
    void drop() { calls_.clear(); }

private:
    std::map<std::uint64_t, Answered> calls_;
    std::uint64_t next_ = 1;
};

}  // namespace parley
