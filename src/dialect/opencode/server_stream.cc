// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/server_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/json_fields.h"
#include "core/text_rules.h"
#include "dialect/limits.h"

namespace parley::opencode {

namespace {

using json::field;
using json::text_field;

constexpr std::string_view kThoughtLead = "Thinking: ";

std::string plan_text(const json::Value& properties) {
    const json::Array* todos = json::list_field(properties, "todos");
    if (todos == nullptr || todos->empty()) return {};
    std::string text = "Plan:";
    for (const json::Value& todo : *todos) {
        const std::string status = text_field(todo, "status");
        std::string_view mark = " ";
        if (status == "completed") mark = "x";
        if (status == "in_progress") mark = ">";
        if (status == "cancelled") mark = "-";
        text += fmt::format("\n- [{}] {}", mark,
                            one_line(text_field(todo, "content"), limits::kAcpPlanLineChars));
    }
    return text;
}

// As JSON text.
std::string output_of(const json::Value& state, bool is_failed) {
    if (is_failed) return json::quoted(text_field(state, "error"));
    const std::string diff = text_field(field(state, "metadata"), "diff");
    const std::string output = text_field(state, "output");
    if (diff.empty()) return json::quoted(output);
    std::string text;
    json::Writer out(text);
    out.begin_object().field("text", output).field("diff", diff).end_object();
    return text;
}

}  // namespace

std::vector<StreamItem> ServerStream::read(const ServerEvent& event) {
    std::vector<StreamItem> items;
    const json::Value& properties = event.properties;
    if (text_field(properties, "sessionID") != session_) return items;
    if (event.type == "message.updated") {
        note_message(field(properties, "info"));
    } else if (event.type == "message.part.updated") {
        read_part(field(properties, "part"), items);
    } else if (event.type == "message.part.delta") {
        read_delta(properties, items);
    } else if (event.type == "todo.updated") {
        read_plan(properties, items);
    }
    return items;
}

void ServerStream::note_message(const json::Value& info) {
    std::string id = text_field(info, "id");
    if (text_field(info, "role") != "user" || std::ranges::find(persons_, id) != persons_.end())
        return;
    persons_.push_back(std::move(id));
    if (persons_.size() > limits::kOpencodeMessagesKept) persons_.pop_front();
}

bool ServerStream::is_from_person(const json::Value& part) const {
    return std::ranges::find(persons_, text_field(part, "messageID")) != persons_.end();
}

std::string ServerStream::told(const ServerEvent& event) const {
    const json::Value& part = field(event.properties, "part");
    const bool is_told = event.type == "message.part.updated" &&
                         text_field(event.properties, "sessionID") == session_ &&
                         text_field(part, "type") == "text" && is_from_person(part) &&
                         !json::is_true(part, "synthetic") && !json::is_true(part, "ignored");
    return is_told ? text_field(part, "text") : std::string();
}

void ServerStream::read_part(const json::Value& part, std::vector<StreamItem>& items) {
    if (is_from_person(part)) return;
    const std::string type = text_field(part, "type");
    if (type == "text" && !json::is_true(part, "synthetic")) read_text(part, false, items);
    if (type == "reasoning") read_text(part, true, items);
    if (type == "tool") read_call(part, items);
}

void ServerStream::grow(const std::string& id, Text& text, std::string_view more,
                        std::vector<StreamItem>& items) {
    if (more.empty()) return;
    const bool is_start = text.sent.empty();
    text.sent += more;
    std::string told(more);
    if (is_start && text.is_thought) told.insert(0, kThoughtLead);
    items.emplace_back(PartDelta{.session = {},
                                 .kind = PartDelta::Kind::text,
                                 .part_id = id,
                                 .text = std::move(told),
                                 .is_start = is_start});
}

void ServerStream::read_text(const json::Value& part, bool is_thought,
                             std::vector<StreamItem>& items) {
    const std::string id = text_field(part, "id");
    const std::string whole = text_field(part, "text");
    if (id.empty()) return;
    const bool is_over = !field(field(part, "time"), "end").is_null();
    if (!is_over) {
        Text& text = texts_[id];
        text.is_thought = is_thought;
        // Servers before 1.3 tell a growing text whole, again and again.
        if (whole.starts_with(text.sent))
            grow(id, text, std::string_view(whole).substr(text.sent.size()), items);
        if (texts_.size() > limits::kOpencodeTextsMax) texts_.erase(texts_.begin());
        return;
    }
    end_text(id, whole, is_thought, items);
}

// What grew is complete: it is not told again.
void ServerStream::end_text(const std::string& id, const std::string& whole, bool is_thought,
                            std::vector<StreamItem>& items) {
    if (!is_thought && !whole.empty()) said_ = whole;
    auto node = texts_.extract(id);
    if (!node.empty() && !node.mapped().sent.empty()) {
        Text& text = node.mapped();
        if (whole.starts_with(text.sent))
            grow(id, text, std::string_view(whole).substr(text.sent.size()), items);
        items.emplace_back(StreamPart{{.kind = Part::Kind::text, .part_id = id}, false});
    } else if (!whole.empty()) {
        items.emplace_back(
            StreamPart{{.kind = Part::Kind::text,
                        .part_id = id,
                        .body = fmt::format("{}{}", is_thought ? kThoughtLead : "", whole)},
                       true});
    }
}

void ServerStream::read_delta(const json::Value& properties, std::vector<StreamItem>& items) {
    const auto found = texts_.find(text_field(properties, "partID"));
    if (found == texts_.end() || text_field(properties, "field") != "text") return;
    grow(found->first, found->second, text_field(properties, "delta"), items);
}

void ServerStream::read_call(const json::Value& part, std::vector<StreamItem>& items) {
    const std::string id = text_field(part, "callID");
    const json::Value& state = field(part, "state");
    const std::string status = text_field(state, "status");
    if (id.empty() || status.empty() || status == "pending") return;
    const std::string tool = one_line(text_field(part, "tool"), limits::kOpencodeTitleChars);
    if (!std::exchange(calls_[id], true)) {
        const json::Value& input = field(state, "input");
        items.emplace_back(StreamPart{{.kind = Part::Kind::tool_input,
                                       .part_id = id,
                                       .tool = tool,
                                       .body = input.is_null() ? "{}" : json::serialize(input)},
                                      true});
        if (calls_.size() > limits::kOpencodeCallsMax) calls_.erase(calls_.begin());
    }
    const bool is_failed = status == "error";
    if (status != "completed" && !is_failed) return;
    calls_.erase(id);
    items.emplace_back(StreamPart{{.kind = Part::Kind::tool_output,
                                   .part_id = id,
                                   .tool = tool,
                                   .body = output_of(state, is_failed),
                                   .is_error = is_failed},
                                  true});
}

void ServerStream::read_plan(const json::Value& properties, std::vector<StreamItem>& items) {
    std::string plan = plan_text(properties);
    if (plan.empty() || plan == plan_) return;
    plan_ = plan;
    items.emplace_back(StreamPart{{.kind = Part::Kind::text,
                                   .part_id = fmt::format("plan-{}-{}", session_, ++plans_),
                                   .body = std::move(plan)},
                                  true});
}

std::vector<StreamItem> ServerStream::end_turn() {
    std::vector<StreamItem> items;
    for (const auto& [id, text] : texts_)
        if (!text.sent.empty())
            items.emplace_back(StreamPart{{.kind = Part::Kind::text, .part_id = id}, false});
    texts_.clear();
    said_.clear();
    return items;
}

}  // namespace parley::opencode
