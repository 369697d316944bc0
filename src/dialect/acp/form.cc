// SPDX-License-Identifier: Apache-2.0
#include "dialect/acp/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/answers.h"
#include "core/json_fields.h"
#include "core/model_text.h"
#include "core/text_rules.h"
#include "dialect/mcp/elicitation.h"
#include "dialect/requested_form.h"

namespace parley::acp {

namespace {

using json::field;
using json::text_field;

constexpr std::array<std::string_view, 3> kSuffixes = {"_custom", "_other", "_note"};
// What an answer in other words is beside a choice that must be made.
constexpr std::string_view kNoneOfThem = "None of the above";

// A question of the form, with the field beside it that takes words.
struct Field {
    std::string name;
    std::string words = {};   // the other field's name; none: ""
    bool takes_note = false;  // words stand beside a choice, never alone
    std::string description = {};
};

struct Layout {
    std::vector<Field> fields;
    json::Value schema;  // without the fields that take words
};

bool is_plain_text(const json::Value& property) {
    return text_field(property, "type") == "string" && !property.get_object().contains("enum") &&
           !property.get_object().contains("oneOf");
}

// The field that this one's words belong to.
std::optional<std::string> base_of(const json::Object& properties, std::string_view name,
                                   const json::Value& property) {
    if (!property.is_object() || !is_plain_text(property)) return std::nullopt;
    for (const std::string_view suffix : kSuffixes) {
        if (!name.ends_with(suffix)) continue;
        const std::string_view base = name.substr(0, name.size() - suffix.size());
        const json::Value* found =
            properties.if_contains(boost::json::string_view(base.data(), base.size()));
        if (found != nullptr && found->is_object() && !is_plain_text(*found))
            return std::string(base);
    }
    return std::nullopt;
}

Layout layout_of(const json::Value& schema) {
    Layout layout{{}, schema};
    const json::Object* properties = field(schema, "properties").if_object();
    if (properties == nullptr) return layout;
    json::Object kept;
    for (const auto& entry : *properties) {
        const std::string name(json::key_of(entry));
        if (base_of(*properties, name, entry.value())) continue;
        kept[entry.key()] = entry.value();
        layout.fields.push_back(
            {.name = name, .description = text_field(entry.value(), "description")});
    }
    for (const auto& entry : *properties) {
        const std::string_view name = json::key_of(entry);
        const auto base = base_of(*properties, name, entry.value());
        if (!base) continue;
        const auto found = std::ranges::find(layout.fields, *base, &Field::name);
        if (found == layout.fields.end()) continue;
        found->words = name;
        found->takes_note = name.ends_with("_note");
    }
    layout.schema.get_object()["properties"] = std::move(kept);
    return layout;
}

bool has_option(const Question& question, std::string_view label) {
    return std::ranges::find(question.options, label, &Option::label) != question.options.end();
}

// The words apart, the rest as the form's own field takes it.
std::string take_words(const Field& field, const Question& question, Answer& answer) {
    if (field.words.empty()) return {};
    std::string words;
    for (auto* each : {&answer.other, &answer.note})
        if (*each) words += (words.empty() ? "" : "\n") + *std::exchange(*each, std::nullopt);
    const bool is_alone = !words.empty() && answer.selected.empty();
    if (is_alone && field.takes_note && has_option(question, kNoneOfThem))
        answer.selected = {std::string(kNoneOfThem)};
    return words;
}

Result<Decision> accepted(const FormWish& wish, const Ask& ask) {
    const Layout layout = layout_of(wish.schema);
    const std::vector<Question>& questions = ask.spec->questions;
    Answers answers = ask.settlement->answers;
    answers.resize(questions.size());
    std::vector<std::pair<std::string, std::string>> words;
    Decision decision;
    for (std::size_t i = 0; i < questions.size() && i < layout.fields.size(); ++i) {
        const Field& each = layout.fields[i];
        if (std::string said = take_words(each, questions[i], answers[i]); !said.empty())
            words.emplace_back(each.words, std::move(said));
        if (answers[i].note)
            decision.words += fmt::format("{}About “{}”: {}", decision.words.empty() ? "" : "\n",
                                          questions[i].header, *answers[i].note);
    }
    TRY(content, elicitation::form_content(layout.schema, questions, answers));
    std::string text;
    json::Writer out(text);
    out.begin_object().members(content);
    for (const auto& [name, said] : words) out.field(name, said);
    out.end_object();
    decision.result = elicitation::form_result("accept", text);
    return decision;
}

}  // namespace

FormWish read_form_wish(const json::Value& params) {
    FormWish wish{.session = text_field(params, "sessionId"),
                  .call_id = text_field(params, "toolCallId"),
                  .mode = text_field(params, "mode"),
                  .message = text_field(params, "message"),
                  .url = text_field(params, "url"),
                  .form = text_field(params, "elicitationId"),
                  .schema = field(params, "requestedSchema")};
    if (wish.mode.empty()) wish.mode = wish.url.empty() ? "form" : "url";
    return wish;
}

bool is_own_form(const FormWish& wish) {
    if (wish.mode == "url") return AskId::parse(wish.form).has_value();
    return wish.mode == "form" && mcp::is_own_form(wish.schema);
}

Result<void> fill_form(AskSpec& spec, const FormWish& wish, std::string_view agent,
                       std::string_view complaint) {
    if (wish.mode == "url") {
        spec.questions = elicitation::link_questions(agent, wish.message, wish.url);
        return {};
    }
    if (wish.mode != "form")
        return reject(ErrorCode::invalid, "a form of mode {} is not known here",
                      quoted_excerpt(wish.mode));
    const Layout layout = layout_of(wish.schema);
    TRY(questions, elicitation::read_form(wish.message, layout.schema));
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Field& each = layout.fields[i];
        const bool may_be_alone = !each.takes_note || has_option(questions[i], kNoneOfThem);
        if (!each.words.empty() && may_be_alone) questions[i].custom = true;
        const auto is_taken = [&](const Question& other) { return other.text == each.description; };
        // The title is the header; the words beside it are the question.
        const bool has_hint = questions[i].options.empty();
        if (!each.description.empty() && !has_hint && std::ranges::none_of(questions, is_taken))
            questions[i].text = each.description;
    }
    // Of a single choice the words around the form are the question.
    const bool is_bare_choice = questions.size() == 1 && !questions[0].options.empty() &&
                                layout.fields[0].description.empty();
    const bool is_asked_by_message = is_bare_choice && !is_blank(wish.message);
    if (is_asked_by_message) questions[0].text = wish.message;
    spec.questions = std::move(questions);
    std::string context(complaint);
    if (!wish.message.empty() && !is_asked_by_message)
        context += (context.empty() ? "" : "\n\n") + wish.message;
    if (!context.empty()) spec.context = std::move(context);
    return {};
}

Result<Decision> form_decision(const FormWish& wish, const Ask& settled) {
    const Settlement& settlement = *settled.settlement;
    switch (settled.state()) {
        case AskState::answered:
            if (wish.mode != "url") return accepted(wish, settled);
            return Decision{elicitation::form_result(
                elicitation::is_opened(settlement.answers) ? "accept" : "decline")};
        case AskState::dismissed:
            return Decision{elicitation::form_result("decline"), settlement.note.value_or("")};
        case AskState::timed_out:
            return Decision{elicitation::form_result("decline"), model_text(settled)};
        case AskState::withdrawn:
        case AskState::pending: break;
    }
    return Decision{elicitation::form_result("cancel")};
}

}  // namespace parley::acp
