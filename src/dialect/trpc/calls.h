// SPDX-License-Identifier: Apache-2.0
// What tRPC clients send: calls in a URL and a body, messages of a socket, connection parameters.
// Readers only: which procedure is meant and whether it may run is the door's. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/trpc/envelope.h"
#include "text/json.h"

namespace parley::trpc {

struct Call {
    std::string path;
    json::Value input = nullptr;        // null also when the client sent none
    std::optional<Failure> fault = {};  // the input could not be read
};

// The calls of one HTTP request. `paths` is decoded; of a batch, names with commas between them,
// whose inputs are the members "0", "1"… of one object.
struct CallText {
    std::string_view paths;
    bool is_batch = false;
    std::optional<std::string_view> input = {};  // JSON
};
[[nodiscard]] tl::expected<std::vector<Call>, Failure> read_calls(const CallText& text);

struct SocketRequest {
    enum class Method : std::uint8_t { query, mutation, subscription, stop };

    std::string id;  // JSON: a number or a string
    Method method = Method::query;
    Call call = {};
    std::optional<std::string> last_event_id = {};
};
std::string_view to_string(SocketRequest::Method method);

// One message of a socket: a request or a list of them. What is none is a parse error of its own.
// The inputs live in `arena`.
std::vector<tl::expected<SocketRequest, Failure>> read_socket_message(std::string_view text,
                                                                      json::Arena& arena);

// {"token": "…"} or {"authorization": "Bearer …"} among other members, all strings; null has none.
struct ConnectionParams {
    std::optional<std::string> token = {};
    std::optional<std::string> authorization = {};  // as in the header of that name
};
[[nodiscard]] tl::expected<ConnectionParams, Failure> read_params(std::string_view text);
// The same in the first message of a socket: {"method":"connectionParams","data":…}.
[[nodiscard]] tl::expected<ConnectionParams, Failure> read_params_message(std::string_view text);

}  // namespace parley::trpc
