// SPDX-License-Identifier: Apache-2.0
#include "dialect/claude/stream.h"

#include <fmt/format.h>

#include <utility>

#include "core/json_fields.h"
#include "dialect/limits.h"

namespace parley::claude {

namespace {

std::int64_t index_of(const json::Value& event) {
    const json::Value& found = json::field(event, "index");
    return found.is_int64() ? found.get_int64() : 0;
}

StreamItem text_delta(std::string id, std::string text, bool is_start = false) {
    return PartDelta{.session = {},
                     .kind = PartDelta::Kind::text,
                     .part_id = std::move(id),
                     .text = std::move(text),
                     .is_start = is_start};
}

StreamItem input_delta(std::string id, std::string tool, std::string text, bool is_start = false) {
    return PartDelta{.session = {},
                     .kind = PartDelta::Kind::tool_input,
                     .part_id = std::move(id),
                     .tool = std::move(tool),
                     .text = std::move(text),
                     .is_start = is_start};
}

StreamItem whole(Part part) {
    return StreamPart{std::move(part), true};
}

}  // namespace

std::vector<StreamItem> StreamReader::read(const json::Value& message) {
    std::vector<StreamItem> items;
    const std::string parent = json::text_field(message, "parent_tool_use_id");
    const std::string type = json::text_field(message, "type");
    if (type == "stream_event") {
        if (speakers_.size() > limits::kClaudeSpeakersMax && !speakers_.contains(parent))
            speakers_.clear();
        read_event(speakers_[parent], parent.empty(), json::field(message, "event"), items);
    } else if (type == "assistant") {
        read_whole(parent.empty(), json::field(message, "message"), items);
    } else {
        read_results(json::field(message, "message"), items);
    }
    return items;
}

void StreamReader::read_event(Speaker& speaker, bool is_main, const json::Value& event,
                              std::vector<StreamItem>& items) {
    const std::string type = json::text_field(event, "type");
    if (type == "message_start") {
        speaker = {.message = json::text_field(json::field(event, "message"), "id"), .blocks = {}};
        if (!streamed_.insert(speaker.message).second) return;
        streamed_order_.push_back(speaker.message);
        if (streamed_order_.size() <= limits::kClaudeMessagesRemembered) return;
        streamed_.erase(streamed_order_.front());
        streamed_order_.pop_front();
    } else if (type == "content_block_start") {
        start_block(speaker, is_main, event, items);
    } else if (type == "content_block_delta") {
        grow_block(speaker, event, items);
    } else if (type == "content_block_stop") {
        end_block(speaker, event, items);
    }
}

void StreamReader::start_block(Speaker& speaker, bool is_main, const json::Value& event,
                               std::vector<StreamItem>& items) {
    const json::Value& content = json::field(event, "content_block");
    const std::string type = json::text_field(content, "type");
    const std::int64_t index = index_of(event);
    if (type == "text" && is_main) {
        const std::string id = fmt::format("{}-{}", speaker.message, index);
        items.push_back(text_delta(id, json::text_field(content, "text"), true));
        speaker.blocks[index] = {.is_text = true, .id = id, .tool = {}};
    } else if (type == "tool_use") {
        const std::string id = json::text_field(content, "id");
        const std::string tool = json::text_field(content, "name");
        items.push_back(input_delta(id, tool, {}, true));
        speaker.blocks[index] = {.is_text = false, .id = id, .tool = tool};
        note_tool(id, tool);
    }
}

void StreamReader::grow_block(Speaker& speaker, const json::Value& event,
                              std::vector<StreamItem>& items) {
    const auto block = speaker.blocks.find(index_of(event));
    if (block == speaker.blocks.end()) return;
    const json::Value& delta = json::field(event, "delta");
    const bool is_text = block->second.is_text;
    std::string more = json::text_field(delta, is_text ? "text" : "partial_json");
    if (more.empty()) return;
    items.push_back(is_text ? text_delta(block->second.id, std::move(more))
                            : input_delta(block->second.id, block->second.tool, std::move(more)));
}

void StreamReader::end_block(Speaker& speaker, const json::Value& event,
                             std::vector<StreamItem>& items) {
    const auto block = speaker.blocks.find(index_of(event));
    if (block == speaker.blocks.end()) return;
    // The input of a call comes whole with the message; until then it is not checked.
    if (block->second.is_text)
        items.push_back(StreamPart{{.kind = Part::Kind::text, .part_id = block->second.id}, false});
    speaker.blocks.erase(block);
}

void StreamReader::read_whole(bool is_main, const json::Value& message,
                              std::vector<StreamItem>& items) {
    const std::string id = json::text_field(message, "id");
    const json::Array* content = json::list_field(message, "content");
    if (content == nullptr) return;
    for (std::size_t i = 0; i < content->size(); ++i) {
        const json::Value& block = (*content)[i];
        const std::string type = json::text_field(block, "type");
        if (type == "tool_use") {
            const std::string call = json::text_field(block, "id");
            const std::string tool = json::text_field(block, "name");
            note_tool(call, tool);
            items.push_back(whole({.kind = Part::Kind::tool_input,
                                   .part_id = call,
                                   .tool = tool,
                                   .body = json::serialize(json::field(block, "input"))}));
        } else if (type == "text" && is_main && !was_streamed(id)) {
            items.push_back(whole({.kind = Part::Kind::text,
                                   .part_id = fmt::format("{}-{}", id, i),
                                   .body = json::text_field(block, "text")}));
        }
    }
}

void StreamReader::read_results(const json::Value& message, std::vector<StreamItem>& items) {
    const json::Array* content = json::list_field(message, "content");
    if (content == nullptr) return;
    for (const json::Value& block : *content) {
        if (json::text_field(block, "type") != "tool_result") continue;
        const std::string call = json::text_field(block, "tool_use_id");
        Part part{.kind = Part::Kind::tool_output,
                  .part_id = call,
                  .body = json::serialize(json::field(block, "content")),
                  .is_error = json::is_true(block, "is_error")};
        if (auto tool = tools_.extract(call); !tool.empty()) part.tool = std::move(tool.mapped());
        if (auto answer = answers_.extract(call); !answer.empty()) {
            part.body = std::move(answer.mapped());
            part.is_error = false;
        }
        items.push_back(whole(std::move(part)));
    }
}

void StreamReader::note_tool(const std::string& call_id, const std::string& tool) {
    if (tools_.size() >= limits::kClaudeCallsRemembered) tools_.clear();
    tools_[call_id] = tool;
}

void StreamReader::keep_answer(std::string call_id, std::string output) {
    if (answers_.size() >= limits::kClaudeCallsRemembered) answers_.clear();
    answers_[std::move(call_id)] = std::move(output);
}

}  // namespace parley::claude
