// SPDX-License-Identifier: Apache-2.0
#include "core/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace parley {

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
    constexpr double kExactMax = 9007199254740992.0;
    if (const auto* number = value->if_double();
        number != nullptr && std::trunc(*number) == *number && std::abs(*number) <= kExactMax) {
        return static_cast<std::int64_t>(*number);
    }
    wrong_type(key, "a whole number", *value);
    return std::nullopt;
}

std::optional<Millis> ObjectReader::optional_seconds(std::string_view key) const {
    const std::optional<double> seconds = optional_number(key);
    if (!seconds) return std::nullopt;
    constexpr double kSecondsMax = 1e12;
    const Millis duration(std::llround(std::clamp(*seconds, -kSecondsMax, kSecondsMax) * 1000));
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
