// SPDX-License-Identifier: Apache-2.0
// Sessions, messages and events as OpenCode's clients know them. Every ask is shown as an assistant
// message of its own with one tool part; what an agent says stands in the messages that the broker
// placed it in. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parley/event.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::opencode {

// The input of a tool call, kept until its output comes.
struct Call {
    std::shared_ptr<const Part> input;
    Instant at = {};
};

// What an event is told against.
struct Scene {
    std::string_view directory;        // of the server: where sessions without one are shown
    const Session* session = nullptr;  // of the event; null when it is not known any more
    bool is_busy = false;              // works or waits, as things stand now
    const Call* call = nullptr;        // that a tool_output ends; null when it is not known
};

// One of their events: its type, and its properties as JSON.
struct Told {
    std::string_view type;
    std::string properties;
};

// An event of ours as theirs, in the order in which their clients expect them; may be none.
std::vector<Told> tell(const Event& event, const Scene& scene);
std::vector<Told> tell(const PartDelta& delta, const Scene& scene);
Told tell(const NoticeGiven& notice);
// A pending ask: its message, its tool part, and question.asked or permission.asked.
std::vector<Told> tell_pending(const Ask& ask, const Scene& scene);

// "evt_…", ascending, and for an event with a cursor the same whenever it is told again. `number`
// tells those of one cursor, or those without any, apart.
std::string event_id(Instant at, Cursor cursor, std::uint32_t number);

enum class Envelope : std::uint8_t { event, global, api };  // /event, /global/event, /api/event
// The event as JSON. An empty directory leaves it out, as for server.connected.
std::string wrap(Envelope envelope, std::string_view id, const Told& told,
                 std::string_view directory);

// Where a session is shown.
std::string_view directory_of(const Session* session, const Scene& scene);

void write_session(json::Writer& out, const Session& session, const Scene& scene);

}  // namespace parley::opencode
