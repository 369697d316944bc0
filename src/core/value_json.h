// SPDX-License-Identifier: Apache-2.0
// The vocabulary as JSON, in the one spelling that our records and our native wire share. Writers
// append to a json::Writer; readers take what those wrote, collect type faults and trust the rest:
// what comes from outside is checked by questions.h and answers.h. Pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.h"
#include "core/faults.h"
#include "core/names.h"
#include "core/object_reader.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley {

enum class Fields : std::uint8_t {
    all,      // for the wire: defaults are written too
    changed,  // for records: what has its default is left out
};

void write_questions(json::Writer& out, const std::vector<Question>& questions, Fields fields);
void write_options(json::Writer& out, const std::vector<Option>& options, Fields fields);
// required, min, max and default, those that the asker gave: the same names at every door.
void write_wishes(json::Writer& out, const Question& question);
void write_answers(json::Writer& out, const Answers& answers);
// The members of a draft; a dropped one has null for its answers.
void write_draft_fields(json::Writer& out, const Draft& draft);
void write_decider(json::Writer& out, const Decider& decider);
void write_settlement(json::Writer& out, const Settlement& settlement);
void write_message(json::Writer& out, const MessageAdded& message);
// The fields of a spec that every form of it has alike: context, key, tool, agent, urgency,
// dismissible.
void write_spec_fields(json::Writer& out, const AskSpec& spec, Fields fields);
// What an ask permits. A request has no summary: that is made where the ask is taken.
enum class Summary : std::uint8_t { left_out, written };
void write_permission(json::Writer& out, const AskSpec& spec, Summary summary);
void write_optional(json::Writer& out, const json::Key& name,
                    const std::optional<std::string>& text);
void write_time(json::Writer& out, const json::Key& name, Instant at);
// Absent: nothing is written.
void write_seconds(json::Writer& out, const json::Key& name, std::optional<Millis> duration);

// An id without a string of its own: every document has several.
template <class Kind>
void write_id(json::Writer& out, const json::Key& name, Id<Kind> id) {
    std::array<char, Kind::prefix.size() + kIdDigits> text;
    const auto digits = id_digits(id.bits());
    std::copy(digits.begin(), digits.end(), std::ranges::copy(Kind::prefix, text.begin()).out);
    out.field(name, std::string_view(text.data(), text.size()));
}

std::vector<Question> read_written_questions(const json::Value& value, const json::Path& at,
                                             Faults& faults);
// Also for answers from outside, before they are checked: `selected` may be absent.
Answers read_answers(const json::Value& value, const json::Path& at, Faults& faults);
Draft read_draft_fields(const ObjectReader& object, Faults& faults);
Decider read_decider(const json::Value& value, const json::Path& at, Faults& faults);
Settlement read_settlement(const json::Value& value, const json::Path& at, Faults& faults);
MessageAdded read_message(const json::Value& value, const json::Path& at, Faults& faults);
PermissionRequest read_permission(const json::Value& value, const json::Path& at, Faults& faults);
void read_spec_fields(const ObjectReader& object, AskSpec& spec, Faults& faults);
Session read_session_fields(const ObjectReader& object, Faults& faults);

// A required field that must be a time, or an id of its kind.
Instant read_time(const ObjectReader& object, std::string_view key, Faults& faults);
std::optional<Instant> read_optional_time(const ObjectReader& object, std::string_view key,
                                          Faults& faults);

template <class IdType>
IdType read_id(const ObjectReader& object, std::string_view key, Faults& faults) {
    const std::string text = object.required_string(key);
    if (const auto id = IdType::parse(text)) return *id;
    faults.add(object.at() / key, fmt::format("{} is no id", json::quoted(text)));
    return {};
}

// A field that holds one of the names of E; absent reads as nullopt.
template <class E>
std::optional<E> read_name(const ObjectReader& object, std::string_view key, Faults& faults) {
    const std::optional<std::string> name = object.optional_string(key);
    if (!name) return std::nullopt;
    if (const auto value = from_name<E>(*name)) return value;
    std::string names;
    for (std::size_t i = 0; i < kAll<E>.size(); ++i) {
        names += i == 0 ? "" : i + 1 == kAll<E>.size() ? " or " : ", ";
        names += json::quoted(to_string(kAll<E>[i]));
    }
    faults.add(object.at() / key, fmt::format("expected {}, not {}", names, json::quoted(*name)));
    return std::nullopt;
}

}  // namespace parley
