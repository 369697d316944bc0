// SPDX-License-Identifier: Apache-2.0
#include "dialect/acp/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/json_fields.h"
#include "core/text_rules.h"
#include "dialect/acp/tool_call.h"
#include "dialect/limits.h"

namespace parley::acp {

namespace {

using json::field;
using json::text_field;

// What of a message's block a person can read.
std::string block_text(const json::Value& block) {
    const std::string type = text_field(block, "type");
    if (type == "text") return text_field(block, "text");
    if (type == "resource_link") return text_field(block, "uri");
    if (type == "resource") return text_field(field(block, "resource"), "text");
    return type.empty() ? std::string() : fmt::format("({})", type);
}

bool is_over(const json::Value& call) {
    const std::string status = text_field(call, "status");
    return status == "completed" || status == "failed";
}

std::string plan_text(const json::Value& update) {
    const json::Array* entries = json::list_field(update, "entries");
    if (entries == nullptr || entries->empty()) return {};
    std::string text = "Plan:";
    for (const json::Value& entry : *entries) {
        const std::string status = text_field(entry, "status");
        const std::string_view mark =
            status == "completed" ? "x" : (status == "in_progress" ? ">" : " ");
        text += fmt::format("\n- [{}] {}", mark,
                            one_line(text_field(entry, "content"), limits::kAcpPlanLineChars));
    }
    return text;
}

}  // namespace

bool is_of_turn(const json::Value& update) {
    constexpr std::array<std::string_view, 6> kKinds = {
        "user_message_chunk", "agent_message_chunk", "agent_thought_chunk",
        "tool_call",          "tool_call_update",    "plan"};
    return std::ranges::find(kKinds, text_field(update, "sessionUpdate")) != kKinds.end();
}

std::string StreamReader::next_id() {
    return fmt::format("{}-{}", prefix_, ++parts_);
}

std::vector<StreamItem> StreamReader::read(const json::Value& update) {
    std::vector<StreamItem> items;
    const std::string kind = text_field(update, "sessionUpdate");
    if (kind == "agent_message_chunk") {
        read_text(update, items);
    } else if (kind == "tool_call" || kind == "tool_call_update") {
        end_text(items);
        read_call(update, items);
    } else if (kind == "plan") {
        read_plan(update, items);
    }
    return items;
}

std::vector<StreamItem> StreamReader::end_turn() {
    std::vector<StreamItem> items;
    end_text(items);
    said_.clear();
    return items;
}

json::Value StreamReader::read_wanted(const json::Value& call, std::vector<StreamItem>& items) {
    const std::string id = text_field(call, "toolCallId");
    json::Value whole = whole_call(call, calls_.find(id));
    if (id.empty()) return whole;
    end_text(items);
    KnownCalls::Call& known = calls_.note(id, whole);
    if (has_input(known.told)) show_call(id, known, items);
    return whole;
}

void StreamReader::recall(const json::Value& update) {
    const std::string kind = text_field(update, "sessionUpdate");
    const std::string id = text_field(update, "toolCallId");
    if (id.empty() || !kind.starts_with("tool_call")) return;
    KnownCalls::Call& call = calls_.note(id, update);
    call.is_shown = true;
    if (is_over(call.told)) calls_.forget(id);
}

void StreamReader::read_text(const json::Value& update, std::vector<StreamItem>& items) {
    std::string text = block_text(field(update, "content"));
    if (text.empty()) return;
    const bool is_start = text_.empty();
    if (is_start) {
        text_ = next_id();
        said_.clear();
    }
    if (said_.size() < limits::kAcpSaidBytes) said_ += text;
    items.push_back(PartDelta{.session = {},
                              .kind = PartDelta::Kind::text,
                              .part_id = text_,
                              .text = std::move(text),
                              .is_start = is_start});
}

void StreamReader::end_text(std::vector<StreamItem>& items) {
    if (text_.empty()) return;
    items.push_back(StreamPart{
        {.kind = Part::Kind::text, .part_id = std::exchange(text_, std::string())}, false});
}

void StreamReader::read_plan(const json::Value& update, std::vector<StreamItem>& items) {
    std::string plan = plan_text(update);
    if (plan.empty() || plan == plan_) return;
    end_text(items);
    plan_ = plan;
    items.push_back(StreamPart{
        {.kind = Part::Kind::text, .part_id = next_id(), .body = std::move(plan)}, true});
}

void StreamReader::show_call(const std::string& id, KnownCalls::Call& call,
                             std::vector<StreamItem>& items) {
    if (std::exchange(call.is_shown, true)) return;
    items.push_back(StreamPart{{.kind = Part::Kind::tool_input,
                                .part_id = id,
                                .tool = shown_name(call.told),
                                .body = call_input(call.told)},
                               true});
}

void StreamReader::read_call(const json::Value& update, std::vector<StreamItem>& items) {
    const std::string id = text_field(update, "toolCallId");
    if (id.empty()) return;
    KnownCalls::Call& call = calls_.note(id, update);
    const std::string status = text_field(call.told, "status");
    // What it gets is often told later than that it is there, or in part.
    const bool is_announced =
        status == "pending" && text_field(update, "sessionUpdate") == "tool_call";
    if (!is_announced && (has_input(call.told) || (!status.empty() && status != "pending")))
        show_call(id, call, items);
    if (!is_over(call.told)) return;
    items.push_back(StreamPart{{.kind = Part::Kind::tool_output,
                                .part_id = id,
                                .tool = shown_name(call.told),
                                .body = call_output(call.told),
                                .is_error = status == "failed"},
                               true});
    calls_.forget(id);
}

}  // namespace parley::acp
