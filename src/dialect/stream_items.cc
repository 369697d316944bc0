// SPDX-License-Identifier: Apache-2.0
#include "dialect/stream_items.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/object_reader.h"
#include "core/text_rules.h"
#include "core/value_json.h"

namespace parley::native {

namespace {

enum class ItemType : std::uint8_t {
    text_start,
    text_delta,
    text_end,
    tool_input_start,
    tool_input_delta,
    tool_input_available,
    tool_input_error,
    tool_output,
    status,
    finish,
};

struct TypeName {
    ItemType type;
    std::string_view name;
};

constexpr std::array kTypeNames = {
    TypeName{ItemType::text_start, "text-start"},
    TypeName{ItemType::text_delta, "text-delta"},
    TypeName{ItemType::text_end, "text-end"},
    TypeName{ItemType::tool_input_start, "tool-input-start"},
    TypeName{ItemType::tool_input_delta, "tool-input-delta"},
    TypeName{ItemType::tool_input_available, "tool-input-available"},
    TypeName{ItemType::tool_input_error, "tool-input-error"},
    TypeName{ItemType::tool_output, "tool-output"},
    TypeName{ItemType::status, "status"},
    TypeName{ItemType::finish, "finish"},
};

std::string_view name_of(ItemType type) {
    return kTypeNames[static_cast<std::size_t>(type)].name;
}

std::optional<ItemType> read_type(const ObjectReader& object, Faults& faults) {
    const std::string name = object.required_string("type");
    for (const TypeName& each : kTypeNames)
        if (each.name == name) return each.type;
    std::string names;
    for (const TypeName& each : kTypeNames) {
        if (!names.empty()) names += ", ";
        names += each.name;
    }
    faults.add(object.at() / "type", fmt::format("{} is no type of a stream event; they are {}",
                                                 quoted_excerpt(name), names));
    return std::nullopt;
}

std::string read_item_id(const ObjectReader& object, std::string_view key, Faults& faults) {
    std::string id = object.required_string(key);
    check_text(id, name_rule("the id"), object.at() / key, faults);
    return id;
}

std::string read_tool_name(const ObjectReader& object, Faults& faults) {
    std::string tool = object.optional_string("tool").value_or(std::string());
    if (!tool.empty()) check_text(tool, name_rule("the tool's name"), object.at() / "tool", faults);
    return tool;
}

StreamItem read_delta(const ObjectReader& object, ItemType type, Faults& faults) {
    const bool is_text = type == ItemType::text_start || type == ItemType::text_delta;
    PartDelta delta;
    delta.kind = is_text ? PartDelta::Kind::text : PartDelta::Kind::tool_input;
    delta.part_id = read_item_id(object, is_text ? "part_id" : "call_id", faults);
    if (!is_text) delta.tool = read_tool_name(object, faults);
    delta.is_start = type == ItemType::text_start || type == ItemType::tool_input_start;
    delta.text = delta.is_start ? object.optional_string("text").value_or(std::string())
                                : object.required_string("text");
    delta.is_replacement = object.optional_bool("replace").value_or(false);
    return delta;
}

StreamItem read_text_end(const ObjectReader& object, Faults& faults) {
    auto text = object.optional_string("text");
    StreamPart end = {.part = {.kind = Part::Kind::text}, .has_body = text.has_value()};
    end.part.part_id = read_item_id(object, "part_id", faults);
    end.part.body = std::move(text).value_or(std::string());
    return end;
}

Part read_tool_part(const ObjectReader& object, Part::Kind kind, Faults& faults) {
    Part part;
    part.kind = kind;
    part.part_id = read_item_id(object, "call_id", faults);
    part.tool = read_tool_name(object, faults);
    return part;
}

StreamItem read_tool_input(const ObjectReader& object, Faults& faults) {
    StreamPart input = {.part = read_tool_part(object, Part::Kind::tool_input, faults)};
    const json::Value* value = object.find("input");
    input.has_body = value != nullptr;
    if (value != nullptr) input.part.body = json::serialize(*value);
    return input;
}

StreamItem read_tool_output(const ObjectReader& object, Faults& faults) {
    Part part = read_tool_part(object, Part::Kind::tool_output, faults);
    const json::Value* output = object.find("output");
    const json::Value* error = object.find("error");
    part.body = output != nullptr ? json::serialize(*output) : "null";
    if (error != nullptr && error->is_string()) {
        // An error may be given as its text; without an output, that text is what came out.
        part.is_error = true;
        if (output == nullptr) part.body = json::serialize(*error);
    } else {
        part.is_error = object.optional_bool("error").value_or(false);
    }
    return StreamPart{.part = std::move(part)};
}

void check_members(const ObjectReader& object, ItemType type) {
    switch (type) {
        case ItemType::text_start:
        case ItemType::text_delta: return object.only({"type", "part_id", "text", "replace"});
        case ItemType::text_end: return object.only({"type", "part_id", "text"});
        case ItemType::tool_input_start:
        case ItemType::tool_input_delta:
            return object.only({"type", "call_id", "tool", "text", "replace"});
        case ItemType::tool_input_available:
            return object.only({"type", "call_id", "tool", "input"});
        case ItemType::tool_input_error: return object.only({"type", "call_id", "tool", "error"});
        case ItemType::tool_output:
            return object.only({"type", "call_id", "tool", "output", "error"});
        case ItemType::status: return object.only({"type", "status"});
        case ItemType::finish: return object.only({"type", "reason"});
    }
}

StreamItem read_typed(const ObjectReader& object, ItemType type, Faults& faults) {
    switch (type) {
        case ItemType::text_start:
        case ItemType::text_delta:
        case ItemType::tool_input_start:
        case ItemType::tool_input_delta: return read_delta(object, type, faults);
        case ItemType::text_end: return read_text_end(object, faults);
        case ItemType::tool_input_available: return read_tool_input(object, faults);
        case ItemType::tool_input_error: {
            StreamPart failed = {.part =
                                     read_tool_part(object, Part::Kind::tool_input_error, faults)};
            failed.part.body = object.optional_string("error").value_or(std::string());
            return failed;
        }
        case ItemType::tool_output: return read_tool_output(object, faults);
        case ItemType::status: {
            const auto activity = read_name<Activity>(object, "status", faults);
            if (!activity) faults.add(object.at() / "status", "\"status\" is missing");
            return activity.value_or(Activity::idle);
        }
        case ItemType::finish: break;
    }
    StreamPart finish = {.part = {.kind = Part::Kind::finish}};
    finish.part.body = object.optional_string("reason").value_or(std::string());
    return finish;
}

void begin_item(json::Writer& out, ItemType type) {
    out.begin_object().field("type", name_of(type));
}

void begin_tool_item(json::Writer& out, ItemType type, std::string_view call_id,
                     std::string_view tool) {
    begin_item(out, type);
    out.field("call_id", call_id);
    if (!tool.empty()) out.field("tool", tool);
}

void write_part(json::Writer& out, const Part& part, const bool has_body) {
    switch (part.kind) {
        case Part::Kind::text:
            begin_item(out, ItemType::text_end);
            out.field("part_id", part.part_id);
            if (has_body) out.field("text", part.body);
            break;
        case Part::Kind::tool_input:
            begin_tool_item(out, ItemType::tool_input_available, part.part_id, part.tool);
            if (has_body) out.key("input").raw(part.body);
            break;
        case Part::Kind::tool_input_error:
            begin_tool_item(out, ItemType::tool_input_error, part.part_id, part.tool);
            out.field("error", part.body);
            break;
        case Part::Kind::tool_output:
            begin_tool_item(out, ItemType::tool_output, part.part_id, part.tool);
            out.key("output").raw(part.body);
            if (part.is_error) out.field_bool("error", true);
            break;
        case Part::Kind::finish:
            begin_item(out, ItemType::finish);
            if (!part.body.empty()) out.field("reason", part.body);
            break;
    }
    out.end_object();
}

}  // namespace

void write_item(json::Writer& out, const PartDelta& delta) {
    if (delta.kind == PartDelta::Kind::text) {
        begin_item(out, delta.is_start ? ItemType::text_start : ItemType::text_delta);
        out.field("part_id", delta.part_id);
    } else {
        begin_tool_item(out,
                        delta.is_start ? ItemType::tool_input_start : ItemType::tool_input_delta,
                        delta.part_id, delta.tool);
    }
    out.field("text", delta.text);
    if (delta.is_replacement) out.field_bool("replace", true);
    out.end_object();
}

void write_item(json::Writer& out, const Part& part) {
    write_part(out, part, true);
}

void write_item(json::Writer& out, const StreamItem& item) {
    if (const auto* delta = std::get_if<PartDelta>(&item)) {
        write_item(out, *delta);
    } else if (const auto* end = std::get_if<StreamPart>(&item)) {
        write_part(out, end->part, end->has_body);
    } else {
        begin_item(out, ItemType::status);
        out.field("status", to_string(std::get<Activity>(item))).end_object();
    }
}

std::optional<StreamItem> read_item(const json::Value& value, const json::Path& at,
                                    Faults& faults) {
    const ObjectReader object(value, at, faults, "a stream event: an object with \"type\"");
    if (!object.is_object()) return std::nullopt;
    const auto type = read_type(object, faults);
    if (!type) return std::nullopt;
    check_members(object, *type);
    return read_typed(object, *type, faults);
}

}  // namespace parley::native
