// SPDX-License-Identifier: Apache-2.0
// What an OpenCode server wants a person to decide: its questions and its permissions. Each is one
// ask, and a settlement is the request that tells the server. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::opencode {

struct Wish {
    enum class Kind : std::uint8_t { questions, permission };

    Kind kind = Kind::questions;
    std::string id;
    std::string session;
    std::string directory = {};  // only there it is known
    std::string message = {};    // of the call that it came from; "" if none is told
    std::string call = {};
    json::Value request = {};
};
// Nothing if it has no id or no session.
std::optional<Wish> read_wish(Wish::Kind kind, std::string_view directory,
                              const json::Value& request);
// All in what GET /question or GET /permission gives; nothing if that is no list at all, as from
// servers without this part of the interface.
std::optional<std::vector<Wish>> read_wishes(Wish::Kind kind, std::string_view directory,
                                             const json::Value& list);
// Where such a list is.
std::string_view list_path(Wish::Kind kind);

// The session and the id in one; what a settlement's event names too.
std::string wish_key(std::string_view session, std::string_view id);

// Whether it is about one of Parley's own tools: that asks by itself.
bool is_own(const Wish& wish);

// What is known beside the request itself.
struct Surroundings {
    std::string tool = {};  // the call's name; "" where it is not known
    json::Value input = {};
    std::string sub_agent = {};  // whose session it is; "" for one that a person began
};
// Fills in the call of `wish` from its message, as GET /session/{id}/message/{id} gives it.
void read_call(const Wish& wish, const json::Value& message, Surroundings& surroundings);

[[nodiscard]] Result<AskSpec> make_spec(const Wish& wish, const Surroundings& surroundings);

struct Ruling {
    std::string path;        // what is posted to
    std::string body = {};   // JSON; "" for none
    std::string words = {};  // what it has no room for, to be said to the model after it
};
Ruling read_ruling(const Wish& wish, const Ask& settled);
// By rule: this once.
Ruling passing(const Wish& wish);
// Nobody waits for it any more, or nobody could be asked.
Ruling rejection(const Wish& wish);

// Whether OpenCode will cut this reply for its model.
bool is_cut(const Ruling& ruling);

}  // namespace parley::opencode
