// SPDX-License-Identifier: Apache-2.0
#include "dialect/acp/tool_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/json_fields.h"
#include "core/permission.h"
#include "core/text_rules.h"
#include "core/unified_diff.h"
#include "dialect/limits.h"
#include "text/line_diff.h"
#include "text/safe_text.h"

namespace parley::acp {

namespace {

using json::field;
using json::text_field;

// The names by which core knows what a tool does (core/permission_shape.h).
struct KindName {
    std::string_view kind;
    std::string_view tool;
};
constexpr std::array kKinds = {KindName{"execute", "shell"}, KindName{"edit", "edit"},
                               KindName{"read", "read"}, KindName{"switch_mode", "exit_plan_mode"}};

constexpr std::size_t kLinesAround = 3;  // of what does not change

std::string_view tool_of_kind(std::string_view kind) {
    const auto found = std::ranges::find(kKinds, kind, &KindName::kind);
    return found == kKinds.end() ? std::string_view() : found->tool;
}

const json::Value* first_diff(const json::Value& call) {
    if (const json::Array* content = json::list_field(call, "content"))
        for (const json::Value& entry : *content)
            if (text_field(entry, "type") == "diff") return &entry;
    return nullptr;
}

// From the start of line `line` on.
std::string_view from_line(std::string_view text, std::size_t line) {
    for (; line > 0; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return text;
}

// Whole files are told: of what does not change, some lines around the rest are enough.
void append_change(std::string& out, std::string_view before, std::string_view after) {
    const std::vector<std::string_view> old_lines = split_lines(before);
    const std::vector<std::string_view> new_lines = split_lines(after);
    const std::size_t most = std::min(old_lines.size(), new_lines.size());
    std::size_t same = 0;
    while (same < most && old_lines[same] == new_lines[same]) ++same;
    std::size_t tail = 0;
    while (tail < most - same &&
           old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail])
        ++tail;
    const std::size_t skipped = same > kLinesAround ? same - kLinesAround : 0;
    const std::size_t left = tail > kLinesAround ? tail - kLinesAround : 0;
    const auto middle = [&](std::string_view text, const std::vector<std::string_view>& lines) {
        std::string_view part = from_line(text, skipped);
        if (left == 0) return part;
        const std::string_view last = lines[lines.size() - 1 - left];
        return part.substr(0, static_cast<std::size_t>(last.data() + last.size() - part.data()));
    };
    append_hunk(out, middle(before, old_lines), middle(after, new_lines),
                skipped > 0 ? fmt::format("from line {}", skipped + 1) : std::string());
}

// Of one entry of the content that is no diff.
std::string entry_text(const json::Value& entry) {
    const std::string type = text_field(entry, "type");
    if (type == "diff") return {};
    if (type == "terminal") return fmt::format("(terminal {})", text_field(entry, "terminalId"));
    const json::Value& block = field(entry, "content");
    std::string text = text_field(block, "text");
    if (text.empty()) text = text_field(field(block, "resource"), "text");
    if (text.empty()) text = text_field(block, "uri");
    if (text.empty()) text = text_field(field(block, "resource"), "uri");
    // A picture, for one: that it is there must be seen.
    const std::string what = block.is_object() ? text_field(block, "type") : type;
    if (text.empty() && !what.empty() && what != "text") text = fmt::format("({})", what);
    return text;
}

std::string texts_of(const json::Value& call) {
    std::string texts;
    const json::Array* content = json::list_field(call, "content");
    if (content == nullptr) return texts;
    for (const json::Value& entry : *content) {
        const std::string text = entry_text(entry);
        if (text.empty()) continue;
        if (!texts.empty()) texts += "\n\n";
        texts += text;
    }
    return texts;
}

std::vector<std::string> names_of(const json::Object& object) {
    std::vector<std::string> names;
    for (const auto& entry : object) names.emplace_back(entry.key());
    return names;
}

// Gemini CLI tells an input as JSON in a text, of a long one the first members' names alone.
std::vector<std::string> listed_members(std::string_view text) {
    constexpr std::string_view kHead = "[Payload omitted due to length with parameters: ";
    if (!text.starts_with(kHead) || !text.ends_with(']')) return {};
    text = text.substr(kHead.size(), text.size() - kHead.size() - 1);
    std::vector<std::string> names;
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = text.find(", ");
        names.emplace_back(text.substr(0, end));
        if (end != std::string_view::npos) text.remove_prefix(end + 2);
    }
    return names;
}

}  // namespace

bool has_input(const json::Value& call) {
    const json::Object* input = field(call, "rawInput").if_object();
    return input != nullptr && !input->empty();
}

std::vector<std::string> input_members(const json::Value& call) {
    if (has_input(call)) return names_of(field(call, "rawInput").get_object());
    const std::string text = texts_of(call);
    if (const auto input = json::parse(text); input && input->is_object())
        return names_of(input->get_object());
    return listed_members(text);
}

bool tells_nothing(const json::Value& call) {
    return !has_input(call) && call_name(call).empty() && is_blank(text_field(call, "title")) &&
           first_diff(call) == nullptr && is_blank(texts_of(call));
}

std::string call_name(const json::Value& call) {
    std::string name = text_field(call, "name");
    if (name.empty()) name = text_field(field(call, "_meta"), "toolName");
    if (name.empty()) name = text_field(field(field(call, "_meta"), "claudeCode"), "toolName");
    return one_line(name, limits::kAcpToolChars);
}

std::string shown_name(const json::Value& call) {
    std::string name = call_name(call);
    if (name.empty()) name = tool_of_kind(text_field(call, "kind"));
    if (name.empty()) name = one_line(text_field(call, "title"), limits::kAcpToolChars);
    if (is_blank(name)) name = text_field(call, "kind");
    return is_blank(name) ? std::string("tool") : one_line(name, limits::kAcpToolChars);
}

std::string call_input(const json::Value& call) {
    if (has_input(call)) return permission::input_text(field(call, "rawInput"));
    const std::string title = text_field(call, "title");
    const std::string kind = text_field(call, "kind");
    const json::Value* diff = first_diff(call);
    std::string text;
    json::Writer out(text);
    out.begin_object();
    if (diff != nullptr) {
        out.field("path", text_field(*diff, "path"));
    } else if (!title.empty() && kind == "execute") {
        out.field("command", title);
    } else if (!title.empty() && title != shown_name(call)) {
        out.field("title", title);
    }
    out.end_object();
    return text;
}

PermissionRequest permission_of(const json::Value& call) {
    PermissionRequest request{.tool = shown_name(call), .input = call_input(call)};
    if (std::string diff = call_diff(call); !diff.empty()) request.diff = std::move(diff);
    if (text_field(call, "kind") == "switch_mode")
        if (std::string plan = texts_of(call); !is_blank(plan)) request.plan = std::move(plan);
    return request;
}

std::string call_words(const json::Value& call) {
    const std::string title = text_field(call, "title");
    std::string words = text_field(call, "kind") == "switch_mode" ? std::string() : texts_of(call);
    // Where nothing else is told, the input is made of the title.
    const bool is_input = !has_input(call) && first_diff(call) == nullptr;
    const bool is_said = is_input || call_input(call).find(title) != std::string::npos;
    if (is_blank(title) || is_said || title == call_name(call)) return words;
    return words.empty() ? title : title + "\n\n" + words;
}

std::string call_diff(const json::Value& call) {
    std::string diff;
    const json::Array* content = json::list_field(call, "content");
    if (content == nullptr) return diff;
    for (const json::Value& entry : *content) {
        if (text_field(entry, "type") != "diff") continue;
        diff += diff_head(text_field(entry, "path"));
        append_change(diff, text_field(entry, "oldText"), text_field(entry, "newText"));
    }
    return diff;
}

std::string call_output(const json::Value& call) {
    const std::string texts = texts_of(call);
    const std::string diff = call_diff(call);
    const json::Value& raw = field(call, "rawOutput");
    if (diff.empty()) {
        if (!texts.empty()) return json::quoted(texts);
        return json::serialize(raw);
    }
    std::string text;
    json::Writer out(text);
    out.begin_object();
    if (!texts.empty()) out.field("text", texts);
    out.field("diff", diff).end_object();
    return text;
}

}  // namespace parley::acp
