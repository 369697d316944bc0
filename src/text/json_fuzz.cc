// SPDX-License-Identifier: Apache-2.0
// Any bytes as JSON: what we accept, Boost accepts, and it survives being written and read again;
// what we refuse and Boost does not is a number that is not finite, or an object past our limit.
#include <boost/json/parse.hpp>

#include "base/assert.h"
#include "text/json.h"
#include "text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const std::string_view text(reinterpret_cast<const char*>(data), size);

    const auto value = json::parse(text);
    boost::json::error_code failure;
    const auto theirs = boost::json::parse(text, failure);
    if (!value) {
        const std::string& why = value.error().message;
        ASSERT(failure || why.find("too large to hold") != why.npos ||
               why.find("members") != why.npos);
        return 0;
    }
    ASSERT(!failure && theirs.kind() == value->kind());
    ASSERT(utf8::is_valid(text));

    const std::string written = json::serialize(*value);
    const auto again = json::parse(written, {.bytes_max = written.size()});
    ASSERT(again && *again == *value);
    ASSERT(json::serialize(*again) == written);

    std::string through_writer;
    json::Writer(through_writer).begin_array().value(*value).raw(written).end_array();
    ASSERT(through_writer == "[" + written + "," + written + "]");
    return 0;
}
