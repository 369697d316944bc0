// SPDX-License-Identifier: Apache-2.0
#include "dialect/llm/journal.h"

#include <array>

#include "base/overload.h"
#include "core/json_fields.h"
#include "core/object_reader.h"
#include "dialect/limits.h"
#include "dialect/llm/readers.h"
#include "text/json.h"
#include "text/limits.h"

namespace parley::llm {

namespace {

using json::field;
using json::text_field;

constexpr std::array<std::string_view, 5> kStops = {"done", "length", "refused", "paused",
                                                    "stopped"};

void write_block(json::Writer& out, const Block& block) {
    out.begin_object();
    std::visit(Overload{
                   [&](const TextBlock& text) { out.field("text", text.text); },
                   [&](const ThinkingBlock& text) {
                       out.field("thinking", text.text).field("signature", text.signature);
                   },
                   [&](const SealedBlock& sealed) { out.field("sealed", sealed.data); },
                   [&](const CallBlock& call) {
                       out.field("call", call.id).field("tool", call.tool);
                       out.field("input", call.input);
                   },
               },
               block);
    out.end_object();
}

Block read_block(const json::Value& value) {
    const auto has = [&](std::string_view name) { return !field(value, name).is_null(); };
    if (has("call"))
        return CallBlock{text_field(value, "call"), text_field(value, "tool"),
                         text_field(value, "input")};
    if (has("thinking"))
        return ThinkingBlock{text_field(value, "thinking"), text_field(value, "signature")};
    if (has("sealed")) return SealedBlock{text_field(value, "sealed")};
    return TextBlock{text_field(value, "text")};
}

void write(json::Writer& out, const ModelProfile& profile) {
    out.field("type", "profile").field("api", to_string(profile.api));
    out.field("base_url", profile.base_url).field("model", profile.model);
    out.field("system", profile.system);
    if (profile.max_tokens) out.field_int("max_tokens", *profile.max_tokens);
    out.field_int("context", static_cast<std::int64_t>(profile.context_tokens));
}

void write(json::Writer& out, const UserSaid& said) {
    out.field("type", "user").key("texts").begin_array();
    for (const std::string& text : said.texts) out.string(text);
    out.end_array();
    if (!said.up_to.is_nil()) out.field("up_to", said.up_to.str());
    if (said.settled.empty()) return;
    out.key("settled").begin_array();
    for (const AskId id : said.settled) out.string(id.str());
    out.end_array();
}

void write(json::Writer& out, const ModelSaid& said) {
    const Response& response = said.response;
    out.field("type", "model").key("blocks").begin_array();
    for (const Block& block : response.blocks) write_block(out, block);
    out.end_array().field("stop", kStops.at(static_cast<std::size_t>(response.stop)));
    out.field_int("input_tokens", response.usage.input);
    out.field_int("cached_tokens", response.usage.cached);
    out.field_int("output_tokens", response.usage.output);
}

void write(json::Writer& out, const CallDone& done) {
    out.field("type", "result").field("call", done.call_id).field("text", done.text);
    if (done.is_error) out.field_bool("error", true);
    if (done.left_open) out.field("left_open", done.left_open->str());
    if (done.settled) out.field("settled", done.settled->str());
}

Result<ModelProfile> read_profile(const json::Value& value) {
    const auto api = parse_api(text_field(value, "api"));
    if (!api) return reject(ErrorCode::corrupt, "it names no API");
    ModelProfile profile{.api = *api,
                         .base_url = text_field(value, "base_url"),
                         .model = text_field(value, "model"),
                         .system = text_field(value, "system"),
                         .max_tokens = whole_number(field(value, "max_tokens"))};
    profile.context_tokens =
        static_cast<std::size_t>(whole_number(field(value, "context")).value_or(0));
    return profile;
}

UserSaid read_user(const json::Value& value) {
    UserSaid said;
    if (const json::Array* texts = json::list_field(value, "texts"))
        for (const json::Value& text : *texts)
            if (text.is_string()) said.texts.emplace_back(view_of(text.get_string()));
    said.up_to = MessageId::parse(text_field(value, "up_to")).value_or(MessageId());
    if (const json::Array* settled = json::list_field(value, "settled"))
        for (const json::Value& id : *settled)
            if (const auto ask = id.is_string() ? AskId::parse(view_of(id.get_string()))
                                                : std::optional<AskId>())
                said.settled.push_back(*ask);
    return said;
}

Result<ModelSaid> read_model(const json::Value& value) {
    Response response;
    if (const json::Array* blocks = json::list_field(value, "blocks"))
        for (const json::Value& block : *blocks) response.blocks.push_back(read_block(block));
    const std::string stop = text_field(value, "stop");
    const auto found = std::ranges::find(kStops, stop);
    if (found == kStops.end())
        return reject(ErrorCode::corrupt, "it does not say how the reply ended");
    response.stop = static_cast<Response::Stop>(found - kStops.begin());
    set_count(response.usage.input, value, "input_tokens");
    set_count(response.usage.cached, value, "cached_tokens");
    set_count(response.usage.output, value, "output_tokens");
    return ModelSaid{std::move(response)};
}

CallDone read_result(const json::Value& value) {
    return {.call_id = text_field(value, "call"),
            .text = text_field(value, "text"),
            .is_error = json::is_true(value, "error"),
            .left_open = AskId::parse(text_field(value, "left_open")),
            .settled = AskId::parse(text_field(value, "settled"))};
}

}  // namespace

std::string write_line(const JournalLine& line) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    std::visit(Overload{
                   [&](const ModelProfile& profile) { write(out, profile); },
                   [&](const Entry& entry) {
                       std::visit(Overload{
                                      [&](const TurnStopped&) { out.field("type", "stopped"); },
                                      [&](const auto& other) { write(out, other); },
                                  },
                                  entry);
                   },
               },
               line);
    out.end_object();
    return text;
}

Result<JournalLine> read_line(std::string_view text) {
    TRY(value, json::parse(text, {.bytes_max = limits::kLlmLineBytes}));
    const std::string type = text_field(value, "type");
    if (type == "profile") {
        TRY(profile, read_profile(value));
        return profile;
    }
    if (type == "user") return Entry(read_user(value));
    if (type == "result") return Entry(read_result(value));
    if (type == "stopped") return Entry(TurnStopped());
    if (type != "model") return reject(ErrorCode::corrupt, "it is no line of a conversation");
    TRY(said, read_model(value));
    return Entry(std::move(said));
}

}  // namespace parley::llm
