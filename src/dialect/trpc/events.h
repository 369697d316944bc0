// SPDX-License-Identifier: Apache-2.0
// A session's events as tRPC clients are told them: text-start, text-delta, tool-call,
// ask-question, ask-settled, complete… One object for each subscriber, because what a whole part
// becomes depends on how much of it that subscriber has been told. No I/O.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.h"
#include "parley/values.h"

namespace parley::trpc {

// Where a subscriber goes on. As text it is the id of an event.
struct StreamPlace {
    Cursor cursor = {};
    // Taken inside the list of pending asks: they are sent again from the first.
    bool is_in_snapshot = false;
    // Of a subscriber that named none: it comes back without a name.
    std::optional<SessionId> session = {};

    bool operator==(const StreamPlace&) const = default;
};
std::string resume_text(const StreamPlace& point);  // "17", "17*", "17@ses_…"
std::optional<StreamPlace> parse_resume(std::string_view text);

struct StreamEvent {
    std::string data = {};  // JSON; empty: only the cursor has moved
    std::optional<Cursor> cursor = {};
};

StreamEvent notice_event(const NoticeGiven& notice);

class SessionEvents {
public:
    // What the session's agent did when the subscription began.
    explicit SessionEvents(Activity activity) : activity_(activity) {}

    // The session was made for this subscriber, who is told its id.
    void tell_created(SessionId session) { created_ = session; }
    // A turn that is over before the agent has taken this message is not the one waited for.
    void await_taken(MessageId message) { awaited_ = message; }

    // Appends what the frame becomes: nothing, one event or several, the last with the cursor.
    void render(const Frame& frame, std::vector<StreamEvent>& out);

    bool is_turn_over() const { return is_turn_over_; }
    bool is_session_over() const { return is_session_over_; }

private:
    struct OpenCall {
        std::string id;
        std::string tool;
        Instant since;
    };

    void render_event(const Event& event, std::vector<StreamEvent>& out);
    void render_delta(const PartDelta& delta, std::vector<StreamEvent>& out);
    void render_part(const Part& part, Instant at, std::vector<StreamEvent>& out);
    void render_tool_end(const Part& part, Instant at, std::vector<StreamEvent>& out);
    void render_settled(const Ask& ask, std::vector<StreamEvent>& out);
    void render_change(const Event& event, const Session& session, std::vector<StreamEvent>& out);
    void end_snapshot(Cursor cursor, std::vector<StreamEvent>& out);
    void end_turn(std::string_view type, std::string_view reason, std::vector<StreamEvent>& out);
    OpenCall take_call(const Part& part);

    Activity activity_;
    std::optional<SessionId> created_;
    std::optional<MessageId> awaited_;
    AskPtr held_;                  // of the list of pending asks; the last one carries its cursor
    std::set<AskId> open_asks_;    // told and not settled
    std::set<std::string> texts_;  // parts begun
    std::deque<OpenCall> calls_;   // the newest last
    bool is_turn_over_ = false;
    bool is_session_over_ = false;
};

}  // namespace parley::trpc
