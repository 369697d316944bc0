// SPDX-License-Identifier: Apache-2.0
// Chat pages on the AI SDK: what they post (a tool's result, their messages), and the UI message
// stream that they read. Pure functions and one pure state.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/event.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::ai_sdk {

// POST /api/chat/tool-result: {sessionId, toolUseId, answers: {question text: string}}.
struct ToolAnswers {
    std::string session;
    std::string tool_use_id;
    json::Value answers;
};
[[nodiscard]] Result<ToolAnswers> read_tool_result(std::string_view body);
[[nodiscard]] Result<Answers> read_answers(const std::vector<Question>& questions,
                                           const json::Value& answers);

// POST /api/chat: {id, messages, …} as the SDK's transport sends it.
struct ToolOutput {
    std::string call_id;
    json::Value output = {};
    std::optional<std::string> error = {};  // the client says that the call failed
};
struct ChatRequest {
    std::string session;
    std::string message_id = {};           // of the last message, if that is the assistant's
    std::optional<std::string> said = {};  // the text of the last message, if that is the person's
    std::vector<ToolOutput> outputs = {};
    std::set<std::string> calls = {};  // that the client has in its messages
    bool finishes_on_ask = false;
};
[[nodiscard]] Result<ChatRequest> read_chat(std::string_view body);
// What a page gave as the output of the tool: {answers: {…}}, {answers: [{question, …}]}, the
// answers themselves, or one text for one question.
[[nodiscard]] Result<Answers> read_output(const std::vector<Question>& questions,
                                          const json::Value& output);

// {"error": …, "errors"?: […]}.
std::string error_document(std::string_view message, const std::vector<Fault>& faults = {});
// {"resolved": …} and, when it was too late, what stands.
std::string resolution(bool is_resolved, const Ask* ask);

// The call by which a page knows an ask: its tool call, or itself.
std::string call_of(const Ask& ask);

enum class FinishReason : std::uint8_t { stop, tool_calls, other };

// One message of the assistant, chunk by chunk. Whatever order things come in, the client gets a
// stream that its SDK accepts: input of a call only grows and is complete once, an output follows
// an input and comes once, what began is not declared invalid.
class MessageStream {
public:
    using Chunks = std::vector<std::string>;  // JSON documents

    // `known_calls` are in the client's message already.
    MessageStream(std::string message_id, const std::set<std::string>& known_calls);

    void start(Chunks& out);
    void add(const PartDelta& delta, Chunks& out);
    void add(const Part& part, Chunks& out);  // not a finish
    void open_ask(const Ask& ask, Chunks& out);
    void settle_ask(const Ask& ask, Chunks& out);
    void add_notice(const NoticeGiven& notice, Chunks& out);
    void add_queued(MessageId id, bool is_waiting, Chunks& out);
    void finish(FinishReason reason, Chunks& out);

    bool has_content() const { return has_content_; }
    bool is_finished() const { return is_finished_; }

private:
    struct Call {
        std::string tool;
        std::size_t sent = 0;  // bytes of streamed input
        bool has_begun = false;
        bool has_input = false;
        bool is_done = false;
    };

    Call& call(const std::string& id);
    void begin_call(const std::string& id, Call& call, std::string_view tool, Chunks& out);
    void give_input(const std::string& id, Call& call, std::string_view input, Chunks& out);
    void give_output(const std::string& id, Call& call, const std::string& output, Chunks& out);
    void fail_call(const std::string& id, Call& call, std::string_view error, Chunks& out);
    void add_text(const std::string& id, std::string_view text, bool is_whole, Chunks& out);
    void begin_content(Chunks& out);
    void end_step(Chunks& out);

    std::string message_id_;
    std::map<std::string, Call> calls_;
    std::map<std::string, std::size_t> texts_;  // unfinished ones: bytes sent
    std::size_t open_calls_ = 0;                // begun and not done
    bool step_has_calls_ = false;
    bool has_content_ = false;
    bool is_finished_ = false;
};

}  // namespace parley::ai_sdk
