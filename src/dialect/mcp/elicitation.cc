// SPDX-License-Identifier: Apache-2.0
#include "dialect/mcp/elicitation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <system_error>

#include "core/answers.h"
#include "core/object_reader.h"
#include "core/permission.h"
#include "core/question_kinds.h"
#include "core/text_rules.h"
#include "dialect/mcp/known_clients.h"

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

// What a client can show, and what the form's message has said already.
struct Layout {
    bool has_titled_options = false;
    bool has_text_fields = true;  // beside choices
    bool repeats_question = false;
};

Layout layout_of(const Ask& ask, const ClientInfo& client) {
    return {.has_titled_options = client.is_at_least("2025-11-25"),
            .has_text_fields = habits_of(client).sends_empty_texts,
            .repeats_question = ask.spec->questions.size() > 1};
}

bool is_preset(const Question& question, std::string_view label) {
    return std::ranges::find(question.preset->selected, label) != question.preset->selected.end();
}

bool has_text_field(const Question& question, const Layout& layout) {
    return question.custom && (question.options.empty() || layout.has_text_fields);
}

void write_switches(json::Writer& out, const Question& question, std::size_t index,
                    const Layout& layout) {
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        out.key(switch_name(index, i)).begin_object().field("type", "boolean");
        out.field("title",
                  fmt::format("{}: {}", question.header, option_title(question.options[i])));
        if (i == 0 && layout.repeats_question) out.field("description", question.text);
        out.field_bool("default", is_preset(question, question.options[i].label)).end_object();
    }
}

// What is marked beforehand, and how many may be. Where a text can stand beside the choices it may
// make up what they lack.
void write_wishes(json::Writer& out, const Question& question, const Layout& layout) {
    if (!layout.has_titled_options) return;
    const auto& labels = question.preset->selected;
    if (!question.multi_select) {
        if (!labels.empty()) out.field("default", labels.front());
        return;
    }
    if (question.min && !has_text_field(question, layout))
        out.key("minItems").number(std::int64_t{*question.min});
    if (question.max) out.key("maxItems").number(std::int64_t{*question.max});
    if (labels.empty()) return;
    out.key("default").begin_array();
    for (const std::string& label : labels) out.string(label);
    out.end_array();
}

void write_choice(json::Writer& out, const Question& question, std::size_t index,
                  const Layout& layout) {
    if (question.multi_select && !layout.has_titled_options)
        return write_switches(out, question, index, layout);
    out.key(field_name(index)).begin_object();
    out.field("type", question.multi_select ? "array" : "string");
    out.field("title", question.header);
    if (layout.repeats_question) out.field("description", question.text);
    if (question.multi_select) {
        out.key("items").begin_object();
        write_titled_options(out, "anyOf", question);
        out.end_object();
    } else if (layout.has_titled_options) {
        write_titled_options(out, "oneOf", question);
    } else {
        write_plain_options(out, question);
    }
    write_wishes(out, question, layout);
    out.end_object();
}

void write_text_field(json::Writer& out, const Question& question, std::size_t index,
                      const Layout& layout) {
    if (question.options.empty()) {
        out.key(field_name(index)).begin_object().field("type", "string");
        out.field("title", question.header);
        if (layout.repeats_question) out.field("description", question.text);
    } else {
        out.key(other_name(index)).begin_object().field("type", "string");
        out.field("title", question.header + ": other");
        out.field("description", question.multi_select
                                     ? "Your own words, instead of or beside the choices"
                                     : "Your own words instead of a choice, or a note on it");
    }
    if (question.preset->other && layout.has_titled_options)
        out.field("default", *question.preset->other);
    out.end_object();
}

// A question that is alone is the message; of several each stands at its field.
std::string form_message(const Ask& ask, std::string_view complaint) {
    std::string message;
    if (!complaint.empty()) message = fmt::format("Please try again: {}\n\n", complaint);
    const auto& questions = ask.spec->questions;
    if (const std::string context = permission::context_text(*ask.spec); !context.empty())
        message += context + (context.ends_with("\n\n") ? "" : "\n\n");
    if (questions.size() == 1) return message + questions.front().text;
    return message + fmt::format("{} questions:", questions.size());
}

void read_labels(const json::Value& value, Answer& answer) {
    if (value.is_string()) {
        answer.selected.emplace_back(view_of(value.get_string()));
    } else if (const json::Array* list = value.if_array()) {
        for (const json::Value& label : *list)
            if (label.is_string()) answer.selected.emplace_back(view_of(label.get_string()));
    }
}

Answer read_choice(const Question& question, std::size_t index, const json::Value& content) {
    Answer answer;
    if (const json::Value* value = member(content, field_name(index))) read_labels(*value, answer);
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        const json::Value* is_on = member(content, switch_name(index, i));
        if (is_on != nullptr && is_on->is_bool() && is_on->get_bool())
            answer.selected.push_back(question.options[i].label);
    }
    std::erase_if(answer.selected, [](const std::string& label) { return is_blank(label); });
    // A client need not hold a text against the choices.
    const bool is_own =
        answer.selected.size() == 1 && !has_label(question, answer.selected.front());
    if (is_own) answer = {.other = answer.selected.front()};
    const auto words = text_member(content, other_name(index));
    if (!words || is_blank(*words)) return answer;
    // One choice is all that such a question takes: what stands beside it is about it.
    const bool is_note = is_own || (!question.multi_select && !answer.selected.empty());
    (is_note ? answer.note : answer.other) = *words;
    return answer;
}

void write_choice_fields(json::Writer& out, const Question& question, std::size_t index,
                         const Layout& layout) {
    if (!question.options.empty()) write_choice(out, question, index, layout);
    if (has_text_field(question, layout)) write_text_field(out, question, index, layout);
}

// What may be answered in one of two fields, or by switches, requires none of them.
bool is_choice_one_field(const Question& question, const Layout& layout) {
    return (question.options.empty() || !has_text_field(question, layout)) &&
           (layout.has_titled_options || !question.multi_select);
}

// The fields of a form that a kind of question becomes, and the answer that is read from them.
struct FormFields {
    QuestionKind kind;
    void (*write)(json::Writer& out, const Question& question, std::size_t index,
                  const Layout& layout);
    // Whether field_name(index) is where it is answered, so that a form can require it.
    bool (*is_one_field)(const Question& question, const Layout& layout);
    Answer (*read)(const Question& question, std::size_t index, const json::Value& content);
};

constexpr std::array kForms = {FormFields{.kind = QuestionKind::choice,
                                          .write = write_choice_fields,
                                          .is_one_field = is_choice_one_field,
                                          .read = read_choice}};
static_assert(has_every_kind(kForms), "a kind of question has no fields in a form");

// Which question a field "q0", "q0_other" or "q0_1" is of.
std::optional<std::size_t> question_of(std::string_view name) {
    const auto take_number = [&name]() -> std::optional<std::size_t> {
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error != std::errc()) return std::nullopt;
        name.remove_prefix(static_cast<std::size_t>(end - name.data()));
        return number;
    };
    if (!name.starts_with('q')) return std::nullopt;
    name.remove_prefix(1);
    const auto question = take_number();
    if (!question || name.empty() || name == "_other") return question;
    if (!name.starts_with('_')) return std::nullopt;
    name.remove_prefix(1);
    return take_number() && name.empty() ? question : std::nullopt;
}

}  // namespace

void write_form(json::Writer& out, const Ask& ask, const ClientInfo& client,
                std::string_view complaint) {
    const Layout layout = layout_of(ask, client);
    const auto& questions = ask.spec->questions;
    out.begin_object();
    if (layout.has_titled_options) out.field("mode", "form");
    out.field("message", form_message(ask, complaint));
    out.key("requestedSchema").begin_object().field("type", "object");
    out.key("properties").begin_object();
    for (std::size_t i = 0; i < questions.size(); ++i)
        row_of(kForms, questions[i]).write(out, questions[i], i, layout);
    out.end_object();
    out.key("required").begin_array();
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Question& question = questions[i];
        if (question.required.value_or(true) &&
            row_of(kForms, question).is_one_field(question, layout))
            out.string(field_name(i));
    }
    out.end_array().end_object().end_object();
}

void write_page_form(json::Writer& out, const Ask& ask, const ClientInfo& client,
                     std::string_view url) {
    out.begin_object().field("mode", "url").field("message", form_message(ask, {}));
    out.field("url", url);
    if (client.era == Era::legacy) out.field("elicitationId", ask.id.str());
    out.end_object();
}

bool is_own_form(const json::Value& schema) {
    const json::Value* properties = member(schema, "properties");
    const json::Object* fields = properties == nullptr ? nullptr : properties->if_object();
    if (fields == nullptr || fields->empty()) return false;
    std::set<std::size_t> questions;
    for (const auto& entry : *fields) {
        const auto question = question_of({entry.key().data(), entry.key().size()});
        if (!question) return false;
        questions.insert(*question);
    }
    // All of them, from the first on.
    return *questions.rbegin() + 1 == questions.size();
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
        form.answers.push_back(row_of(kForms, questions[i]).read(questions[i], i, *content));
    return form;
}

}  // namespace parley::mcp
