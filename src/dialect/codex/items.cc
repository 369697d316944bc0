// SPDX-License-Identifier: Apache-2.0
#include "dialect/codex/items.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/json_fields.h"
#include "core/permission.h"
#include "dialect/codex/object_text.h"
#include "dialect/codex/shell_words.h"
#include "text/safe_text.h"

namespace parley::codex {

namespace {

using json::field;
using json::text_field;

// A line of a patch that names a file is that line and no other.
std::string path_text(const json::Value& value, std::string_view name) {
    std::string path = escape_unsafe(json::text_field(value, name));
    std::ranges::replace(path, '\n', ' ');
    return path;
}

std::string command_input(const json::Value& item) {
    return object_text([&](json::Writer& out) {
        write_command(out, item);
        if (const std::string folder = text_field(item, "cwd"); !folder.empty())
            out.field("cwd", folder);
    });
}

std::string edit_input(const json::Value& item) {
    const json::Array* changes = json::list_field(item, "changes");
    return object_text([&](json::Writer& out) {
        out.field("patch", changes == nullptr ? std::string() : patch_of(*changes));
    });
}

std::string arguments_of(const json::Value& item) {
    const json::Value& arguments = field(item, "arguments");
    return permission::input_text(arguments.is_object() ? arguments : json::Value(json::Object()));
}

// What else it does, with the members that say it.
struct OtherCall {
    std::string_view type;
    std::string_view tool;
    std::array<std::string_view, 2> members;
};
constexpr std::array kOthers = {OtherCall{"webSearch", "web_search", {"query", ""}},
                                OtherCall{"imageView", "view_image", {"path", ""}},
                                OtherCall{"collabAgentToolCall", "", {"prompt", "model"}}};

std::optional<Call> other_call(std::string_view type, const json::Value& item) {
    const auto* const found = std::ranges::find(kOthers, type, &OtherCall::type);
    if (found == kOthers.end()) return std::nullopt;
    return Call{.tool = found->tool.empty() ? text_field(item, "tool") : std::string(found->tool),
                .input = object_text([&](json::Writer& out) {
                    for (const std::string_view member : found->members)
                        if (const std::string text = text_field(item, member); !text.empty())
                            out.field(member, text);
                })};
}

std::string command_output(const json::Value& item) {
    std::string output = text_field(item, "aggregatedOutput");
    const json::Value& code = field(item, "exitCode");
    if (code.is_int64() && code.get_int64() != 0)
        output +=
            fmt::format("{}(exit status {})", output.empty() || output.ends_with('\n') ? "" : "\n",
                        code.get_int64());
    return output;
}

// The texts of what an MCP server or a client's own tool gave back.
std::string content_text(const json::Array* content) {
    std::string texts;
    if (content == nullptr) return texts;
    for (const json::Value& entry : *content)
        if (const std::string text = text_field(entry, "text"); !text.empty())
            texts += fmt::format("{}{}", texts.empty() ? "" : "\n\n", text);
    return texts;
}

std::string tool_output(const json::Value& item) {
    if (const std::string fault = text_field(field(item, "error"), "message"); !fault.empty())
        return json::quoted(fault);
    const json::Value& result = field(item, "result");
    const std::string texts = content_text(json::list_field(
        result.is_object() ? result : item, result.is_object() ? "content" : "contentItems"));
    if (!texts.empty()) return json::quoted(texts);
    return json::serialize(field(result, "structuredContent"));
}

}  // namespace

std::string mcp_tool_name(std::string_view server, std::string_view tool) {
    return fmt::format("mcp__{}__{}", server, tool);
}

// A command that Codex gives to a shell is shown as the person would type it, the shell beside it.
void write_command(json::Writer& out, const json::Value& item) {
    const std::string command = json::text_field(item, "command");
    const auto words = split_shell_words(command);
    if (words && words->size() == 3 && ((*words)[1] == "-lc" || (*words)[1] == "-c")) {
        out.field("command", (*words)[2]);
        out.field("shell", fmt::format("{} {}", (*words)[0], (*words)[1]));
    } else if (!command.empty()) {
        out.field("command", command);
    }
}

std::string patch_of(const json::Array& changes) {
    std::string patch = "*** Begin Patch\n";
    auto out = std::back_inserter(patch);
    for (const json::Value& change : changes) {
        const json::Value& kind = json::field(change, "kind");
        const std::string type = json::text_field(kind, "type");
        const std::string path = path_text(change, "path");
        const std::string diff = normalize_newlines(json::text_field(change, "diff"));
        if (type == "update") {
            fmt::format_to(out, "*** Update File: {}\n", path);
            if (const std::string to = path_text(kind, "move_path"); !to.empty())
                fmt::format_to(out, "*** Move to: {}\n", to);
            fmt::format_to(out, "{}{}", diff, diff.ends_with('\n') ? "" : "\n");
            continue;
        }
        const bool is_new = type == "add";
        fmt::format_to(out, "*** {} File: {}\n", is_new ? "Add" : "Delete", path);
        std::string_view rest = diff;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            fmt::format_to(out, "{}{}\n", is_new ? '+' : '-', rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return patch + "*** End Patch\n";
}

std::optional<Call> read_call(const json::Value& item) {
    const std::string type = text_field(item, "type");
    if (type == "commandExecution") return Call{std::string(kCommandTool), command_input(item)};
    if (type == "fileChange") return Call{std::string(kEditTool), edit_input(item)};
    if (type == "mcpToolCall")
        return Call{mcp_tool_name(text_field(item, "server"), text_field(item, "tool")),
                    arguments_of(item)};
    if (type == "dynamicToolCall") return Call{text_field(item, "tool"), arguments_of(item)};
    return other_call(type, item);
}

CallResult read_call_result(const json::Value& item) {
    const std::string status = text_field(item, "status");
    CallResult result{.output = {}, .is_error = status == "failed" || status == "declined"};
    const std::string type = text_field(item, "type");
    if (status == "declined") {
        result.output = json::quoted("declined");
    } else if (type == "commandExecution") {
        result.output = json::quoted(command_output(item));
    } else if (type == "mcpToolCall" || type == "dynamicToolCall") {
        result.output = tool_output(item);
    } else {
        result.output = json::quoted(status);
    }
    return result;
}

}  // namespace parley::codex
