// SPDX-License-Identifier: Apache-2.0
#include "dialect/llm/parts.h"

#include <fmt/format.h>

#include <utility>

#include "core/limits.h"
#include "core/text_rules.h"
#include "dialect/limits.h"
#include "text/json.h"

namespace parley::llm {

namespace {

std::string shown_tool(const CallBlock& call) {
    return one_line(call.tool, limits::kLlmToolChars);
}

StreamPart call_part(const CallBlock& call) {
    // Deeper than that, no document could hold it.
    const bool is_json =
        json::parse(call.input, {.depth_max = limits::kPermissionDepth}).has_value();
    return {{.kind = Part::Kind::tool_input,
             .part_id = call.id,
             .tool = shown_tool(call),
             .body = is_json ? call.input : json::quoted(call.input)},
            true};
}

}  // namespace

std::string text_part_id(std::size_t response, std::size_t block) {
    return fmt::format("r{}-{}", response, block);
}

std::vector<StreamPart> parts_of(const Response& said, std::size_t response) {
    std::vector<StreamPart> parts;
    for (std::size_t i = 0; i < said.blocks.size(); ++i) {
        const auto* text = std::get_if<TextBlock>(&said.blocks[i]);
        if (text != nullptr && !text->text.empty())
            parts.push_back({{.kind = Part::Kind::text,
                              .part_id = text_part_id(response, i),
                              .body = text->text},
                             true});
        if (const auto* call = std::get_if<CallBlock>(&said.blocks[i]))
            parts.push_back(call_part(*call));
    }
    return parts;
}

StreamPart part_of(const CallDone& done, const CallBlock* call) {
    return {{.kind = Part::Kind::tool_output,
             .part_id = done.call_id,
             .tool = call != nullptr ? shown_tool(*call) : std::string(),
             .body = json::quoted(done.text),
             .is_error = done.is_error},
            true};
}

std::vector<StreamPart> parts_of(const ModelConversation& conversation) {
    std::vector<StreamPart> parts;
    std::size_t response = 0;
    for (const Entry& entry : conversation.entries()) {
        if (const auto* done = std::get_if<CallDone>(&entry))
            parts.push_back(part_of(*done, conversation.find_call(done->call_id)));
        if (const auto* said = std::get_if<ModelSaid>(&entry))
            for (StreamPart& part : parts_of(said->response, response++))
                parts.push_back(std::move(part));
    }
    return parts;
}

}  // namespace parley::llm
