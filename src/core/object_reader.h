// SPDX-License-Identifier: Apache-2.0
// The fields of one JSON object from outside. A field of the wrong type is a fault at its path and
// reads as absent; null reads as absent. Lives on the reader's stack and refers to the document,
// the path and the faults it was given.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/faults.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley {

class ObjectReader {
public:
    // `expected` completes "expected …, not a number" when `value` is no object.
    ObjectReader(const json::Value& value, const json::Path& at, Faults& faults,
                 std::string_view expected = "an object");

    bool is_object() const { return object_ != nullptr; }
    const json::Path& at() const { return at_; }

    // All that may stand in this object; what else does is told with the nearest of these names.
    void only(std::initializer_list<std::string_view> known,
              std::initializer_list<std::string_view> more = {}) const;

    // The value of `key`; null when it is absent or JSON's null.
    const json::Value* find(std::string_view key) const;

    // An absent string is a fault and reads as "".
    std::string required_string(std::string_view key) const;
    std::optional<std::string> optional_string(std::string_view key) const;
    std::optional<bool> optional_bool(std::string_view key) const;
    std::optional<std::int64_t> optional_int(std::string_view key) const;
    // A whole number from 0 on, of things that there are few of.
    std::optional<int> optional_count(std::string_view key) const;
    std::optional<double> optional_number(std::string_view key) const;
    // A number of seconds, to the nearest millisecond; more than none never becomes none, and what
    // no integer could hold becomes far more than any limit.
    std::optional<Millis> optional_seconds(std::string_view key) const;
    const json::Array* optional_array(std::string_view key) const;
    const json::Array* required_array(std::string_view key) const;

private:
    void wrong_type(std::string_view key, std::string_view expected,
                    const json::Value& value) const;
    void missing(std::string_view key) const;

    const json::Object* object_ = nullptr;
    const json::Path& at_;
    Faults& faults_;
};

// "a number", "a list": what a value is, for people.
std::string_view kind_of(const json::Value& value);
// "expected a list, not a number".
std::string expected_message(std::string_view expected, const json::Value& value);

inline std::string_view view_of(const boost::json::string& text) {
    return {text.data(), text.size()};
}

}  // namespace parley
