// SPDX-License-Identifier: Apache-2.0
#include "core/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/limits.h"
#include "core/text_rules.h"

namespace parley {

namespace {

// How many letters must be put in, left out or changed to make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::array<std::size_t, limits::kComparedNameBytes + 1> row;
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] =
                std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

std::string_view nearest(std::string_view name, const std::vector<std::string_view>& known) {
    const std::string given = lower_ascii(name.substr(0, limits::kComparedNameBytes));
    return *std::ranges::min_element(known, {}, [&](std::string_view each) {
        return distance(given, lower_ascii(each.substr(0, limits::kComparedNameBytes)));
    });
}

}  // namespace

std::string_view kind_of(const json::Value& value) {
    switch (value.kind()) {
        case boost::json::kind::null: return "null";
        case boost::json::kind::bool_: return value.get_bool() ? "true" : "false";
        case boost::json::kind::int64:
        case boost::json::kind::uint64:
        case boost::json::kind::double_: return "a number";
        case boost::json::kind::string: return "a string";
        case boost::json::kind::array: return "a list";
        case boost::json::kind::object: return "an object";
    }
    return "something else";
}

std::string expected_message(std::string_view expected, const json::Value& value) {
    return fmt::format("expected {}, not {}", expected, kind_of(value));
}

ObjectReader::ObjectReader(const json::Value& value, const json::Path& at, Faults& faults,
                           std::string_view expected)
    : object_(value.if_object()), at_(at), faults_(faults) {
    if (object_ == nullptr) faults_.add(at_, expected_message(expected, value));
}

void ObjectReader::only(std::initializer_list<std::string_view> known,
                        std::initializer_list<std::string_view> more) const {
    if (object_ == nullptr || !faults_.wants_unknown()) return;
    std::vector<std::string_view> names(known);
    names.insert(names.end(), more);
    for (const auto& member : *object_) {
        if (!faults_.wants_unknown()) return;
        const std::string_view name(member.key().data(), member.key().size());
        if (std::ranges::find(names, name) != names.end()) continue;
        faults_.add_unknown(at_ / name, fmt::format("{} is not known here; did you mean \"{}\"?",
                                                    quoted_excerpt(name), nearest(name, names)));
    }
}

const json::Value* ObjectReader::find(std::string_view key) const {
    if (object_ == nullptr) return nullptr;
    const auto found = object_->find(boost::json::string_view(key.data(), key.size()));
    return found == object_->end() || found->value().is_null() ? nullptr : &found->value();
}

void ObjectReader::wrong_type(std::string_view key, std::string_view expected,
                              const json::Value& value) const {
    faults_.add(at_ / key, expected_message(expected, value));
}

void ObjectReader::missing(std::string_view key) const {
    if (object_ != nullptr) faults_.add(at_ / key, fmt::format("\"{}\" is missing", key));
}

std::string ObjectReader::required_string(std::string_view key) const {
    if (find(key) == nullptr) {
        missing(key);
        return {};
    }
    return optional_string(key).value_or(std::string());
}

std::optional<std::string> ObjectReader::optional_string(std::string_view key) const {
    const json::Value* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* text = value->if_string()) return std::string(view_of(*text));
    wrong_type(key, "a string", *value);
    return std::nullopt;
}

std::optional<bool> ObjectReader::optional_bool(std::string_view key) const {
    const json::Value* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (const bool* truth = value->if_bool()) return *truth;
    wrong_type(key, "true or false", *value);
    return std::nullopt;
}

std::optional<int> ObjectReader::optional_count(std::string_view key) const {
    const auto value = optional_int(key);
    if (!value) return std::nullopt;
    if (*value < 0 || *value > limits::kChoiceCountMax) {
        faults_.add(at_ / key, fmt::format("{} is no number of choices", *value));
        return std::nullopt;
    }
    return static_cast<int>(*value);
}

std::optional<double> ObjectReader::optional_number(std::string_view key) const {
    const json::Value* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* number = value->if_double()) return *number;
    if (const auto* number = value->if_int64()) return static_cast<double>(*number);
    if (const auto* number = value->if_uint64()) return static_cast<double>(*number);
    wrong_type(key, "a number", *value);
    return std::nullopt;
}

std::optional<std::int64_t> ObjectReader::optional_int(std::string_view key) const {
    const json::Value* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* number = value->if_int64()) return *number;
    // 5.0 is a whole number too; doubles are exact up to 2^53.
    constexpr double kTwoTo53 = 9007199254740992.0;
    if (const auto* number = value->if_double();
        number != nullptr && std::trunc(*number) == *number && std::abs(*number) <= kTwoTo53) {
        return static_cast<std::int64_t>(*number);
    }
    wrong_type(key, "a whole number", *value);
    return std::nullopt;
}

std::optional<Millis> ObjectReader::optional_seconds(std::string_view key) const {
    const std::optional<double> seconds = optional_number(key);
    if (!seconds) return std::nullopt;
    const Millis duration(
        std::llround(std::clamp(*seconds, -limits::kSecondsMax, limits::kSecondsMax) * 1000));
    return *seconds > 0 ? std::max(duration, Millis(1)) : duration;
}

const json::Array* ObjectReader::optional_array(std::string_view key) const {
    const json::Value* value = find(key);
    if (value == nullptr) return nullptr;
    if (const auto* list = value->if_array()) return list;
    wrong_type(key, "a list", *value);
    return nullptr;
}

const json::Array* ObjectReader::required_array(std::string_view key) const {
    if (find(key) == nullptr) missing(key);
    return optional_array(key);
}

}  // namespace parley
