// SPDX-License-Identifier: Apache-2.0
// JSON in and out. Reading goes through Boost.JSON with our limits on top (size, depth, finite
// numbers); writing goes through Writer, because what Boost.JSON prints is not always JSON.
// Value is a DOM for documents from outside; hot output is written straight from our own values.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace parley::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;
// Where a DOM may live: grows, and is released as a whole.
using Arena = boost::json::monotonic_resource;

struct ParseLimits {
    std::size_t bytes_max = limits::kBodyBytes;
    std::size_t depth_max = limits::kJsonDepth;
};

// One whole document. Refuses trailing bytes, bad UTF-8, too deep nesting, objects of too many
// members and numbers that are not finite; the message says what and at which byte. Of a repeated
// key the last counts. Whole numbers past 64 bits become doubles.
[[nodiscard]] Result<Value> parse(std::string_view text, ParseLimits limits = {});
// The same with the DOM in `storage`, e.g. a boost::json::monotonic_resource that is released at
// once after many documents; the value must not outlive it.
[[nodiscard]] Result<Value> parse_into(std::string_view text, boost::json::storage_ptr storage,
                                       ParseLimits limits = {});

// Any DOM value as compact JSON.
std::string serialize(const Value& value);

// A JSON pointer that costs nothing until a fault needs its text: a chain of steps on the stack.
// A Path must not outlive the one it was made from.
class Path {
public:
    Path() = default;
    Path operator/(std::string_view key) const { return {this, key, kNotIndex}; }
    Path operator/(std::size_t index) const { return {this, {}, index}; }
    std::string str() const;  // "" for the root, else "/questions/0/options/1/label"

private:
    void append_to(std::string& text) const;

    static constexpr std::size_t kNotIndex = static_cast<std::size_t>(-1);
    Path(const Path* parent, std::string_view key, std::size_t index)
        : parent_(parent), key_(key), index_(index) {}

    const Path* parent_ = nullptr;
    std::string_view key_;
    std::size_t index_ = kNotIndex;
};

// Appends compact JSON to a string. Commas and colons are placed by the writer; begin/end must
// match, and a key must precede each value inside an object (broken pairing is an ASSERT). At most
// 64 levels are opened by begin; a DOM written by value() does not count.
class Writer {
public:
    explicit Writer(std::string& out) : out_(out) {}

    Writer& begin_object();
    Writer& end_object();
    Writer& begin_array();
    Writer& end_array();
    Writer& key(std::string_view name);

    Writer& string(std::string_view text);
    Writer& number(std::int64_t value);
    Writer& number(std::uint64_t value);
    Writer& number(double value);  // must be finite
    Writer& boolean(bool value);
    Writer& null();
    Writer& value(const Value& dom);
    // `json` is already JSON text; it is copied as it is.
    Writer& raw(std::string_view json);

    // key() and a value in one call.
    Writer& field(std::string_view name, std::string_view text) { return key(name).string(text); }
    Writer& field_bool(std::string_view name, bool value) { return key(name).boolean(value); }
    Writer& field_int(std::string_view name, std::int64_t value) { return key(name).number(value); }

private:
    enum class Level : std::uint8_t { array, object };
    static constexpr int kDepthMax = 64;

    void before_value();
    void begin(Level level, char bracket);
    void end(Level level, char bracket);
    bool is_in_object() const { return depth_ > 0 && (objects_ & 1U) != 0; }

    std::string& out_;
    std::uint64_t objects_ = 0;  // one bit per open level, the innermost lowest: 1 is an object
    int depth_ = 0;
    bool need_comma_ = false;
    bool after_key_ = false;
};

// Appends `text` as a quoted JSON string. Input must be valid UTF-8. U+2028/2029 are written as
// they are; C0 controls, quote and backslash are escaped.
void append_quoted(std::string& out, std::string_view text);
std::string quoted(std::string_view text);

}  // namespace parley::json
