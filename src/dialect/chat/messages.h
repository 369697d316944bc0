// SPDX-License-Identifier: Apache-2.0
// The chat socket: JSON messages of a chat app and its server, one per WebSocket message. Ids of
// questions are written in both spellings, question_id and questionId, and read in either. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/event.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::chat {

// What a client says.

struct Response {
    std::string question_id;
    json::Value answers;  // an object: see read_answers
    bool is_cancelled = false;
    std::optional<std::string> reason = {};  // of a cancellation
};
struct UserMessage {
    std::string text;
};
struct Interrupt {};

using ClientMessage = std::variant<Response, UserMessage, Interrupt>;

[[nodiscard]] Result<ClientMessage> read_message(std::string_view text);
// Of a Response: question text → joined string, or list of texts.
[[nodiscard]] Result<Answers> read_answers(const std::vector<Question>& questions,
                                           const json::Value& answers);

// What the server says. `cursor` is where a client that keeps it can go on with ?after=.

struct Connected {
    std::string_view connection;
    std::string_view session;  // as the client calls it
    SessionId id;
    bool is_observer = false;
};
std::string connected(const Connected& connected);

// What the session does, as chat apps show it.
enum class Stage : std::uint8_t { thinking, generating, waiting, done };

struct Status {
    std::string_view session;  // as the client calls it
    Activity activity = Activity::idle;
    std::optional<AskId> pending = {};  // the oldest
    std::size_t pending_count = 0;
    bool has_written = false;          // the turn has produced something
    std::string_view last_event = {};  // the type of the message sent last
    std::optional<Instant> last_at = {};
    std::optional<Instant> completed_at = {};
};
std::string session_status(const Status& status);

std::string ask_user_question(const Ask& ask, std::optional<Cursor> cursor = {});
// Timed out or dismissed.
std::string ask_user_timeout(const Ask& ask, std::optional<Cursor> cursor = {});
std::string ask_user_settled(const Ask& ask, std::optional<Cursor> cursor = {});
std::string session_taken();
std::string session_ended(const SessionEnded& ended, Cursor cursor);

std::string error(const Error& error, std::string_view question = {});
// An answer that came too late: what stands, by whom and since when.
std::string settled_error(const Ask& ask);

// The agent's stream. A text part comes in chunks and then as text_end, or at once as one chunk.
std::string text(const PartDelta& delta);
std::string part(const Part& part, Cursor cursor, bool was_streamed);
std::string user_message(const MessageAdded& message, Cursor cursor);
std::string message_queued(MessageId id, bool is_waiting);
std::string notice(const NoticeGiven& notice, std::optional<Cursor> cursor = {});

}  // namespace parley::chat
