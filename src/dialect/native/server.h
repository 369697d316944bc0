// SPDX-License-Identifier: Apache-2.0
// The native wire (/v1), server side: the documents and events that it writes, the requests that it
// reads. A request that is wrong is refused with every fault by its path. The reverse, for our own
// remote client, is client.h; errors are problem.h. Pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/answers.h"
#include "core/event.h"
#include "core/faults.h"
#include "core/profile.h"
#include "dialect/stream_items.h"
#include "parley/requests.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::native {

class AskTexts;  // dialect/native/ask_texts.h

// What sessions are called by their clients.
class SessionNames {
public:
    SessionNames() = default;
    SessionNames(const SessionNames&) = delete;
    SessionNames& operator=(const SessionNames&) = delete;
    virtual ~SessionNames() = default;

    // Empty: it has none, or nobody knows it. Valid until the next call.
    virtual std::string_view find(SessionId id) const = 0;
};

// Of the one session that a document is about.
class OneName : public SessionNames {
public:
    explicit OneName(std::string name) : name_(std::move(name)) {}
    std::string_view find(SessionId) const override { return name_; }

private:
    std::string name_;
};

// What the writer cannot know from the value alone.
struct Shown {
    // Beside "session_id", "session" is the name, or the id again where there is none.
    const SessionNames* names = nullptr;
    std::size_t pending = 0;  // asks of the session: what makes its state "waiting"
    // What the reader has put off, and until when.
    const std::map<AskId, Instant>* snoozes = nullptr;
    // What is told again and again is taken from here.
    AskTexts* texts = nullptr;
};

// Documents.
// "session", by its name, and "session_id".
void write_session_ref(json::Writer& out, SessionId id, const Shown& shown);
// What an ask was opened with, as members of its document.
void write_opening(json::Writer& out, const Ask& ask);
void write_ask(json::Writer& out, const Ask& ask, const Shown& shown = {});
std::string ask_document(const Ask& ask, const Shown& shown = {});
// {asks, next}: `next` is null on the last page.
std::string ask_page(std::span<const AskPtr> asks, std::optional<AskId> next,
                     const Shown& shown = {});
void write_session(json::Writer& out, const Session& session, std::size_t pending);
std::string session_document(const Session& session, std::size_t pending);
struct ListedSession {
    SessionPtr session;
    std::size_t pending = 0;
};
std::string session_page(std::span<const ListedSession> sessions, std::optional<SessionId> next);
std::string draft_document(const Draft& draft);
// {ask, answers, device, version}: one of a list.
std::string listed_draft(AskId ask, const Draft& draft);

// A cursor as it stands in `id:`, `Last-Event-ID` and `after`: digits, as text, because it may be
// more than a double can hold.
std::string cursor_text(Cursor cursor);
std::optional<Cursor> parse_cursor(std::string_view text);

// {events: [{cursor, event}…], next}: a session's log in the order in which it happened; `next` is
// the `before` of the page before this one.
std::string event_page(std::span<const EventPtr> events, std::optional<Cursor> next,
                       const Shown& shown);

// One frame of a subscription: SSE's `event:`, `data:` and, where it has a cursor, `id:`.
struct WireEvent {
    std::string_view type;
    std::string data;
    std::optional<Cursor> id = {};
};
WireEvent write_frame(const Frame& frame, const Shown& shown = {});

// Requests, from the text of their bodies.
// Checked against the profile. A file that a model may have written is read with what is not known
// noted.
[[nodiscard]] Result<AskRequest> read_ask(std::string_view body, const Profile& profile,
                                          Unknown unknown = Unknown::refused);

// Read, not yet checked against the questions: make_answer (core/settle.h) does that.
struct AnswerBody {
    Answers answers;
    std::optional<std::string> by = {};
    AnswerRules rules = {};
};
[[nodiscard]] Result<AnswerBody> read_answer(std::string_view body);

// Of a dismissal, a withdrawal, the end of a session. No body at all is an empty one.
struct ReasonBody {
    std::optional<std::string> reason = {};
    std::optional<std::string> by = {};
};
[[nodiscard]] Result<ReasonBody> read_reason(std::string_view body);

[[nodiscard]] Result<Millis> read_snooze(std::string_view body);
[[nodiscard]] Result<DraftRequest> read_draft(std::string_view body);

struct SessionBody {
    std::optional<std::string> name = {};
    std::optional<std::string> title = {};
    std::optional<std::string> parent = {};  // an id or a name
    std::optional<std::string> agent = {};
    std::optional<std::string> directory = {};
    OnDismiss on_dismiss = OnDismiss::tell;
    std::optional<Millis> ask_timeout = {};
};
[[nodiscard]] Result<SessionBody> read_session(std::string_view body);

struct MessageBody {
    std::string text;
    std::optional<std::string> by = {};
};
[[nodiscard]] Result<MessageBody> read_message(std::string_view body);

struct NoticeBody {
    NoticeGiven notice;
    std::string session = {};  // an id, a name, or empty
};
[[nodiscard]] Result<NoticeBody> read_notice(std::string_view body);

// What an outside agent adds to its own stream.
[[nodiscard]] Result<std::vector<StreamItem>> read_stream(std::string_view body);

}  // namespace parley::native
