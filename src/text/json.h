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

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/assert.h"
#include "base/result.h"

namespace parley::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;
// Where a DOM may live: grows, and is released as a whole.
using Arena = boost::json::monotonic_resource;

// Those of a request (text/limits.h), unless a caller says otherwise.
std::size_t usual_bytes();
std::size_t usual_depth();
struct ParseLimits {
    std::size_t bytes_max = usual_bytes();
    std::size_t depth_max = usual_depth();
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

// The name of a member as a literal: quoted, and found to need no escape, while the program is
// compiled. Names are most of what our documents consist of.
class Key {
public:
    template <std::size_t kBytes>
    // NOLINTNEXTLINE(google-explicit-constructor)
    consteval Key(const char (&name)[kBytes]) : size_(kBytes + 3) {
        static_assert(kBytes + 3 <= kRoom, "too long: give it as a std::string_view");
        text_[0] = ',';
        text_[1] = '"';
        for (std::size_t i = 0; i + 1 < kBytes; ++i) {
            ASSERT(name[i] >= ' ' && name[i] != '"' && name[i] != '\\');
            text_[i + 2] = name[i];
        }
        text_[kBytes + 1] = '"';
        text_[kBytes + 2] = ':';
    }

private:
    friend class Writer;
    static constexpr std::size_t kRoom = 48;

    char text_[kRoom] = {};  // with a comma before it and a colon behind it
    std::size_t size_;
};

// A name that is known only when the program runs.
template <class Name>
concept RunTimeName = std::convertible_to<const Name&, std::string_view> && !std::is_array_v<Name>;

// Appends compact JSON to a string, which is complete when the outermost value is: what belongs
// to one document is gathered first, since each append to a string asks anew whether there is room.
// Commas and colons are placed by the writer; begin/end must match, and a key must precede each
// value inside an object (broken pairing is an ASSERT). At most 64 levels are opened by begin; a
// DOM written by value() does not count.
class Writer {
public:
    explicit Writer(std::string& out) : out_(out) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    Writer& begin_object();
    Writer& end_object();
    Writer& begin_array();
    Writer& end_array();
    Writer& key(const Key& name);
    template <RunTimeName Name>
    Writer& key(const Name& name) {
        return key_text(name);
    }

    Writer& string(std::string_view text);
    Writer& number(std::int64_t value);
    Writer& number(std::uint64_t value);
    Writer& number(double value);  // must be finite
    Writer& boolean(bool value);
    Writer& null();
    Writer& value(const Value& dom);
    // `json` is already JSON text; it is copied as it is.
    Writer& raw(std::string_view json);
    // The members of `object`, compact JSON text, become members of the object in hand.
    Writer& members(std::string_view object);

    // key() and a value in one call.
    Writer& field(const Key& name, std::string_view text) { return key(name).string(text); }
    Writer& field_bool(const Key& name, bool value) { return key(name).boolean(value); }
    Writer& field_int(const Key& name, std::int64_t value) { return key(name).number(value); }
    template <RunTimeName Name>
    Writer& field(const Name& name, std::string_view text) {
        return key_text(name).string(text);
    }

private:
    enum class Level : std::uint8_t { array, object };
    static constexpr std::size_t kHeldSize = 512;

    Writer& key_text(std::string_view name);
    void before_value();
    Writer& after_value();
    void begin(Level level, char bracket);
    void end(Level level, char bracket);
    bool is_in_object() const { return depth_ > 0 && (objects_ & 1U) != 0; }

    char* room_for(std::size_t bytes);
    void flush();
    void put(char byte);
    void put(std::string_view text);
    void put_quoted(std::string_view text);

    std::string& out_;
    std::uint64_t objects_ = 0;  // one bit per open level, the innermost lowest: 1 is an object
    int depth_ = 0;
    bool need_comma_ = false;
    bool after_key_ = false;
    std::size_t held_ = 0;
    char held_text_[kHeldSize];  // what is not in out_ yet
};

// Appends `text` as a quoted JSON string. Input must be valid UTF-8. U+2028/2029 are written as
// they are; C0 controls, quote and backslash are escaped.
void append_quoted(std::string& out, std::string_view text);
std::string quoted(std::string_view text);

}  // namespace parley::json
