// SPDX-License-Identifier: Apache-2.0
#include "wire/sse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/properties_test.h"

namespace parley::wire {
namespace {

std::vector<ReceivedSse> parse(SseParser& parser, std::string_view bytes,
                               std::size_t piece = 9999) {
    std::vector<ReceivedSse> events;
    UniqueFunction<void(ReceivedSse)> sink = [&](ReceivedSse event) {
        events.push_back(std::move(event));
    };
    while (!bytes.empty()) {
        EXPECT_TRUE(parser.feed(bytes.substr(0, piece), sink));
        bytes.remove_prefix(std::min(piece, bytes.size()));
    }
    return events;
}

TEST(SseWriter, WritesEachFieldOnItsOwnLine) {
    std::string out;
    append_sse(out, {.data = "{\"a\":1}", .event = "ask.opened", .id = "42"});
    append_sse(out, {.data = "", .id = ""});
    append_sse(out, {.data = "a\nb\r\nc\rd", .retry_ms = 3000});
    append_sse(out, {.data = "end\n"});
    append_sse_comment(out, "still here");
    EXPECT_EQ(out,
              "id: 42\nevent: ask.opened\ndata: {\"a\":1}\n\n"
              "id: \ndata: \n\n"
              "retry: 3000\ndata: a\ndata: b\ndata: c\ndata: d\n\n"
              "data: end\ndata: \n\n"
              ": still here\n\n");
}

TEST(SseWriter, NothingBreaksOutOfItsLine) {
    std::string out;
    append_sse(out, {.data = "x", .event = "a\ndata: forged", .id = "1\r\nevent: forged"});
    append_sse_comment(out, "a\n\ndata: forged");
    EXPECT_EQ(out, "id: 1event: forged\nevent: adata: forged\ndata: x\n\n: adata: forged\n\n");
}

TEST(SseParser, FollowsTheStandardForAllLineEndings) {
    const std::string lf =
        ": comment\n\nid: 1\nevent: note\ndata: a\ndata:b\ndata\nunknown: x\n\ndata:  two\n\n";
    for (const std::string_view ending : {"\n", "\r", "\r\n"}) {
        std::string text = "\xEF\xBB\xBF";
        for (const char c : lf) {
            if (c == '\n') {
                text += ending;
            } else {
                text += c;
            }
        }
        for (const std::size_t piece : {1U, 2U, 3U, 1000U}) {
            SseParser parser;
            const auto events = parse(parser, text, piece);
            ASSERT_EQ(events.size(), 2U);
            EXPECT_EQ(events[0].event, "note");
            EXPECT_EQ(events[0].data, "a\nb\n");
            EXPECT_EQ(events[0].last_id, "1");
            EXPECT_EQ(events[1].event, "");
            EXPECT_EQ(events[1].data, " two");
            EXPECT_EQ(events[1].last_id, "1") << "an id lasts until the next";
        }
    }
}

TEST(SseParser, KeepsAnIdThatCameWithoutAnEvent) {
    SseParser parser;
    const auto events = parse(parser, "id: 7\nretry: 250\n\ndata: x\n\n");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].last_id, "7");
}

TEST(SseParser, IgnoresIdsWithNul) {
    SseParser parser;
    const auto events = parse(parser, std::string("id: 7\nid: a\0b\ndata: x\n\n", 23));
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].last_id, "7");
}

TEST(SseParser, AnEventOverTheLimitIsAnError) {
    UniqueFunction<void(ReceivedSse)> sink = [](const ReceivedSse&) {};
    SseParser one_line(100);
    EXPECT_FALSE(one_line.feed("data: " + std::string(101, 'x'), sink));
    SseParser many_lines(100);
    Result<void> fed;
    for (int i = 0; i < 60 && fed; ++i) fed = many_lines.feed("data: x\n", sink);
    EXPECT_FALSE(fed);
}

// What the writer writes, the parser reads, however it is cut; line breaks become LF.
RC_GTEST_PROP(SseProperty, EventsComeBack, (std::string data, std::string name)) {
    std::erase_if(name, [](char c) { return c == '\r' || c == '\n'; });
    std::string out;
    append_sse(out, {.data = data, .event = name});
    SseParser parser;
    const auto events = parse(parser, out, *rc::gen::inRange<std::size_t>(1, 10));
    std::string expected;
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (data[i] == '\r') {
            expected += '\n';
            if (i + 1 < data.size() && data[i + 1] == '\n') ++i;
        } else {
            expected += data[i];
        }
    }
    RC_ASSERT(events.size() == 1U);
    RC_ASSERT(events[0].data == expected);
    RC_ASSERT(events[0].event == name);
}

}  // namespace
}  // namespace parley::wire
