// SPDX-License-Identifier: Apache-2.0
// The typed web client's procedures: the ask-question and ask-settled events, answers as a record
// of texts keyed by question, the list of pending asks. Transport and procedure envelopes are the
// door's. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/faults.h"
#include "parley/requests.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::trpc {

// {type:"ask-question", questionId, questions:[{question, header, multiSelect, options}]}; `custom`
// is there only when free text is switched off.
std::string ask_question_event(const Ask& ask);
// {type:"ask-settled", questionId, outcome, answers?, notes?}.
std::string ask_settled_event(const Ask& ask);
// One of the pending: {questionId, sessionId, questions, createdAt, deadline?}. `shown_session` is
// the session as the client calls it; empty: by our id.
void write_pending(json::Writer& out, const Ask& ask, std::string_view shown_session);
std::string pending_list(std::span<const AskPtr> asks, std::string_view shown_session);

// {"<question text>": "text" | ["text", …]}: a list for a question with several choices, no entry
// for an unanswered one.
void write_answers(json::Writer& out, const std::vector<Question>& questions,
                   const Answers& answers);
// Keys may be a question's text, its header, its index, or "q" and its index; a question's own text
// counts before all else. A key that means two questions, a question that has two keys and a key
// that means none are faults.
Answers read_answers(const std::vector<Question>& questions, const json::Value& value,
                     const json::Path& at, Faults& faults);

// Input of message.ask: {sessionId?, questions, timeoutMs?, toolCallId?, key?, blocking?}, under
// the open profile. No timeout means the door's default, 0 none at all. What else it holds is left
// out, and told in the request's warnings.
struct AskInput {
    AskRequest request;
    bool is_blocking = true;  // false: nobody waits, so there is no default for the timeout
    bool waits_for_ever = false;
};
[[nodiscard]] Result<AskInput> read_ask(const json::Value& input);

// Input of message.answerAsk: {sessionId, questionId, answers}. `answers` points into `input`.
struct AnswerInput {
    std::string session;
    std::string question_id;
    const json::Value* answers = nullptr;
};
[[nodiscard]] Result<AnswerInput> read_answer_ask(const json::Value& input);

// Input of message.streamResponse and message.streamTracked: {sessionId?, userMessage?,
// attachments?, follow?, lastEventId?}; further members are left alone. Files are told to the agent
// by name.
struct StreamInput {
    std::string session = {};  // empty: a new one
    std::string message = {};  // empty: nothing is said
    bool follows = false;      // goes on when a turn is over
    std::optional<std::string> last_event_id = {};
};
[[nodiscard]] Result<StreamInput> read_stream(const json::Value& input);

// Input of message.pending and message.abort: {sessionId}.
[[nodiscard]] Result<std::string> read_session(const json::Value& input);

}  // namespace parley::trpc
