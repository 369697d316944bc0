// SPDX-License-Identifier: Apache-2.0
#include "dialect/mcp_elicitation.h"

#include <fmt/format.h>

#include "core/answers.h"
#include "core/object_reader.h"
#include "core/text_rules.h"

namespace parley::mcp {

namespace {

std::string field_name(std::size_t question) {
    return fmt::format("q{}", question);
}

std::string other_name(std::size_t question) {
    return fmt::format("q{}_other", question);
}

std::string switch_name(std::size_t question, std::size_t option) {
    return fmt::format("q{}_{}", question, option);
}

// Forms have no place for a description of an option but its title.
std::string option_title(const Option& option) {
    if (option.description.empty()) return option.label;
    return fmt::format("{}: {}", option.label, option.description);
}

void write_titled_options(json::Writer& out, std::string_view list, const Question& question) {
    out.key(list).begin_array();
    for (const Option& option : question.options)
        out.begin_object()
            .field("const", option.label)
            .field("title", option_title(option))
            .end_object();
    out.end_array();
}

// "enum" with the names beside it: all that clients of 2025-06-18 know.
void write_plain_options(json::Writer& out, const Question& question) {
    out.key("enum").begin_array();
    for (const Option& option : question.options) out.string(option.label);
    out.end_array().key("enumNames").begin_array();
    for (const Option& option : question.options) out.string(option_title(option));
    out.end_array();
}

void write_switches(json::Writer& out, const Question& question, std::size_t index) {
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        out.key(switch_name(index, i)).begin_object().field("type", "boolean");
        out.field("title", option_title(question.options[i])).field("description", question.text);
        out.field_bool("default", false).end_object();
    }
}

void write_choice(json::Writer& out, const Question& question, std::size_t index,
                  bool has_titled_options) {
    if (question.multi_select && !has_titled_options) return write_switches(out, question, index);
    out.key(field_name(index)).begin_object();
    out.field("type", question.multi_select ? "array" : "string");
    out.field("title", question.header).field("description", question.text);
    if (question.multi_select) {
        out.key("items").begin_object();
        write_titled_options(out, "anyOf", question);
        out.end_object();
    } else if (has_titled_options) {
        write_titled_options(out, "oneOf", question);
    } else {
        write_plain_options(out, question);
    }
    out.end_object();
}

void write_text_field(json::Writer& out, const Question& question, std::size_t index) {
    const bool is_alone = question.options.empty();
    out.key(is_alone ? field_name(index) : other_name(index)).begin_object();
    out.field("type", "string");
    out.field("title", is_alone ? question.header : question.header + ": other");
    out.field("description",
              is_alone ? question.text : "Your own words, instead of or beside a choice");
    out.end_object();
}

std::string form_message(const Ask& ask, std::string_view complaint) {
    std::string message;
    if (!complaint.empty()) message = fmt::format("Please try again: {}\n\n", complaint);
    const auto& questions = ask.spec->questions;
    if (ask.spec->context) message += *ask.spec->context + "\n\n";
    if (questions.size() == 1) return message + questions.front().text;
    for (std::size_t i = 0; i < questions.size(); ++i)
        message += fmt::format("{}{}. {}", i == 0 ? "" : "\n", i + 1, questions[i].text);
    return message;
}

void read_labels(const json::Value& value, Answer& answer) {
    if (value.is_string()) {
        answer.selected.emplace_back(view_of(value.get_string()));
    } else if (const json::Array* list = value.if_array()) {
        for (const json::Value& label : *list)
            if (label.is_string()) answer.selected.emplace_back(view_of(label.get_string()));
    }
}

Answer read_field(const Question& question, std::size_t index, const json::Value& content) {
    Answer answer;
    if (const json::Value* value = member(content, field_name(index))) read_labels(*value, answer);
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        const json::Value* is_on = member(content, switch_name(index, i));
        if (is_on != nullptr && is_on->is_bool() && is_on->get_bool())
            answer.selected.push_back(question.options[i].label);
    }
    std::erase_if(answer.selected, [](const std::string& label) { return is_blank(label); });
    if (const auto other = text_member(content, other_name(index)); other && !is_blank(*other))
        answer.other = *other;
    // A client need not hold a text against the choices.
    if (!answer.other && answer.selected.size() == 1 &&
        !has_label(question, answer.selected.front()))
        answer = {.other = answer.selected.front()};
    return answer;
}

}  // namespace

void write_form(json::Writer& out, const Ask& ask, const Client& client,
                std::string_view complaint) {
    const bool has_titled_options = client.is_at_least("2025-11-25");
    const auto& questions = ask.spec->questions;
    out.begin_object();
    if (has_titled_options) out.field("mode", "form");
    out.field("message", form_message(ask, complaint));
    out.key("requestedSchema").begin_object().field("type", "object");
    out.key("properties").begin_object();
    for (std::size_t i = 0; i < questions.size(); ++i) {
        if (!questions[i].options.empty()) write_choice(out, questions[i], i, has_titled_options);
        if (questions[i].custom) write_text_field(out, questions[i], i);
    }
    out.end_object();
    // What may be answered in one of two fields requires neither.
    out.key("required").begin_array();
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const bool is_one_field = questions[i].options.empty() == questions[i].custom;
        if (is_one_field && (has_titled_options || !questions[i].multi_select))
            out.string(field_name(i));
    }
    out.end_array().end_object().end_object();
}

void write_page_form(json::Writer& out, const Ask& ask, const Client& client,
                     std::string_view url) {
    out.begin_object().field("mode", "url").field("message", form_message(ask, {}));
    out.field("url", url);
    if (client.era == Era::legacy) out.field("elicitationId", ask.id.str());
    out.end_object();
}

Result<FormReply::Action> read_form_action(const json::Value& reply) {
    const auto action = text_member(reply, "action");
    if (action == "accept") return FormReply::Action::accept;
    if (action == "decline") return FormReply::Action::decline;
    if (action == "cancel") return FormReply::Action::cancel;
    return reject_field("/action", "expected \"accept\", \"decline\" or \"cancel\"");
}

Result<FormReply> read_form(const std::vector<Question>& questions, const json::Value& reply) {
    TRY(action, read_form_action(reply));
    if (action != FormReply::Action::accept) return FormReply{.action = action};
    const json::Value* content = member(reply, "content");
    if (content == nullptr || !content->is_object())
        return reject_field("/content", "an accepted form needs its content");
    FormReply form{.action = FormReply::Action::accept};
    for (std::size_t i = 0; i < questions.size(); ++i)
        form.answers.push_back(read_field(questions[i], i, *content));
    return form;
}

}  // namespace parley::mcp
