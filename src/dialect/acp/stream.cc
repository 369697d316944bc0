// SPDX-License-Identifier: Apache-2.0
#include "dialect/acp/stream.h"

#include <fmt/format.h>

#include <utility>

#include "core/json_fields.h"
#include "core/text_rules.h"
#include "dialect/acp/permission.h"
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

const json::Value& StreamReader::known_call(const std::string& id) const {
    static const json::Value kNone;
    const auto found = calls_.find(id);
    return found == calls_.end() ? kNone : found->second.told;
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

void StreamReader::show_call(const std::string& id, Call& call, std::vector<StreamItem>& items) {
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
    const bool is_new = !calls_.contains(id);
    if (is_new) {
        calls_order_.push_back(id);
        if (calls_order_.size() > limits::kAcpCallsRemembered) {
            calls_.erase(calls_order_.front());
            calls_order_.pop_front();
        }
    }
    Call& call = calls_[id];
    call.told = is_new ? update : with_known(update, call.told);
    const std::string status = text_field(call.told, "status");
    // What it gets is often told later than that it is there.
    const bool has_input = field(call.told, "rawInput").is_object();
    if (has_input || (!status.empty() && status != "pending")) show_call(id, call, items);
    const bool is_failed = status == "failed";
    if (status != "completed" && !is_failed) return;
    items.push_back(StreamPart{{.kind = Part::Kind::tool_output,
                                .part_id = id,
                                .tool = shown_name(call.told),
                                .body = call_output(call.told),
                                .is_error = is_failed},
                               true});
    calls_.erase(id);
    std::erase(calls_order_, id);
}

}  // namespace parley::acp
