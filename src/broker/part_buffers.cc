// SPDX-License-Identifier: Apache-2.0
#include "broker/part_buffers.h"

#include <algorithm>

#include "base/limits.h"
#include "text/json.h"

namespace parley {

namespace {

// Input that was streamed is JSON only if its agent kept to it; what is none is kept as text.
void make_json(std::string& text) {
    if (text.empty()) text = "{}";
    if (!json::parse(text)) text = json::quoted(text);
}

}  // namespace

Result<std::optional<PartDelta>> PartBuffers::append(PartDelta delta) {
    if (delta.kind == PartDelta::Kind::tool_input && is_complete(delta.part_id))
        return std::nullopt;
    if (bytes_ + delta.text.size() > limits::kOpenPartsBytes)
        return reject(ErrorCode::too_large, "unfinished parts hold {} bytes; end some before {}",
                      bytes_, delta.part_id);
    const Key key(delta.kind, delta.part_id);
    auto found = open_.find(key);
    delta.is_start = found == open_.end();
    if (delta.is_start) {
        if (open_.size() >= limits::kOpenPartsMax)
            return reject(ErrorCode::too_large, "{} parts are unfinished; end some before {}",
                          open_.size(), delta.part_id);
        found = open_.emplace(key, Buffer{delta.tool, delta.place, {}}).first;
    }
    Buffer& buffer = found->second;
    if (buffer.text.size() + delta.text.size() > limits::kPartBytes)
        return reject(ErrorCode::too_large, "part {} is longer than {} bytes", delta.part_id,
                      limits::kPartBytes);
    if (delta.tool.empty()) delta.tool = buffer.tool;
    buffer.text += delta.text;
    bytes_ += delta.text.size();
    return delta;
}

Result<std::optional<Part>> PartBuffers::complete(StreamPart end) {
    Part& part = end.part;
    if (part.kind == Part::Kind::tool_output || part.kind == Part::Kind::finish)
        return std::move(part);
    const bool is_text = part.kind == Part::Kind::text;
    const auto found =
        open_.find({is_text ? PartDelta::Kind::text : PartDelta::Kind::tool_input, part.part_id});
    if (!is_text && is_complete(part.part_id)) return std::nullopt;
    if (part.kind == Part::Kind::tool_input_error && found != open_.end()) return std::nullopt;
    if (!end.has_body && found == open_.end())
        return reject(ErrorCode::invalid, "part {} ends but nothing of it was sent", part.part_id);
    if (found != open_.end()) {
        bytes_ -= found->second.text.size();
        // A body that comes whole is the record, even where the streamed text differs.
        if (!end.has_body) part.body = std::move(found->second.text);
        if (!end.has_body && part.kind == Part::Kind::tool_input) make_json(part.body);
        if (part.tool.empty()) part.tool = std::move(found->second.tool);
        open_.erase(found);
    }
    if (part.body.size() > limits::kPartBytes)
        return reject(ErrorCode::too_large, "part {} is longer than {} bytes", part.part_id,
                      limits::kPartBytes);
    if (!is_text) remember(part.part_id);
    return std::move(part);
}

std::vector<PartDelta> PartBuffers::replacements() const {
    std::vector<PartDelta> all;
    for (const auto& [key, buffer] : open_) {
        all.push_back({.session = {},
                       .kind = key.first,
                       .part_id = key.second,
                       .tool = buffer.tool,
                       .text = buffer.text,
                       .is_start = true,
                       .is_replacement = true,
                       .place = buffer.place});
    }
    return all;
}

bool PartBuffers::is_complete(const std::string& call_id) const {
    return std::find(complete_calls_.begin(), complete_calls_.end(), call_id) !=
           complete_calls_.end();
}

void PartBuffers::remember(const std::string& call_id) {
    complete_calls_.push_back(call_id);
    if (complete_calls_.size() > limits::kCallsRemembered) complete_calls_.pop_front();
}

}  // namespace parley
