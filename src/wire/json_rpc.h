// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0: one document in, messages out, and the writers for each kind. A batch keeps its
// good messages when some are bad. Values only: no method is called here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/json.h"

namespace parley::wire::rpc {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;

// An id is a string, an integer or null; it is answered exactly as it came.
struct Id {
    std::variant<std::nullptr_t, std::int64_t, std::string> value = nullptr;

    bool is_null() const { return std::holds_alternative<std::nullptr_t>(value); }
    bool operator==(const Id&) const = default;
};

struct Request {
    Id id;
    std::string method;
    json::Value params;  // null when absent
};

struct Notification {
    std::string method;
    json::Value params;
};

struct Response {
    Id id;
    json::Value result;
};

struct Failure {
    Id id;
    int code = kInternalError;
    std::string message;
    json::Value data;  // null when absent
};

// A message that is not JSON-RPC: what to answer with.
struct Malformed {
    Id id;  // if it could be read
    int code = kInvalidRequest;
    std::string message;
};

using Message = std::variant<Request, Notification, Response, Failure, Malformed>;

struct Document {
    std::vector<Message> messages;
    bool batch = false;  // answer with an array
};

// Never fails: what is wrong is in the messages as Malformed.
Document parse(std::string_view text, json::ParseLimits limits = {});
Message read_message(const json::Value& value);

void write_id(json::Writer& out, const Id& id);
// `params`, `result` and `data` are JSON text; "" leaves the member out (not for a result).
std::string write_request(const Id& id, std::string_view method, std::string_view params);
std::string write_notification(std::string_view method, std::string_view params);
std::string write_response(const Id& id, std::string_view result);
std::string write_failure(const Id& id, int code, std::string_view message,
                          std::string_view data = {});

}  // namespace parley::wire::rpc
