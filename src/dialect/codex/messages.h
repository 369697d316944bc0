// SPDX-License-Identifier: Apache-2.0
// What Codex's app-server and its clients write to each other: JSON-RPC without its version member,
// one object a message. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "text/json.h"

namespace parley::codex {

struct Notification {
    std::string method;
    json::Value params;
};
// What the server wants from its clients. The same id goes to all of them.
struct ServerRequest {
    std::string id;  // as JSON: a number or a text
    std::string method;
    json::Value params;
};
// The answer to a request of ours.
struct Reply {
    std::uint64_t id = 0;
    json::Value result;
    std::string error = {};  // empty: it was done
};

using Message = std::variant<Notification, ServerRequest, Reply>;
// An Error for what is no message of this protocol.
[[nodiscard]] Result<Message> read_message(std::string_view text);

// What a client writes. `params` and `result` are JSON.
std::string write_request(std::uint64_t id, std::string_view method, std::string_view params);
std::string write_notification(std::string_view method);
std::string write_reply(std::string_view id, std::string_view result);
// Nobody here serves this.
std::string write_refusal(std::string_view id, std::string_view message);

// The params of the requests that we make.
// Whether we are told what grows: who follows asks alone would only throw it away.
enum class Hearing : std::uint8_t { asks, all };
std::string initialize_params(std::string_view version, Hearing hearing);
// Of what replies to that.
std::string codex_version(const json::Value& initialized);
// Joins a thread that runs, with its newest turn whole: what was begun before is known by it alone.
std::string join_params(std::string_view thread);
std::string thread_params(std::string_view thread);
std::string interrupt_params(std::string_view thread, std::string_view turn);
// Words for a turn that runs.
std::string steer_params(std::string_view thread, std::string_view turn, std::string_view text);

// What is known of a thread, as replies and notifications have it.
struct Thread {
    std::string id = {};
    std::string name = {};     // what people call it
    std::string preview = {};  // how it began
    std::string folder = {};
    bool is_active = false;
    bool is_waiting = false;  // for a person
    bool is_side = false;     // one of Codex's own, which nobody looks at
};
Thread read_thread(const json::Value& thread);
// Whether it is known what it is about.
bool is_named(const Thread& thread);
// What a session for it is called.
std::string thread_title(const Thread& thread);

}  // namespace parley::codex
