// SPDX-License-Identifier: Apache-2.0
#include "dialect/ask_tool.h"

#include "core/profile.h"

namespace parley::ask_tool {

namespace {

constexpr std::string_view kTitle = "Ask the user";

void write_text(json::Writer& out, std::string_view name, std::string_view description) {
    out.key(name).begin_object().field("type", "string").field("description", description);
}

void write_bounds(json::Writer& out, std::size_t min, std::size_t max) {
    out.field_int("minItems", static_cast<std::int64_t>(min));
    out.field_int("maxItems", static_cast<std::int64_t>(max));
}

void write_option(json::Writer& out) {
    out.begin_object().field("type", "object");
    out.key("properties").begin_object();
    write_text(out, "label", "What the user picks, in one to five words.");
    out.end_object();
    write_text(out, "description", "What choosing it means, or what it costs.");
    out.end_object().end_object();
    out.key("required").begin_array().string("label").string("description").end_array();
    out.field_bool("additionalProperties", false).end_object();
}

void write_question(json::Writer& out) {
    out.begin_object().field("type", "object");
    out.key("properties").begin_object();
    write_text(out, "question", "The whole question, clear by itself, ending in a question mark.");
    out.end_object();
    write_text(out, "header", "A very short name for it, shown as a tag: Database, Auth method.");
    out.field_int("maxLength", static_cast<std::int64_t>(kStrictProfile.header_chars)).end_object();
    out.key("options").begin_object().field("type", "array");
    out.field("description",
              "The choices. Leave out a catch-all such as Other: the user always has one.");
    write_bounds(out, kStrictProfile.options_min, kStrictProfile.options_max);
    write_option(out.key("items"));
    out.end_object();
    out.key("multiSelect").begin_object().field("type", "boolean");
    out.field("description", "True if several options may hold at once.").end_object();
    out.end_object();
    out.key("required").begin_array();
    for (const std::string_view name : {"question", "header", "options", "multiSelect"})
        out.string(name);
    out.end_array().field_bool("additionalProperties", false).end_object();
}

void write_schema(json::Writer& out, Format format, Waiting waiting) {
    out.begin_object();
    if (format == Format::json_schema) {
        out.field("$schema", "https://json-schema.org/draft/2020-12/schema");
        out.field("title", kName).field("description", description());
    }
    out.field("type", "object").key("properties").begin_object();
    write_questions_property(out);
    if (waiting == Waiting::by_choice) write_blocking_property(out);
    out.end_object();
    out.key("required").begin_array().string("questions").end_array();
    out.field_bool("additionalProperties", false).end_object();
}

}  // namespace

std::optional<Format> parse_format(std::string_view name) {
    if (name == "anthropic") return Format::anthropic;
    if (name == "openai") return Format::openai;
    if (name == "mcp") return Format::mcp;
    if (name == "json-schema") return Format::json_schema;
    return std::nullopt;
}

std::string_view description() {
    return "Ask the user one to four multiple-choice questions and wait for the answers.\n"
           "\n"
           "Use it when the work cannot go on well without a decision that is the user's:\n"
           "- to learn what they prefer or require;\n"
           "- to clear up an instruction that can be read in more than one way;\n"
           "- to let them decide between ways to build something;\n"
           "- to offer directions in which to go on.\n"
           "Do not use it for what you can find out yourself.\n"
           "\n"
           "Guidelines:\n"
           "- Give two to four options that differ; say in each description what it means.\n"
           "- If you recommend one, put it first and end its label with \"(Recommended)\".\n"
           "- Set multiSelect to true where several options can hold at once.\n"
           "- Keep the header within 12 characters.\n"
           "- Add no option \"Other\": the user can always answer in their own words.\n"
           "- A question that is dismissed or times out is not an answer: do not guess one.";
}

void write_questions_property(json::Writer& out) {
    out.key("questions").begin_object().field("type", "array");
    out.field("description", "The questions, asked together.");
    write_bounds(out, 1, kStrictProfile.questions_max);
    write_question(out.key("items"));
    out.end_object();
}

void write_blocking_property(json::Writer& out) {
    out.key("blocking").begin_object().field("type", "boolean").field_bool("default", true);
    out.field("description",
              "False: ask and go on. The result is pending at once, the question stays open "
              "whatever becomes of this call, and wait_answer brings the answer.");
    out.end_object();
}

std::string_view waiting_description() {
    return "The answer may take the user minutes or days. If the result says pending, the question "
           "is still open: go on with what does not depend on it, then call wait_answer with its "
           "ask_id.";
}

std::string definition(Format format, Waiting waiting) {
    std::string text;
    json::Writer out(text);
    if (format == Format::json_schema) {
        write_schema(out, format, waiting);
        return text;
    }
    out.begin_object();
    if (format == Format::openai) out.field("type", "function").key("function").begin_object();
    out.field("name", kName);
    if (format == Format::mcp) out.field("title", kTitle);
    std::string told(description());
    if (waiting == Waiting::by_choice) told.append("\n\n").append(waiting_description());
    out.field("description", told);
    out.key(format == Format::openai ? "parameters"
            : format == Format::mcp  ? "inputSchema"
                                     : "input_schema");
    write_schema(out, format, waiting);
    if (format == Format::openai) out.end_object();
    out.end_object();
    return text;
}

}  // namespace parley::ask_tool
