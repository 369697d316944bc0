// SPDX-License-Identifier: Apache-2.0
#include "core/permission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/json_fields.h"
#include "core/limits.h"
#include "core/permission_shape.h"
#include "core/text_rules.h"

namespace parley::permission {

namespace {

constexpr json::ParseLimits kInputLimits = {.bytes_max = limits::kPermissionBytes,
                                            .depth_max = limits::kPermissionDepth};

// How a label begins that lets nothing happen. What is not here counts as allowing, so that it is
// never taken lightly.
constexpr std::array<std::string_view, 13> kDenials = {
    "deny",   "no",      "not",    "don't", "don’t", "do not", "reject",
    "refuse", "decline", "cancel", "abort", "stop",  "never"};

// "Don't ask again" denies nothing.
constexpr std::array<std::string_view, 3> kNoDenials = {"don't ask", "don’t ask", "do not ask"};

bool is_denial(std::string_view label) {
    const std::string text = lower_ascii(trim_blanks(label));
    const auto begins = [&](std::string_view words) { return text.starts_with(words); };
    if (std::ranges::any_of(kNoDenials, begins)) return false;
    return std::ranges::any_of(kDenials, [&](std::string_view word) {
        if (!text.starts_with(word)) return false;
        const char next = text.size() > word.size() ? text[word.size()] : ' ';
        return std::string_view(" ,.:;!-(").find(next) != std::string_view::npos;
    });
}

void check_long(std::optional<std::string>& text, std::string_view what, const json::Path& at,
                Faults& faults) {
    tidy_optional(text);
    if (text) check_text(*text, {.what = what, .bytes_max = limits::kPermissionBytes}, at, faults);
}

json::Value input_of(const PermissionRequest& request) {
    auto input = json::parse(request.input, kInputLimits);
    return input ? std::move(*input) : json::Value();
}

// The longest run of backticks.
std::size_t longest_ticks(std::string_view text) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

// Markdown code that nothing inside can end.
std::string code(std::string_view line) {
    const std::string ticks(longest_ticks(line) + 1, '`');
    const std::string_view pad = ticks.size() > 1 ? " " : "";
    return fmt::format("{}{}{}{}{}", ticks, pad, line, pad, ticks);
}

void append_block(std::string& out, std::string_view language, std::string_view text) {
    const std::string fence(std::max<std::size_t>(longest_ticks(text) + 1, 3), '`');
    fmt::format_to(std::back_inserter(out), "{}{}\n{}{}{}\n\n", fence, language, text,
                   text.ends_with('\n') ? "" : "\n", fence);
}

void append_field(std::string& out, std::string_view name, const json::Value& value) {
    fmt::format_to(std::back_inserter(out), "{}:\n\n", escape_unsafe(name));
    append_block(
        out, "",
        value.is_string() ? std::string(view_of(value.get_string())) : json::serialize(value));
}

void append_input(std::string& out, const PermissionRequest& request) {
    const json::Value input = input_of(request);
    const Shape shape = shape_of(request.tool, input);
    const json::Object* members = input.if_object();
    if (members == nullptr) return append_field(out, "input", input);
    for (const auto& member : *members)
        if (std::ranges::find(shape.shown, json::key_of(member)) == shape.shown.end())
            append_field(out, json::key_of(member), member.value());
}

}  // namespace

bool has_usual_options(const Ask& ask) {
    const auto& questions = ask.spec->questions;
    if (questions.size() != 1 || questions[0].options.size() != 3) return false;
    const auto& options = questions[0].options;
    return options[0].label == kAllowOnce && options[1].label == kAllowForSession &&
           options[2].label == kDeny;
}

bool allows(const AskSpec& spec, std::string_view label) {
    if (label == kAllowOnce || label == kAllowForSession) return true;
    return spec.permission.has_value() && !is_denial(label);
}

std::string input_text(const json::Value& input) {
    std::string text = json::serialize(input);
    const bool is_too_deep =
        text.size() <= limits::kPermissionBytes && !json::parse(text, kInputLimits);
    return is_too_deep ? json::quoted(text) : text;
}

void check(PermissionRequest& request, const json::Path& at, Faults& faults) {
    check_text(request.tool, name_rule("the tool"), at / "tool", faults);
    if (request.input.empty()) request.input = "{}";
    if (request.input.size() > limits::kPermissionBytes) {
        faults.add(at / "input",
                   fmt::format("the tool's input has {} bytes, but at most {} can be shown whole; "
                               "do less in one call",
                               request.input.size(), limits::kPermissionBytes));
        return;
    }
    const auto input = json::parse(request.input, kInputLimits);
    if (!input) {
        faults.add(at / "input",
                   fmt::format("the tool's input cannot be shown: {}", input.error().message));
        return;
    }
    request.input = json::serialize(*input);
    tidy_optional(request.plan);
    Shape shape = shape_of(request.tool, *input, request.plan);
    request.summary = std::move(shape.summary);
    // What the input says goes before what the asker says about it.
    if (shape.diff) {
        request.diff = std::move(shape.diff);
    } else {
        check_long(request.diff, "the diff", at / "diff", faults);
    }
    if (shape.plan) request.plan = std::move(shape.plan);
    check_long(request.plan, "the plan", at / "plan", faults);
}

std::string question_text(std::string_view agent, const PermissionRequest& request) {
    const Shape shape = shape_of(request.tool, input_of(request), request.plan);
    const std::string what = code(shape.summary);
    switch (shape.act) {
        case Act::run: return fmt::format("May {} run {}?", agent, what);
        case Act::edit: return fmt::format("May {} edit {}?", agent, what);
        case Act::write: return fmt::format("May {} write {}?", agent, what);
        case Act::read: return fmt::format("May {} read {}?", agent, what);
        case Act::plan:
            if (!shape.plan) return fmt::format("May {} go on with its plan?", agent);
            return fmt::format("May {} go on with its plan: {}?", agent, what);
        case Act::use: break;
    }
    return fmt::format("May {} use {}?", agent, what);
}

std::string context_text(const AskSpec& spec) {
    std::string out = spec.context.value_or("");
    if (!spec.permission) return out;
    const PermissionRequest& request = *spec.permission;
    while (out.ends_with('\n')) out.pop_back();
    if (!out.empty()) out += "\n\n";
    if (request.plan) out += *request.plan + "\n\n";
    if (request.diff) append_block(out, "diff", *request.diff);
    append_input(out, request);
    return out;
}

bool is_same(const PermissionRequest& a, const PermissionRequest& b) {
    return a.tool == b.tool && a.input == b.input && a.diff == b.diff && a.plan == b.plan;
}

}  // namespace parley::permission
