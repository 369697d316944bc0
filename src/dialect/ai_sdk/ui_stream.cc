// SPDX-License-Identifier: Apache-2.0
// The UI message stream.
#include <algorithm>
#include <iterator>

#include "core/model_text.h"
#include "dialect/ai_sdk/ui_messages.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/limits.h"
#include "text/json_object.h"

namespace parley::ai_sdk {

namespace {

constexpr std::string_view kAskTool = "AskUserQuestion";
constexpr std::string_view kUnnamedTool = "tool";

// Tools whose output a page may give itself. A page that sends a message back once all its calls
// have outputs must not count the calls that the agent runs.
bool is_for_the_page(std::string_view tool) {
    return tool == kAskTool || tool == "AskFollowupQuestion" || tool == "question" ||
           tool == "ask_user";
}

void write_call(json::Writer& json, std::string_view id, std::string_view tool) {
    json.field("toolCallId", id).field("toolName", tool);
    if (!is_for_the_page(tool)) json.field_bool("providerExecuted", true);
}

template <class Fill>
std::string chunk(std::string_view type, Fill fill) {
    return json::typed_object_text(type, fill);
}

std::string chunk(std::string_view type) {
    return chunk(type, [](json::Writer&) {});
}

std::string ask_input(const Ask& ask) {
    return json::object_text([&](json::Writer& out) {
        claude::write_questions(out.key("questions"), ask.spec->questions);
    });
}

std::string ask_output(const Ask& ask) {
    return json::object_text([&](json::Writer& out) {
        claude::write_answers(out.key("answers"), ask.spec->questions, ask.settlement->answers,
                              JoinStyle::plain);
        if (ask.settlement->decider.kind == Decider::Kind::timer) out.field_bool("timedOut", true);
    });
}

// Of a tool that failed: its text if it gave one, else what it gave.
std::string error_text(const std::string& body) {
    const auto value = json::parse(body);
    if (value && value->is_string())
        return {value->get_string().data(), value->get_string().size()};
    return body;
}

// What of a part's whole text was not sent yet. Where the whole differs from what was streamed, the
// cut may fall into a character.
std::string_view unsent(std::string_view whole, std::size_t sent) {
    whole.remove_prefix(std::min(sent, whole.size()));
    while (!whole.empty() && (static_cast<unsigned char>(whole.front()) & 0xC0U) == 0x80U)
        whole.remove_prefix(1);
    return whole;
}

std::string_view to_string(FinishReason reason) {
    switch (reason) {
        case FinishReason::stop: return "stop";
        case FinishReason::tool_calls: return "tool-calls";
        case FinishReason::other: return "other";
    }
    return "other";
}

}  // namespace

MessageStream::MessageStream(std::string message_id, const std::set<std::string>& known_calls)
    : message_id_(std::move(message_id)) {
    for (const std::string& id : known_calls) {
        calls_[id].has_begun = true;
        calls_[id].has_input = true;
    }
}

void MessageStream::start(Chunks& out) {
    out.push_back(chunk("start", [&](json::Writer& json) {
        if (!message_id_.empty()) json.field("messageId", message_id_);
    }));
    out.push_back(chunk("start-step"));
}

MessageStream::Call& MessageStream::call(const std::string& id) {
    const auto found = calls_.find(id);
    if (found != calls_.end()) return found->second;
    // A turn of very many calls forgets one that is over.
    for (auto each = calls_.begin();
         calls_.size() >= limits::kUiCallsRemembered && each != calls_.end();) {
        each = each->second.is_done ? calls_.erase(each) : std::next(each);
    }
    return calls_[id];
}

// A step ends with the outputs of its calls: a page takes a message whose last step is all outputs
// for one that it has to send back.
void MessageStream::begin_content(Chunks& out) {
    has_content_ = true;
    if (step_has_calls_ && open_calls_ == 0 && texts_.empty()) end_step(out);
}

void MessageStream::end_step(Chunks& out) {
    out.push_back(chunk("finish-step"));
    out.push_back(chunk("start-step"));
    step_has_calls_ = false;
}

void MessageStream::begin_call(const std::string& id, Call& call, std::string_view tool,
                               Chunks& out) {
    if (call.has_begun) return;
    begin_content(out);
    call.has_begun = true;
    call.tool = tool.empty() ? kUnnamedTool : tool;
    step_has_calls_ = true;
    ++open_calls_;
    out.push_back(
        chunk("tool-input-start", [&](json::Writer& json) { write_call(json, id, call.tool); }));
}

void MessageStream::give_input(const std::string& id, Call& call, std::string_view input,
                               Chunks& out) {
    if (call.has_input || call.is_done) return;
    call.has_input = true;
    out.push_back(chunk("tool-input-available", [&](json::Writer& json) {
        write_call(json, id, call.tool);
        json.key("input").raw(input);
    }));
}

void MessageStream::give_output(const std::string& id, Call& call, const std::string& output,
                                Chunks& out) {
    if (call.is_done) return;
    if (!call.has_input) give_input(id, call, "{}", out);
    call.is_done = true;
    if (open_calls_ > 0) --open_calls_;
    out.push_back(chunk("tool-output-available", [&](json::Writer& json) {
        json.field("toolCallId", id).key("output").raw(output);
    }));
}

void MessageStream::fail_call(const std::string& id, Call& call, std::string_view error,
                              Chunks& out) {
    if (call.is_done) return;
    call.is_done = true;
    if (open_calls_ > 0) --open_calls_;
    out.push_back(chunk("tool-output-error", [&](json::Writer& json) {
        json.field("toolCallId", id).field("errorText", error);
    }));
}

// Text only grows: of a part that is told again from its start, what is new is sent.
void MessageStream::add_text(const std::string& id, std::string_view text, bool is_whole,
                             Chunks& out) {
    auto open = texts_.find(id);
    if (open == texts_.end()) {
        begin_content(out);
        open = texts_.emplace(id, 0).first;
        out.push_back(chunk("text-start", [&](json::Writer& json) { json.field("id", id); }));
    }
    if (is_whole) text = unsent(text, open->second);
    if (text.empty()) return;
    open->second += text.size();
    out.push_back(chunk("text-delta",
                        [&](json::Writer& json) { json.field("id", id).field("delta", text); }));
}

void MessageStream::add(const PartDelta& delta, Chunks& out) {
    if (is_finished_) return;
    if (delta.kind == PartDelta::Kind::text)
        return add_text(delta.part_id, delta.text, delta.is_replacement, out);
    Call& streamed = call(delta.part_id);
    if (streamed.has_input || streamed.is_done) return;
    begin_call(delta.part_id, streamed, delta.tool, out);
    std::string_view text = delta.text;
    if (delta.is_replacement) text = unsent(text, streamed.sent);
    if (text.empty()) return;
    streamed.sent += text.size();
    out.push_back(chunk("tool-input-delta", [&](json::Writer& json) {
        json.field("toolCallId", delta.part_id).field("inputTextDelta", text);
    }));
}

void MessageStream::add(const Part& part, Chunks& out) {
    if (is_finished_) return;
    if (part.kind == Part::Kind::text) {
        add_text(part.part_id, part.body, true, out);
        texts_.erase(part.part_id);
        out.push_back(
            chunk("text-end", [&](json::Writer& json) { json.field("id", part.part_id); }));
        return;
    }
    Call& called = call(part.part_id);
    if (called.is_done) return;
    begin_call(part.part_id, called, part.tool, out);
    switch (part.kind) {
        case Part::Kind::tool_input: return give_input(part.part_id, called, part.body, out);
        // Its input has begun by now, if only here: from then on the SDK takes no input error.
        case Part::Kind::tool_input_error: return fail_call(part.part_id, called, part.body, out);
        default: break;
    }
    if (part.is_error) return fail_call(part.part_id, called, error_text(part.body), out);
    give_output(part.part_id, called, part.body, out);
}

void MessageStream::open_ask(const Ask& ask, Chunks& out) {
    if (is_finished_) return;
    const std::string id = call_of(ask);
    Call& asked = call(id);
    begin_call(id, asked, kAskTool, out);
    give_input(id, asked, ask_input(ask), out);
}

void MessageStream::settle_ask(const Ask& ask, Chunks& out) {
    if (is_finished_) return;
    open_ask(ask, out);
    const std::string id = call_of(ask);
    if (ask.state() == AskState::answered) {
        give_output(id, call(id), ask_output(ask), out);
    } else {
        fail_call(id, call(id), model_text(ask), out);
    }
}

void MessageStream::add_notice(const NoticeGiven& notice, Chunks& out) {
    if (is_finished_) return;
    out.push_back(chunk("data-notice", [&](json::Writer& json) {
        json.key("data").begin_object().field("text", notice.text);
        json.field("level", parley::to_string(notice.level)).end_object();
        json.field_bool("transient", true);
    }));
}

void MessageStream::add_queued(MessageId id, bool is_waiting, Chunks& out) {
    if (is_finished_) return;
    out.push_back(chunk("data-queued", [&](json::Writer& json) {
        json.key("data").begin_object().field("messageId", id.str());
        json.field("reason", is_waiting ? "waiting_for_user" : "no_agent").end_object();
        json.field_bool("transient", true);
    }));
}

void MessageStream::finish(FinishReason reason, Chunks& out) {
    if (is_finished_) return;
    for (const auto& [id, sent] : texts_)
        out.push_back(chunk("text-end", [&](json::Writer& json) { json.field("id", id); }));
    texts_.clear();
    // See begin_content: the last step must not be one of outputs.
    if (step_has_calls_ && open_calls_ == 0) end_step(out);
    is_finished_ = true;
    out.push_back(chunk("finish-step"));
    out.push_back(chunk(
        "finish", [&](json::Writer& json) { json.field("finishReason", to_string(reason)); }));
}

}  // namespace parley::ai_sdk
