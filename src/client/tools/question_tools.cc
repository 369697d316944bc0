// SPDX-License-Identifier: Apache-2.0
#include "client/tools/question_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/answers.h"
#include "core/display.h"
#include "core/model_text.h"
#include "core/profile.h"
#include "core/questions.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/opencode/questions.h"
#include "text/json.h"

namespace parley::tools {

namespace {

constexpr std::string_view kOther = "Other";

ToolResult refusal(const Error& error) {
    std::string text = "The question was not asked: " + error.message;
    for (const Fault& fault : error.faults)
        text += fmt::format("\n{}: {}", fault.path.empty() ? "/" : fault.path, fault.detail);
    return {.success = false, .output = std::move(text)};
}

std::string output_of(QuestionTool tool, const std::vector<Question>& questions,
                      const Answers& answers) {
    if (tool == QuestionTool::question) return opencode::output_text(questions, answers);
    return claude::tool_output(questions, answers);
}

Prompt prompt_for(const Question& question) {
    Prompt prompt{.type = question.multi_select ? Prompt::Type::multiselect : Prompt::Type::select,
                  .message = question.text};
    if (question.options.empty()) prompt.type = Prompt::Type::input;
    for (const Option& option : question.options)
        prompt.choices.push_back({option.label, option.label, option.description});
    if (adds_other_row(question) && !question.options.empty())
        prompt.choices.push_back({std::string(kOther), "Other (your own words)"});
    return prompt;
}

// Nullopt: the person declined.
std::optional<Answer> prompt(const Question& question, const ToolContext& context) {
    const Prompt first = prompt_for(question);
    auto chosen = context.prompt_user(first);
    if (!chosen) return std::nullopt;
    Answer answer;
    if (first.type == Prompt::Type::input) {
        if (!chosen->empty()) answer.other = std::move(chosen->front());
        return answer;
    }
    const bool wants_text =
        question.custom &&
        std::ranges::any_of(*chosen, [](const std::string& name) { return is_other_label(name); });
    if (wants_text) {
        auto typed =
            context.prompt_user({.type = Prompt::Type::input, .message = "Please specify:"});
        if (!typed) return std::nullopt;
        if (!typed->empty()) answer.other = std::move(typed->front());
    }
    for (std::string& name : *chosen)
        if (has_label(question, name) || !is_other_label(name))
            answer.selected.push_back(std::move(name));
    return answer;
}

ToolResult ask_here(QuestionTool tool, const std::vector<Question>& questions,
                    const ToolContext& context) {
    Answers answers;
    for (const Question& question : questions) {
        auto answer = prompt(question, context);
        if (!answer)
            return {.success = false, .output = "The user declined to answer. Do not guess."};
        answers.push_back(*std::move(answer));
    }
    const auto checked =
        check_answers(questions, std::move(answers), {.completeness = Completeness::partial});
    if (!checked) return {.success = false, .output = checked.error().message};
    return {.success = true, .output = output_of(tool, questions, *checked)};
}

ToolResult ask_broker(AnyBroker& broker, QuestionTool tool, std::vector<Question> questions,
                      const ToolContext& context) {
    AskRequest request{.spec = {.questions = std::move(questions)}, .session = context.session};
    if (!context.call_id.empty())
        request.spec.tool = ToolCall{.message_id = {}, .call_id = context.call_id};
    const Ticket ticket = broker.ask(std::move(request));
    const std::stop_callback stopped(context.stop,
                                     [&ticket] { ticket.cancel("the agent stopped"); });
    const auto settled = ticket.wait();
    if (!settled) return refusal(settled.error());
    const Ask& ask = **settled;
    if (ask.state() != AskState::answered) return {.success = false, .output = model_text(ask)};
    return {.success = true,
            .output = output_of(tool, ask.spec->questions, ask.settlement->answers)};
}

}  // namespace

ToolResult ask(AnyBroker& broker, QuestionTool tool, std::string_view input,
               const ToolContext& context) {
    const auto document = json::parse(input);
    if (!document) return refusal(document.error());
    const Profile& profile =
        tool == QuestionTool::ask_user_question ? kStrictProfile : kOpenProfile;
    std::vector<Fault> warnings;
    auto questions = read_questions(*document, profile, {}, &warnings);
    if (!questions) return refusal(questions.error());
    ToolResult result = context.prompt_user
                            ? ask_here(tool, *questions, context)
                            : ask_broker(broker, tool, *std::move(questions), context);
    result.warnings = std::move(warnings);
    return result;
}

}  // namespace parley::tools
