// SPDX-License-Identifier: Apache-2.0
#include "broker/part_buffers.h"

#include <fmt/format.h>

#include <algorithm>

#include "broker/limits.h"
#include "text/json.h"

namespace parley {

namespace {

// Input that was streamed is JSON only if its agent kept to it; what is none is kept as text.
void make_json(std::string& text) {
    if (text.empty()) text = "{}";
    if (!json::parse(text)) text = json::quoted(text);
}

// What was sent of it before may have been lost with the process that had it: going on from here
// would make a part that says something else.
Rejection not_open(PartDelta::Kind kind, const std::string& part_id) {
    Error error{
        .code = ErrorCode::conflict,
        .message = fmt::format("part {} is not open; send it again from its start", part_id)};
    error.faults.push_back(
        {kind == PartDelta::Kind::text ? "/part_id" : "/call_id", error.message});
    return Rejection(std::move(error));
}

}  // namespace

Result<std::optional<PartDelta>> PartBuffers::append(PartDelta delta) {
    if (delta.kind == PartDelta::Kind::tool_input && is_complete(delta.part_id))
        return std::nullopt;
    const Key key(delta.kind, delta.part_id);
    auto found = open_.find(key);
    if (!delta.is_start && found == open_.end()) return not_open(delta.kind, delta.part_id);
    const bool begins_again = delta.is_start && found != open_.end();
    const std::size_t kept = found == open_.end() || begins_again ? 0 : found->second.text.size();
    const std::size_t freed = begins_again ? found->second.text.size() : 0;
    if (bytes_ - freed + delta.text.size() > limits::kOpenPartsBytes)
        return reject(ErrorCode::too_large, "unfinished parts hold {} bytes; end some before {}",
                      bytes_, delta.part_id);
    if (found == open_.end() && open_.size() >= limits::kOpenPartsMax)
        return reject(ErrorCode::too_large, "{} parts are unfinished; end some before {}",
                      open_.size(), delta.part_id);
    if (kept + delta.text.size() > limits::kPartBytes)
        return reject(ErrorCode::too_large, "part {} is longer than {} bytes", delta.part_id,
                      limits::kPartBytes);
    if (found == open_.end()) found = open_.emplace(key, Buffer{{}, delta.place, {}}).first;
    Buffer& buffer = found->second;
    if (begins_again) buffer.text.clear();
    if (delta.is_start && !delta.tool.empty()) buffer.tool = delta.tool;
    if (delta.tool.empty()) delta.tool = buffer.tool;
    buffer.text += delta.text;
    bytes_ += delta.text.size() - freed;
    delta.is_replacement = begins_again;
    return delta;
}

Result<std::optional<Part>> PartBuffers::complete(StreamPart end) const {
    Part& part = end.part;
    if (part.kind == Part::Kind::tool_output || part.kind == Part::Kind::finish)
        return std::move(part);
    const Key key = key_of(part);
    const auto found = open_.find(key);
    const bool is_text = part.kind == Part::Kind::text;
    if (!is_text && is_complete(part.part_id)) return std::nullopt;
    if (part.kind == Part::Kind::tool_input_error && found != open_.end()) return std::nullopt;
    if (!end.has_body && found == open_.end()) return not_open(key.first, part.part_id);
    if (found != open_.end()) {
        // A body that comes whole is the record, even where the streamed text differs.
        if (!end.has_body) part.body = found->second.text;
        if (!end.has_body && part.kind == Part::Kind::tool_input) make_json(part.body);
        if (part.tool.empty()) part.tool = found->second.tool;
    }
    if (part.body.size() > limits::kPartBytes)
        return reject(ErrorCode::too_large, "part {} is longer than {} bytes", part.part_id,
                      limits::kPartBytes);
    return std::move(part);
}

void PartBuffers::close(const Part& part) {
    if (part.kind == Part::Kind::finish) return clear();
    if (part.kind == Part::Kind::tool_output) return;
    if (const auto found = open_.find(key_of(part)); found != open_.end()) {
        bytes_ -= found->second.text.size();
        open_.erase(found);
    }
    if (part.kind != Part::Kind::text) remember(part.part_id);
}

PartBuffers::Key PartBuffers::key_of(const Part& part) {
    const bool is_text = part.kind == Part::Kind::text;
    return {is_text ? PartDelta::Kind::text : PartDelta::Kind::tool_input, part.part_id};
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
