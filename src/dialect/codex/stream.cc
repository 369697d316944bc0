// SPDX-License-Identifier: Apache-2.0
#include "dialect/codex/stream.h"

#include <fmt/format.h>

#include <utility>

#include "core/json_fields.h"
#include "core/text_rules.h"
#include "dialect/codex/items.h"
#include "dialect/limits.h"
#include "text/line_diff.h"
#include "text/width.h"

namespace parley::codex {

namespace {

using json::field;
using json::text_field;

std::string quotation(const json::Array& paragraphs) {
    std::string text;
    for (const json::Value& paragraph : paragraphs) {
        if (!paragraph.is_string()) continue;
        if (!text.empty()) text += "\n>";
        for (const std::string_view line : split_lines(view_of(paragraph.get_string())))
            text += fmt::format("{}>{}{}", text.empty() ? "" : "\n", line.empty() ? "" : " ", line);
    }
    return text;
}

std::string plan_text(const json::Value& params) {
    const json::Array* steps = json::list_field(params, "plan");
    if (steps == nullptr || steps->empty()) return {};
    std::string text = "Plan:";
    for (const json::Value& step : *steps) {
        const std::string status = text_field(step, "status");
        const std::string_view mark =
            status == "completed" ? "x" : (status == "inProgress" ? ">" : " ");
        text += fmt::format("\n- [{}] {}", mark,
                            one_line(text_field(step, "step"), limits::kCodexPlanLineChars));
    }
    return text;
}

Remark cut_remark(std::string_view text, bool is_of_setup) {
    return {cut_to_clusters(text, limits::kCodexNoticeChars), is_of_setup};
}

// A message with what explains it.
std::string with_details(std::string message, const std::string& details) {
    if (details.empty() || details == message) return message;
    return fmt::format("{} ({})", message, details);
}

std::string fault_text(const json::Value& error) {
    std::string text =
        with_details(text_field(error, "message"), text_field(error, "additionalDetails"));
    const json::Value& kind = field(error, "codexErrorInfo");
    if (kind.is_string() && view_of(kind.get_string()) == "unauthorized")
        text += "; sign in with: codex login";
    return text.empty() ? std::string("no reason given") : text;
}

}  // namespace

std::string StreamReader::next_id() {
    return fmt::format("{}-{}", prefix_, ++parts_);
}

std::vector<StreamItem> StreamReader::read(const Notification& news) {
    Items items;
    const json::Value& item = field(news.params, "item");
    if (news.method == "item/agentMessage/delta") {
        read_delta(news.params, items);
    } else if (news.method == "item/started") {
        show_call(item, items);
    } else if (news.method == "item/completed") {
        read_completed(item, items);
    } else if (news.method == "turn/plan/updated") {
        read_plan(news.params, items);
    }
    return items;
}

std::vector<StreamItem> StreamReader::end_turn() {
    Items items;
    for (auto& [item, part] : std::exchange(texts_, {}))
        items.push_back(StreamPart{{.kind = Part::Kind::text, .part_id = std::move(part)}, false});
    calls_.clear();
    said_.clear();
    proposed_.clear();
    return items;
}

void StreamReader::read_delta(const json::Value& params, Items& items) {
    std::string text = text_field(params, "delta");
    const std::string item = text_field(params, "itemId");
    if (text.empty()) return;
    const bool is_start = !texts_.contains(item);
    // It never has so many; what is left of one that was never ended would stay for ever.
    if (is_start && texts_.size() >= limits::kCodexTextsMax) return;
    std::string& part = texts_[item];
    if (is_start) part = next_id();
    items.push_back(PartDelta{.session = {},
                              .kind = PartDelta::Kind::text,
                              .part_id = part,
                              .text = std::move(text),
                              .is_start = is_start});
}

void StreamReader::read_completed(const json::Value& item, Items& items) {
    const std::string type = text_field(item, "type");
    if (type == "agentMessage") {
        read_words(item, items);
    } else if (type == "reasoning") {
        if (const json::Array* summary = json::list_field(item, "summary"))
            add_text(quotation(*summary), items);
    } else if (type == "plan") {
        proposed_ = text_field(item, "text");
        add_text(proposed_, items);
    } else {
        end_call(item, items);
    }
}

void StreamReader::read_words(const json::Value& item, Items& items) {
    std::string text = text_field(item, "text");
    said_ = text.substr(0, limits::kCodexSaidBytes);
    const auto grown = texts_.extract(text_field(item, "id"));
    if (grown.empty()) return add_text(std::move(text), items);
    items.push_back(
        StreamPart{{.kind = Part::Kind::text, .part_id = std::move(grown.mapped())}, false});
}

void StreamReader::add_text(std::string text, Items& items) {
    if (is_blank(text)) return;
    items.push_back(StreamPart{
        {.kind = Part::Kind::text, .part_id = next_id(), .body = std::move(text)}, true});
}

void StreamReader::read_plan(const json::Value& params, Items& items) {
    std::string plan = plan_text(params);
    if (plan.empty() || plan == plan_) return;
    plan_ = plan;
    add_text(std::move(plan), items);
}

void StreamReader::show_call(const json::Value& item, Items& items) {
    auto call = read_call(item);
    const std::string id = text_field(item, "id");
    if (!call || id.empty() || calls_.contains(id)) return;
    if (calls_.size() >= limits::kCodexCallsRemembered) calls_.erase(calls_.begin());
    calls_.insert(id);
    items.push_back(StreamPart{{.kind = Part::Kind::tool_input,
                                .part_id = id,
                                .tool = std::move(call->tool),
                                .body = std::move(call->input)},
                               true});
}

void StreamReader::end_call(const json::Value& item, Items& items) {
    auto call = read_call(item);
    const std::string id = text_field(item, "id");
    if (!call || id.empty()) return;
    show_call(item, items);
    calls_.erase(id);
    CallResult result = read_call_result(item);
    items.push_back(StreamPart{{.kind = Part::Kind::tool_output,
                                .part_id = id,
                                .tool = std::move(call->tool),
                                .body = std::move(result.output),
                                .is_error = result.is_error},
                               true});
}

std::optional<Remark> read_remark(const Notification& news) {
    const json::Value& params = news.params;
    if (news.method == "error" && json::is_true(params, "willRetry"))
        return cut_remark(fmt::format("Codex tries again: {}", fault_text(field(params, "error"))),
                          false);
    if (news.method == "warning" || news.method == "guardianWarning")
        return cut_remark(fmt::format("Codex warns: {}", text_field(params, "message")),
                          news.method == "warning");
    if (news.method == "configWarning" || news.method == "deprecationNotice")
        return cut_remark(
            fmt::format("Codex warns: {}",
                        with_details(text_field(params, "summary"), text_field(params, "details"))),
            true);
    if (news.method == "mcpServer/startupStatus/updated" &&
        text_field(params, "status") == "failed")
        return cut_remark(fmt::format("Codex cannot start the MCP server {}: {}",
                                      text_field(params, "name"), text_field(params, "error")),
                          false);
    if (news.method == "model/rerouted")
        return cut_remark(
            fmt::format("Codex uses the model {} in place of {}", text_field(params, "toModel"),
                        text_field(params, "fromModel")),
            false);
    return std::nullopt;
}

TurnEnd read_turn_end(const json::Value& turn) {
    const std::string status = text_field(turn, "status");
    if (status == "interrupted") return {TurnEnd::Kind::stopped};
    if (status == "failed") return {TurnEnd::Kind::failed, fault_text(field(turn, "error"))};
    return {};
}

std::optional<Usage> read_usage(const Notification& news) {
    if (news.method != "thread/tokenUsage/updated") return std::nullopt;
    const json::Value& total = field(field(news.params, "tokenUsage"), "total");
    const auto count = [&total](std::string_view name) {
        const json::Value& value = field(total, name);
        return value.is_int64() ? value.get_int64() : 0;
    };
    return Usage{.input = count("inputTokens"), .output = count("outputTokens")};
}

}  // namespace parley::codex
