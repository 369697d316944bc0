// SPDX-License-Identifier: Apache-2.0
// JSON-RPC documents: each message that was understood, written again, is understood the same.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "wire/json_rpc.h"

namespace {

using namespace parley;
using namespace parley::wire::rpc;

struct Rewrite {
    std::string operator()(const Request& message) const {
        return write_request(message.id, message.method,
                             message.params.is_null() ? "" : json::serialize(message.params));
    }
    std::string operator()(const Notification& message) const {
        return write_notification(message.method,
                                  message.params.is_null() ? "" : json::serialize(message.params));
    }
    std::string operator()(const Response& message) const {
        return write_response(message.id, json::serialize(message.result));
    }
    std::string operator()(const Failure& message) const {
        return write_failure(message.id, message.code, message.message,
                             message.data.is_null() ? "" : json::serialize(message.data));
    }
    std::string operator()(const Malformed& message) const {
        return write_failure(message.id, message.code, message.message);
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Document document = parse({reinterpret_cast<const char*>(data), size});
    ASSERT(!document.messages.empty());
    for (const Message& message : document.messages) {
        const Document again = parse(std::visit(Rewrite{}, message));
        ASSERT(again.messages.size() == 1 && !again.batch);
        if (!std::holds_alternative<Malformed>(message)) {
            ASSERT(again.messages[0].index() == message.index());
        }
    }
    return 0;
}
