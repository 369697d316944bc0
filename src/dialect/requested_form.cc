// SPDX-License-Identifier: Apache-2.0
#include "dialect/requested_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/answers.h"
#include "core/json_fields.h"
#include "core/text_rules.h"
#include "dialect/limits.h"

namespace parley::elicitation {

namespace {

constexpr std::string_view kYes = "Yes";
constexpr std::string_view kNo = "No";
constexpr std::string_view kOpened = "I have opened it";
constexpr std::string_view kDecline = "Decline";

struct Choice {
    std::string value;
    std::string label;
    std::string description = {};
};

// {enum, enumNames} or a list of {const, title}.
std::vector<Choice> choices_of(const json::Value& schema) {
    std::vector<Choice> choices;
    if (const json::Array* values = json::list_field(schema, "enum")) {
        const json::Array* names = json::list_field(schema, "enumNames");
        for (std::size_t i = 0; i < values->size(); ++i) {
            if (!(*values)[i].is_string()) continue;
            Choice choice{std::string(view_of((*values)[i].get_string())), {}};
            const bool has_name = names != nullptr && i < names->size() && (*names)[i].is_string();
            choice.label = has_name ? std::string(view_of((*names)[i].get_string())) : choice.value;
            choices.push_back(std::move(choice));
        }
        return choices;
    }
    for (const std::string_view key : {"oneOf", "anyOf"}) {
        const json::Array* entries = json::list_field(schema, key);
        if (entries == nullptr) continue;
        for (const json::Value& entry : *entries) {
            const std::string title = json::text_field(entry, "title");
            const std::string value = json::text_field(entry, "const");
            choices.push_back(
                {value, title.empty() ? value : title, json::text_field(entry, "description")});
        }
        break;
    }
    return choices;
}

enum class Kind : std::uint8_t { text, number, integer, boolean, choice, choices };

struct Property {
    std::string name;
    Kind kind = Kind::text;
    std::vector<Choice> choices = {};
    std::string title = {};
    std::string description = {};
    bool is_required = false;
    std::vector<std::string> defaults = {};  // in words
    std::optional<int> min = {};
    std::optional<int> max = {};
    std::optional<double> least = {};  // a number's value, or a text's length
    std::optional<double> most = {};
};

std::optional<Kind> kind_of_property(const json::Value& schema, std::vector<Choice>& choices) {
    const std::string type = json::text_field(schema, "type");
    if (type == "boolean") return Kind::boolean;
    if (type == "number") return Kind::number;
    if (type == "integer") return Kind::integer;
    if (type == "array") {
        choices = choices_of(json::field(schema, "items"));
        if (choices.empty()) return std::nullopt;
        return Kind::choices;
    }
    if (type != "string") return std::nullopt;
    choices = choices_of(schema);
    return choices.empty() ? Kind::text : Kind::choice;
}

// Whatever a schema has for a default, as a person would give it; what cannot be is left out.
std::string in_words(const json::Value& value, const std::vector<Choice>& choices) {
    if (value.is_bool()) return std::string(value.get_bool() ? kYes : kNo);
    if (!value.is_string()) return value.is_number() ? json::serialize(value) : std::string();
    const std::string_view text = view_of(value.get_string());
    for (const Choice& choice : choices)
        if (choice.value == text) return choice.label;
    return choices.empty() ? std::string(text) : std::string();
}

void read_wishes(const json::Value& schema, Property& property) {
    const json::Value& preset = json::field(schema, "default");
    const json::Array* list = preset.if_array();
    const std::size_t count = list != nullptr ? list->size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
        std::string words = in_words(list != nullptr ? (*list)[i] : preset, property.choices);
        if (!words.empty()) property.defaults.push_back(std::move(words));
    }
    const auto size = [&schema](std::string_view key) -> std::optional<int> {
        const json::Value& value = json::field(schema, key);
        const auto* number = value.if_int64();
        if (number == nullptr || *number < 0 || *number > limits::kFormItemsMax)
            return std::nullopt;
        return static_cast<int>(*number);
    };
    const auto bound = [&schema](std::string_view key) -> std::optional<double> {
        const json::Value& value = json::field(schema, key);
        if (!value.is_number()) return std::nullopt;
        return value.to_number<double>();
    };
    const bool is_text = property.kind == Kind::text;
    property.least = bound(is_text ? "minLength" : "minimum");
    property.most = bound(is_text ? "maxLength" : "maximum");
    if (property.kind != Kind::choices) return;
    property.min = size("minItems");
    property.max = size("maxItems");
}

Result<std::vector<Property>> read_properties(const json::Value& schema) {
    const json::Object* listed = json::field(schema, "properties").if_object();
    if (listed == nullptr || listed->empty())
        return reject(ErrorCode::invalid, "the form has no fields");
    const json::Array* required = json::list_field(schema, "required");
    std::vector<Property> properties;
    for (const auto& entry : *listed) {
        Property property{.name = std::string(json::key_of(entry))};
        const auto kind = kind_of_property(entry.value(), property.choices);
        if (!kind)
            return reject(ErrorCode::invalid, "the form's field {} is of a kind not known here",
                          property.name);
        property.kind = *kind;
        property.title = json::text_field(entry.value(), "title");
        property.description = json::text_field(entry.value(), "description");
        property.is_required =
            required != nullptr && std::ranges::any_of(*required, [&](const json::Value& name) {
                return name.is_string() && view_of(name.get_string()) == property.name;
            });
        read_wishes(entry.value(), property);
        properties.push_back(std::move(property));
    }
    return properties;
}

std::string_view hint(Kind kind) {
    switch (kind) {
        case Kind::number: return "a number";
        case Kind::integer: return "a whole number";
        default: return {};
    }
}

// "a whole number from 1 to 9"; empty if anything will do.
std::string bounds_text(const Property& property) {
    const std::string unit = property.kind == Kind::text ? " characters" : "";
    if (property.least && property.most)
        return fmt::format("from {:.15g} to {:.15g}{}", *property.least, *property.most, unit);
    if (property.least) return fmt::format("at least {:.15g}{}", *property.least, unit);
    if (property.most) return fmt::format("at most {:.15g}{}", *property.most, unit);
    return {};
}

Question question_of(std::string_view message, const Property& property, bool is_only) {
    std::string label = property.title.empty() ? property.name : property.title;
    std::string text = is_only ? std::string(message) + "\n" : std::string();
    text += property.description.empty() ? label : label + ": " + property.description;
    std::string note(hint(property.kind));
    if (const std::string bounds = bounds_text(property); !bounds.empty())
        note += (note.empty() ? "" : " ") + bounds;
    if (!note.empty()) text += fmt::format(" ({})", note);
    Question question{.text = std::move(text), .header = std::move(label), .options = {}};
    if (property.kind == Kind::boolean)
        question.options = {{std::string(kYes), ""}, {std::string(kNo), ""}};
    for (const Choice& choice : property.choices)
        question.options.push_back({choice.label, choice.description});
    question.multi_select = property.kind == Kind::choices;
    question.custom = question.options.empty();
    question.required = property.is_required;
    question.min = property.min;
    question.max = property.max;
    if (const auto preset = sort_texts(question, property.defaults)) question.preset = *preset;
    return question;
}

std::string_view value_of(const Property& property, std::string_view label) {
    for (const Choice& choice : property.choices)
        if (choice.label == label) return choice.value;
    return label;
}

Result<void> check_bounds(const Property& property, std::string_view typed, double size) {
    const bool fits =
        (!property.least || size >= *property.least) && (!property.most || size <= *property.most);
    if (fits) return {};
    return reject(ErrorCode::invalid, "{} does not fit: {}; please answer again",
                  quoted_excerpt(typed), bounds_text(property));
}

// In code points, as JSON Schema counts.
double length_of(std::string_view text) {
    return static_cast<double>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

Result<void> write_number(json::Writer& out, const Property& property, std::string_view typed) {
    const std::string_view text = trim_blanks(typed);
    std::int64_t whole = 0;
    const char* end = text.data() + text.size();
    if (auto read = std::from_chars(text.data(), end, whole); read.ptr == end && !text.empty()) {
        CHECK_OK(check_bounds(property, typed, static_cast<double>(whole)));
        out.key(property.name).number(whole);
        return {};
    }
    double number = 0;
    auto read = std::from_chars(text.data(), end, number);
    const bool fits = read.ec == std::errc() && read.ptr == end && std::isfinite(number);
    if (!fits || property.kind == Kind::integer)
        return reject(ErrorCode::invalid, "{} is not {}; please answer again",
                      quoted_excerpt(typed), hint(property.kind));
    CHECK_OK(check_bounds(property, typed, number));
    out.key(property.name).number(number);
    return {};
}

Result<void> write_value(json::Writer& out, const Property& property, const Answer& answer) {
    const std::string_view first =
        answer.other ? *answer.other
                     : (answer.selected.empty() ? std::string_view() : answer.selected.front());
    switch (property.kind) {
        case Kind::number:
        case Kind::integer: return write_number(out, property, first);
        case Kind::boolean: out.key(property.name).boolean(first == kYes); return {};
        case Kind::text:
            CHECK_OK(check_bounds(property, first, length_of(first)));
            out.field(property.name, first);
            return {};
        case Kind::choice: out.field(property.name, value_of(property, first)); return {};
        case Kind::choices: break;
    }
    out.key(property.name).begin_array();
    for (const std::string& label : answer.selected) out.string(value_of(property, label));
    out.end_array();
    return {};
}

}  // namespace

Result<std::vector<Question>> read_form(std::string_view message, const json::Value& schema) {
    TRY(properties, read_properties(schema));
    std::vector<Question> questions;
    for (const Property& property : properties)
        questions.push_back(question_of(message, property, properties.size() == 1));
    return questions;
}

Result<std::string> form_content(const json::Value& schema, const std::vector<Question>& questions,
                                 const Answers& answers) {
    TRY(properties, read_properties(schema));
    std::string text;
    json::Writer out(text);
    out.begin_object();
    for (std::size_t i = 0; i < properties.size() && i < questions.size(); ++i) {
        const Answer& answer = answer_at(answers, i);
        if (is_answered(answer)) CHECK_OK(write_value(out, properties[i], answer));
    }
    out.end_object();
    return text;
}

std::vector<Question> link_questions(std::string_view who, std::string_view message,
                                     std::string_view url) {
    return {{.text = fmt::format("{} asks you to open an address: {}", who, message),
             .header = "Open",
             .options = {{std::string(kOpened), std::string(url)}, {std::string(kDecline), ""}},
             .custom = false}};
}

bool is_opened(const Answers& answers) {
    return !answers.empty() && answers.front().selected == std::vector{std::string(kOpened)};
}

std::string form_result(std::string_view action, std::string_view content) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("action", action);
    if (!content.empty()) out.key("content").raw(content);
    out.end_object();
    return text;
}

}  // namespace parley::elicitation
