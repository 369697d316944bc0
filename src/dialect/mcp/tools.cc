// SPDX-License-Identifier: Apache-2.0
#include "dialect/mcp/tools.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/faults.h"
#include "core/model_text.h"
#include "core/object_reader.h"
#include "core/questions.h"
#include "core/text_rules.h"
#include "core/value_json.h"
#include "dialect/ask_tool.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/left_out.h"
#include "dialect/limits.h"

namespace parley::mcp {

namespace {

struct Hints {
    bool is_read_only = true;
    bool is_idempotent = false;
};

void begin_tool(json::Writer& out, std::string_view name, std::string_view title,
                std::string_view description) {
    out.begin_object().field("name", name).field("title", title);
    out.field("description", description);
}

void write_hints(json::Writer& out, std::string_view title, Hints hints) {
    out.key("annotations").begin_object().field("title", title);
    out.field_bool("readOnlyHint", hints.is_read_only).field_bool("destructiveHint", false);
    out.field_bool("idempotentHint", hints.is_idempotent).field_bool("openWorldHint", true);
    out.end_object();
}

void write_property(json::Writer& out, std::string_view name, std::string_view type,
                    std::string_view description) {
    out.key(name).begin_object().field("type", type).field("description", description);
    out.end_object();
}

void write_answers_schema(json::Writer& out) {
    out.key("answers").begin_object().field("type", "array");
    out.key("items").begin_object().field("type", "object").key("properties").begin_object();
    out.key("question").begin_object().field("type", "string").end_object();
    out.key("selectedOptions").begin_object().field("type", "array");
    out.key("items").begin_object().field("type", "string").end_object().end_object();
    out.key("customInput").begin_object().field("type", "string").end_object();
    out.key("notes").begin_object().field("type", "string").end_object();
    out.end_object();
    out.key("required").begin_array().string("question").string("selectedOptions").end_array();
    out.end_object().end_object();
}

// What both ask_user and wait_answer give back.
void write_output_schema(json::Writer& out) {
    out.key("outputSchema").begin_object().field("type", "object");
    out.key("properties").begin_object();
    out.key("status").begin_object().field("type", "string").key("enum").begin_array();
    for (const std::string_view status :
         {"answered", "dismissed", "timed_out", "withdrawn", "pending"})
        out.string(status);
    out.end_array().end_object();
    out.key("ask_id").begin_object().field("type", "string").end_object();
    write_answers_schema(out);
    write_property(out, "message", "string", "The same in words.");
    out.end_object();
    out.key("required").begin_array();
    for (const std::string_view name : {"status", "ask_id", "answers", "message"}) out.string(name);
    out.end_array().end_object();
}

// Clients that load tools only when they are searched for load this one always.
void write_always_load(json::Writer& out) {
    out.key("_meta").begin_object().field_bool("anthropic/alwaysLoad", true).end_object();
}

void write_ask_user(json::Writer& out, const ToolListing& listing) {
    const std::string description =
        fmt::format("{}\n\n{}", ask_tool::description(), ask_tool::waiting_description());
    begin_tool(out, listing.ask_tool, "Ask the user", description);
    out.key("inputSchema").begin_object().field("type", "object");
    out.key("properties").begin_object();
    ask_tool::write_questions_property(out);
    write_property(out, "context", "string",
                   "Markdown shown beside the questions: what the user needs to know to decide.");
    out.key("timeout_seconds").begin_object().field("type", "number");
    out.field_int("exclusiveMinimum", 0);
    out.field("description",
              "After so long without an answer the question ends as timed_out. Leave it out to "
              "wait as long as it takes.");
    out.end_object();
    ask_tool::write_blocking_property(out);
    out.end_object();
    out.key("required").begin_array().string("questions").end_array().end_object();
    if (listing.has_output_schemas) write_output_schema(out);
    write_hints(out, "Ask the user", {});
    if (listing.may_be_tasks)
        out.key("execution").begin_object().field("taskSupport", "optional").end_object();
    write_always_load(out);
    out.end_object();
}

void write_wait_answer(json::Writer& out, const ToolListing& listing) {
    begin_tool(out, kWaitAnswer, "Wait for an answer",
               fmt::format("Wait for the answer to a question that {0} left pending. Gives the "
                           "same result as {0}; if it is pending again, call it again.",
                           listing.ask_tool));
    out.key("inputSchema").begin_object().field("type", "object");
    out.key("properties").begin_object();
    write_property(out, "ask_id", "string",
                   fmt::format("The ask_id that {} gave.", listing.ask_tool));
    out.end_object();
    out.key("required").begin_array().string("ask_id").end_array().end_object();
    write_output_schema(out);
    write_hints(out, "Wait for an answer", {.is_idempotent = true});
    write_always_load(out);
    out.end_object();
}

void write_notify_user(json::Writer& out) {
    begin_tool(out, kNotifyUser, "Tell the user",
               "Tell the user something without asking, such as that a long job is done. Returns "
               "at once.");
    out.key("inputSchema").begin_object().field("type", "object");
    out.key("properties").begin_object();
    write_property(out, "text", "string", "What to say.");
    out.key("level").begin_object().field("type", "string").key("enum").begin_array();
    out.string("info").string("warning").string("error").end_array().end_object();
    out.end_object();
    out.key("required").begin_array().string("text").end_array().end_object();
    write_hints(out, "Tell the user", {});
    write_always_load(out);
    out.end_object();
}

void write_content(json::Writer& out, std::string_view text) {
    out.key("content").begin_array().begin_object();
    out.field("type", "text").field("text", text);
    out.end_object().end_array();
}

}  // namespace

std::string instructions(std::string_view ask_tool) {
    return fmt::format(
        "Parley asks the user for you and brings back their answer, from whichever screen they "
        "are at. Ask with {}; if it returns status pending, continue with wait_answer and "
        "the ask_id. A status of dismissed, timed_out or withdrawn is not an answer.",
        ask_tool);
}

bool is_ask_tool_name(std::string_view name) {
    constexpr std::string_view kMarks = "_-./";
    const bool is_plain = std::ranges::all_of(name, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               kMarks.find(c) != std::string_view::npos;
    });
    return is_plain && !name.empty() && name.size() <= limits::kMcpToolNameBytes &&
           name != kWaitAnswer && name != kNotifyUser;
}

void write_tools(json::Writer& out, const ToolListing& listing) {
    write_ask_user(out, listing);
    write_wait_answer(out, listing);
    write_notify_user(out);
}

Result<AskCall> read_ask_user(const json::Value& arguments) {
    Faults faults(Unknown::noted);
    const json::Path root;
    json::Value decoded;
    const json::Value* document = unwrap_document(arguments, decoded, root, faults);
    if (document == nullptr) return std::move(faults).reject();
    AskCall call;
    AskSpec& spec = call.spec;
    spec.questions = read_questions(*document, kStrictProfile, root, faults);
    if (document->is_object()) {
        const ObjectReader object(*document, root, faults);
        const bool is_flat =
            object.find("questions") == nullptr && object.find("question") != nullptr;
        object.only({"questions", "context", "timeout_seconds", "blocking"},
                    is_flat ? kQuestionMembers : std::initializer_list<std::string_view>{});
        spec.context = object.optional_string("context");
        spec.timeout = object.optional_seconds("timeout_seconds");
        call.is_blocking = object.optional_bool("blocking").value_or(true);
    }
    check_spec_fields(spec, faults);
    call.warnings = faults.warnings();
    return std::move(faults).give(std::move(call));
}

Result<AskId> read_wait_answer(const json::Value& arguments) {
    Faults faults;
    const json::Path root;
    const ObjectReader object(arguments, root, faults, "an object with \"ask_id\"");
    AskId id;
    if (object.is_object()) id = read_id<AskId>(object, "ask_id", faults);
    return std::move(faults).give(id);
}

Result<NoticeGiven> read_notify_user(const json::Value& arguments) {
    Faults faults;
    const json::Path root;
    const ObjectReader object(arguments, root, faults, "an object with \"text\"");
    NoticeGiven notice;
    if (object.is_object()) {
        notice.text = object.required_string("text");
        normalize_newlines_of(notice.text);
        check_text(notice.text, {.what = "the text"}, root / "text", faults);
        notice.level = read_name<NoticeGiven::Level>(object, "level", faults)
                           .value_or(NoticeGiven::Level::info);
    }
    return std::move(faults).give(std::move(notice));
}

std::string ask_message(const Ask& ask) {
    if (!ask.is_pending()) return model_text(ask);
    return fmt::format(
        "The user has not answered yet. The question stays open as {0}. Do not guess the answer: "
        "go on with what does not depend on it, or call wait_answer with ask_id \"{0}\".",
        ask.id.str());
}

std::string error_text(const Error& error) {
    std::string text = error.message;
    for (const Fault& fault : error.faults)
        text += fmt::format("\n{}: {}", fault.path.empty() ? "/" : fault.path, fault.detail);
    return text;
}

void write_ask_result(json::Writer& out, const Ask& ask, const std::vector<Fault>& warnings) {
    const std::string message = ask_message(ask);
    std::string text = message;
    if (!warnings.empty()) text += "\n\n" + left_out_text(warnings);
    write_content(out, text);
    out.key("structuredContent").begin_object();
    out.field("status", to_string(ask.state())).field("ask_id", ask.id.str());
    out.key("answers");
    if (ask.state() == AskState::answered) {
        claude::write_answer_list(out, ask.spec->questions, ask.settlement->answers);
    } else {
        out.begin_array().end_array();
    }
    out.field("message", message).end_object();
}

void write_text_result(json::Writer& out, std::string_view text) {
    write_content(out, text);
}

void write_error_result(json::Writer& out, const Error& error) {
    write_content(out, error_text(error));
    out.field_bool("isError", true);
}

}  // namespace parley::mcp
