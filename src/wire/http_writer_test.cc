// SPDX-License-Identifier: Apache-2.0
#include "wire/http_writer.h"

#include <gtest/gtest.h>

#include "base/properties_test.h"
#include "wire/http_parser.h"
#include "wire/limits.h"

namespace parley::wire {
namespace {

TEST(HttpWriter, WritesHeadsAndChunks) {
    std::string out;
    append_status_line(out, 409);
    append_field(out, "Content-Length", 12U);
    HeaderBlock block;
    block.add("Allow", "GET, HEAD").add("Retry-After", 5U);
    out.append(block.text());
    end_head(out);
    append_chunk(out, std::string(26, 'x'));
    out.append(kLastChunk);
    EXPECT_EQ(out,
              "HTTP/1.1 409 Conflict\r\nContent-Length: 12\r\nAllow: GET, HEAD\r\n"
              "Retry-After: 5\r\n\r\n1a\r\nxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n0\r\n\r\n");
    EXPECT_EQ(reason_phrase(299), "Unknown");
}

TEST(HttpWriter, AValueCannotBeginANewLine) {
    HeaderBlock block;
    block.add("Location", "/a\r\nSet-Cookie: x=1\n\0y");
    EXPECT_EQ(block.text(), "Location: /a  Set-Cookie: x=1 \r\n");
}

// Whatever value is written, a reader finds exactly one field, and the head ends where it should.
RC_GTEST_PROP(HttpWriterProperty, WhatIsWrittenIsReadBack, (const std::string& value)) {
    std::string out;
    append_status_line(out, 200);
    append_field(out, "X-Value", value);
    append_field(out, "Content-Length", 0U);
    end_head(out);
    ResponseParser parser;
    std::string_view input = out;
    if (out.size() > limits::kHttpHeadBytes) return;
    RC_ASSERT(parser.step(input) == Step::head);
    RC_ASSERT(parser.head().fields.size() == 2U);
    RC_ASSERT(input.empty());
}

}  // namespace
}  // namespace parley::wire
