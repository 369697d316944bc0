// SPDX-License-Identifier: Apache-2.0
// The native wire (/v1), client side: the requests that our remote client writes and the documents
// and events that it reads, the reverse of server.h. What a server sends is trusted in its
// content, not in its form. Pure functions.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/native/server.h"
#include "parley/values.h"

namespace parley::native {

// Requests.
std::string ask_request(const AskRequest& body);
std::string answer_request(const AnswerBody& body);
std::string reason_request(const ReasonBody& body);
std::string draft_request(const Draft& draft);  // its version is the one that was seen last
std::string snooze_request(Millis duration);
std::string session_request(const SessionBody& body);
std::string message_request(const MessageBody& body);
std::string notice_request(const NoticeBody& body);
std::string stream_request(std::span<const StreamItem> items);

// Documents.
[[nodiscard]] Result<AskPtr> read_ask_document(std::string_view text);
[[nodiscard]] Result<AskPtr> read_ask_value(const json::Value& value);
struct AskList {
    std::vector<AskPtr> asks;
    std::optional<AskId> next = {};
};
[[nodiscard]] Result<AskList> read_ask_page(std::string_view text);
[[nodiscard]] Result<ListedSession> read_session_document(std::string_view text);
struct SessionList {
    std::vector<ListedSession> sessions;
    std::optional<SessionId> next = {};
};
[[nodiscard]] Result<SessionList> read_session_page(std::string_view text);
[[nodiscard]] Result<Draft> read_draft_document(std::string_view text);
[[nodiscard]] Result<std::map<AskId, DraftPtr>> read_draft_page(std::string_view text);

// What happened in a session, as native.h writes it: in order, and from where to go back further.
struct EventList {
    std::vector<EventPtr> events;
    std::optional<Cursor> before = {};
};
[[nodiscard]] Result<EventList> read_event_page(std::string_view text);

// One frame; `id` is SSE's `id:`, if it had one. nullopt: a type of a newer server, to be passed
// over.
[[nodiscard]] Result<std::optional<Frame>> read_frame(std::string_view data,
                                                      std::optional<Cursor> id);

}  // namespace parley::native
