// SPDX-License-Identifier: Apache-2.0
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value_stack.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "base/assert.h"
#include "text/json.h"
#include "text/limits.h"

namespace parley::json {
namespace {

using boost::json::error;
using boost::json::error_code;
using boost::json::string_view;

// Boost has no name of its own for this; its bound of arrays is never reached.
constexpr error kTooManyValues = error::array_too_large;

// Builds the DOM as Boost's own parser does, except for doubles: Boost 1.81 computes them to within
// a few units of the last place and lets overflow become infinity.
struct Handler {
    // Boost's parser asks its handler for these by name.
    enum : std::size_t {
        max_object_size = limits::kJsonMembersMax,
        max_array_size = Array::max_size(),
        max_key_size = boost::json::string::max_size(),
        max_string_size = boost::json::string::max_size(),
    };

    Handler(boost::json::storage_ptr storage, unsigned char* scratch, std::size_t scratch_bytes,
            std::size_t values_max)
        : stack({}, scratch, scratch_bytes), values_left(values_max) {
        stack.reset(std::move(storage));
    }

    // Before each value; false: this is one too many.
    bool take_one(error_code& failure) {
        if (values_left-- > 0) return true;
        failure = kTooManyValues;
        return false;
    }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code& failure) { return take_one(failure); }
    bool on_object_end(std::size_t size, error_code&) { return stack.push_object(size), true; }
    bool on_array_begin(error_code& failure) { return take_one(failure); }
    bool on_array_end(std::size_t size, error_code&) { return stack.push_array(size), true; }
    bool on_key_part(string_view part, std::size_t, error_code&) {
        return stack.push_chars(part), true;
    }
    bool on_key(string_view rest, std::size_t, error_code&) { return stack.push_key(rest), true; }
    bool on_string_part(string_view part, std::size_t, error_code&) {
        return stack.push_chars(part), true;
    }
    bool on_string(string_view rest, std::size_t, error_code& failure) {
        if (!take_one(failure)) return false;
        stack.push_string(rest);
        return true;
    }
    bool on_number_part(string_view, error_code&) { return true; }
    bool on_int64(std::int64_t value, string_view, error_code& failure) {
        if (!take_one(failure)) return false;
        stack.push_int64(value);
        return true;
    }
    bool on_uint64(std::uint64_t value, string_view, error_code& failure) {
        if (!take_one(failure)) return false;
        stack.push_uint64(value);
        return true;
    }
    bool on_double(double approximate, string_view text, error_code& failure) {
        if (!take_one(failure)) return false;
        double exact = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), exact);
        if (problem == std::errc::result_out_of_range) {
            // from_chars does not tell too large from too small; the approximation does.
            if (!(std::abs(approximate) < 1)) {
                failure = error::not_number;
                return false;
            }
            exact = std::copysign(0.0, approximate);
        }
        stack.push_double(exact);
        return true;
    }
    bool on_bool(bool value, error_code& failure) {
        if (!take_one(failure)) return false;
        stack.push_bool(value);
        return true;
    }
    bool on_null(error_code& failure) {
        if (!take_one(failure)) return false;
        stack.push_null();
        return true;
    }
    bool on_comment_part(string_view, error_code&) { return true; }
    bool on_comment(string_view, error_code&) { return true; }

    boost::json::value_stack stack;
    std::size_t values_left;
};

std::size_t values_max(const ParseLimits& allowed) {
    return std::max(limits::kJsonValuesMax, allowed.bytes_max / limits::kJsonBytesPerValue);
}

Rejection fault(std::string_view text, std::size_t at, const error_code& failure,
                const ParseLimits& allowed) {
    const auto say = [at](std::string_view what) {
        return reject(ErrorCode::invalid, "not valid JSON: {} at byte {}", what, at);
    };
    if (failure == error::incomplete)
        return reject(ErrorCode::invalid, "not valid JSON: it ends too early, at byte {}", at);
    if (failure == error::extra_data) return say("there is more after the end of the document");
    if (failure == error::too_deep)
        return say(fmt::format("nested deeper than {} levels", allowed.depth_max));
    if (failure == error::object_too_large)
        return say(fmt::format("an object of more than {} members", limits::kJsonMembersMax));
    if (failure == kTooManyValues)
        return say(fmt::format("more than {} values", values_max(allowed)));
    if (failure == error::not_number || failure == error::exponent_overflow)
        return say("a number too large to hold");
    if (failure == error::expected_hex_digit) return say("a bad \\u escape");
    if (failure == error::illegal_leading_surrogate || failure == error::illegal_trailing_surrogate)
        return say("half a surrogate pair");
    if (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80)
        return say("unexpected or invalid UTF-8");
    if (at < text.size() && static_cast<unsigned char>(text[at]) < 0x20)
        return say("a raw control character");
    return say("an unexpected character");
}

}  // namespace

std::size_t usual_bytes() {
    return limits::kJsonBytes;
}

std::size_t usual_depth() {
    return limits::kJsonDepth;
}

Result<Value> parse(std::string_view text, ParseLimits limits) {
    return parse_into(text, {}, limits);
}

Result<Value> parse_into(std::string_view text, boost::json::storage_ptr storage,
                         ParseLimits limits) {
    // Boost's parser recurses once per level.
    ASSERT(limits.depth_max <= limits::kJsonDepthMax);
    if (text.size() > limits.bytes_max)
        return reject(ErrorCode::too_large, "the document has {} bytes; at most {} are read",
                      text.size(), limits.bytes_max);
    std::array<unsigned char, 4096> scratch;
    boost::json::basic_parser<Handler> parser({.max_depth = limits.depth_max}, std::move(storage),
                                              scratch.data(), scratch.size(), values_max(limits));
    error_code failure;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), failure);
    if (!failure && used < text.size()) failure = error::extra_data;
    if (failure) return fault(text, used, failure, limits);
    return parser.handler().stack.release();
}

std::string Path::str() const {
    std::string text;
    append_to(text);
    return text;
}

void Path::append_to(std::string& text) const {
    if (!parent_) return;
    parent_->append_to(text);
    text += '/';
    if (index_ != kNotIndex) {
        fmt::format_to(std::back_inserter(text), "{}", index_);
        return;
    }
    for (const char byte : key_) {
        if (byte == '~') {
            text += "~0";
        } else if (byte == '/') {
            text += "~1";
        } else {
            text += byte;
        }
    }
}

}  // namespace parley::json
