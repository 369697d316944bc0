// SPDX-License-Identifier: Apache-2.0
#include "dialect/llm/tools.h"

#include <fmt/format.h>

#include "dialect/ask_tool.h"
#include "dialect/left_out.h"
#include "dialect/mcp/tools.h"
#include "text/json.h"

namespace parley::llm {

namespace {

void write_wait_schema(json::Writer& out) {
    out.begin_object().field("type", "object").key("properties").begin_object();
    out.key("ask_id").begin_object().field("type", "string");
    out.field("description", "The ask_id that a pending result gave.").end_object().end_object();
    out.key("required").begin_array().string("ask_id").end_array();
    out.field_bool("additionalProperties", false).end_object();
}

void write_wait_tool(json::Writer& out, Api api) {
    out.begin_object();
    if (api == Api::openai) out.field("type", "function").key("function").begin_object();
    out.field("name", mcp::kWaitAnswer);
    out.field("description",
              "Wait for the answer to a question that was asked with blocking: false. Call it when "
              "there is nothing left to do without the answer.");
    write_wait_schema(
        out.key(api == Api::openai ? json::Key("parameters") : json::Key("input_schema")));
    if (api == Api::openai) out.end_object();
    out.end_object();
}

std::string make_definitions(Api api) {
    std::string text;
    json::Writer out(text);
    out.begin_array();
    out.raw(ask_tool::definition(
        api == Api::anthropic ? ask_tool::Format::anthropic : ask_tool::Format::openai,
        ask_tool::Waiting::by_choice));
    write_wait_tool(out, api);
    out.end_array();
    return text;
}

BadCall bad_input(const CallBlock& call, const Error& error) {
    return {
        fmt::format("This call of {} was not made: its input is wrong.\n{}\nCorrect all of it "
                    "and call it again.",
                    call.tool, mcp::error_text(error))};
}

}  // namespace

const std::string& tool_definitions(Api api) {
    static const std::string kAnthropic = make_definitions(Api::anthropic);
    static const std::string kOpenAi = make_definitions(Api::openai);
    return api == Api::anthropic ? kAnthropic : kOpenAi;
}

Wish read_call(const CallBlock& call) {
    const bool is_ask = call.tool == ask_tool::kName;
    if (!is_ask && call.tool != mcp::kWaitAnswer)
        return BadCall{fmt::format("There is no tool {}. Your tools are {} and {}.",
                                   json::quoted(call.tool), ask_tool::kName, mcp::kWaitAnswer)};
    const auto input = json::parse(call.input);
    if (!input) return bad_input(call, input.error());
    if (!is_ask) {
        const auto id = mcp::read_wait_answer(*input);
        if (!id) return bad_input(call, id.error());
        return WaitWish{*id};
    }
    auto asked = mcp::read_ask_user(*input);
    if (!asked) return bad_input(call, asked.error());
    return AskWish{std::move(asked->spec), asked->is_blocking, std::move(asked->warnings)};
}

CallDone cut_result(const CallBlock& call) {
    return {.call_id = call.id,
            .text = fmt::format(
                "This call of {} was not made: your reply reached the limit of its length in the "
                "middle of it. Call it again with much less: fewer questions, shorter texts.",
                call.tool),
            .is_error = true};
}

std::string result_text(const Ask& ask, const std::vector<Fault>& warnings) {
    std::string text = mcp::ask_message(ask);
    if (!warnings.empty()) text += "\n\n" + left_out_text(warnings);
    if (!ask.is_pending()) return text;
    std::string document;
    json::Writer out(document);
    out.begin_object().field("status", to_string(ask.state())).field("ask_id", ask.id.str());
    out.field("message", text).end_object();
    return document;
}

}  // namespace parley::llm
