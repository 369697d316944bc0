// SPDX-License-Identifier: Apache-2.0
#include "term/key_decoder.h"

#include <gtest/gtest.h>

#include "base/properties_test.h"
#include "term/limits.h"

namespace parley {

// NOLINTNEXTLINE(readability-identifier-naming): the name is GoogleTest's
void PrintTo(const Key& key, std::ostream* out) {
    *out << static_cast<int>(key.code) << " \"" << key.text << "\"" << (key.is_ctrl ? " ctrl" : "")
         << (key.is_alt ? " alt" : "") << (key.is_shift ? " shift" : "");
}

namespace {

using Code = Key::Code;

Key typed(std::string text) {
    return {.text = std::move(text)};
}
Key ctrl(std::string text) {
    return {.text = std::move(text), .is_ctrl = true};
}

struct Case {
    std::string bytes;
    std::vector<Key> keys;
};

TEST(KeyDecoder, EveryKeyOfTheUsualTerminals) {
    const std::vector<Case> cases = {
        {"a", {typed("a")}},
        {"é界", {typed("é"), typed("界")}},
        {"\r", {{.code = Code::enter}}},
        {"\n", {ctrl("j")}},
        {"\t", {{.code = Code::tab}}},
        {"\x7f\b", {{.code = Code::backspace}, {.code = Code::backspace}}},
        {"\x03\x1a\x1f", {ctrl("c"), ctrl("z"), ctrl("_")}},
        {std::string(1, '\0'), {ctrl(" ")}},
        {"\x1b[A\x1bOB", {{.code = Code::up}, {.code = Code::down}}},
        {"\x1b[C\x1b[D", {{.code = Code::right}, {.code = Code::left}}},
        {"\x1b[H\x1b[4~", {{.code = Code::home}, {.code = Code::end}}},
        {"\x1b[3~\x1b[2~", {{.code = Code::del}, {.code = Code::insert}}},
        {"\x1b[5~\x1b[6~", {{.code = Code::page_up}, {.code = Code::page_down}}},
        {"\x1b[Z", {{.code = Code::tab, .is_shift = true}}},
        {"\x1b[1;5C", {{.code = Code::right, .is_ctrl = true}}},
        {"\x1b[1;3A", {{.code = Code::up, .is_alt = true}}},
        {"\x1b\r", {{.code = Code::enter, .is_alt = true}}},
        {"\x1b[13;2u", {{.code = Code::enter, .is_shift = true}}},
        {"\x1b[27;5;13~", {{.code = Code::enter, .is_ctrl = true}}},
        {"\x1b[97;5u", {ctrl("a")}},
        {"\x1b"
         "b",
         {{.text = "b", .is_alt = true}}},
        {"\x1b\x7f", {{.code = Code::backspace, .is_alt = true}}},
        {"\x1b[I\x1b[O", {{.code = Code::focus_in}, {.code = Code::focus_out}}},
        {"\x1b[200~a\rb\x1b[201~c", {{.code = Code::paste, .text = "a\rb"}, typed("c")}},
    };
    for (const Case& each : cases) {
        KeyDecoder decoder;
        EXPECT_EQ(decoder.feed(each.bytes), each.keys) << each.bytes;
        EXPECT_FALSE(decoder.patience()) << each.bytes;
    }
}

TEST(KeyDecoder, UnknownSequencesAreDroppedWhole) {
    for (const std::string_view bytes :
         {"\x1b[?62;1;6c", "\x1b[24;80R", "\x1b[<0;10;20M", "\x1b[M !!", "\x1b]11;rgb:0/0/0\x07",
          "\x1b]11;rgb:0/0/0\x1b\\", "\x1bP>|xterm\x1b\\", "\x1b[99~", "\x1bOP", "\x1b[55555u",
          "\x1b[1114112u"}) {
        KeyDecoder decoder;
        EXPECT_EQ(decoder.feed(bytes), std::vector<Key>()) << bytes;
        EXPECT_EQ(decoder.feed("x"), std::vector<Key>{typed("x")}) << bytes;
    }
}

TEST(KeyDecoder, AnEscapeAloneIsTheKeyWhenNothingFollows) {
    KeyDecoder decoder;
    EXPECT_TRUE(decoder.feed("\x1b").empty());
    EXPECT_EQ(decoder.patience(), limits::kEscapePatience);
    EXPECT_EQ(decoder.time_out(), std::vector<Key>{{.code = Code::escape}});
    EXPECT_FALSE(decoder.patience());
    EXPECT_EQ(decoder.feed("\x1b\x1b"), std::vector<Key>{{.code = Code::escape}});
    EXPECT_EQ(decoder.time_out(), std::vector<Key>{{.code = Code::escape}});
    EXPECT_TRUE(decoder.feed("\x1b[").empty());
    EXPECT_EQ(decoder.time_out(), (std::vector<Key>{{.text = "[", .is_alt = true}}));
}

TEST(KeyDecoder, WhatIsPastedIsNeverAKey) {
    KeyDecoder decoder;
    EXPECT_EQ(decoder.feed("\x1b[200~yes\r\x1b[A\x03"),
              (std::vector<Key>{{.code = Code::paste, .text = "yes\r\x1b[A\x03"}}));
    EXPECT_EQ(decoder.patience(), limits::kPastePatience);
    EXPECT_EQ(decoder.feed("\x1b[20"), std::vector<Key>()) << "it may be the end";
    EXPECT_EQ(decoder.feed("1~x"), std::vector<Key>{typed("x")});
    EXPECT_TRUE(decoder.feed("\x1b[200~").empty());
    EXPECT_TRUE(decoder.time_out().empty()) << "an end that never came";
    EXPECT_EQ(decoder.feed("x"), std::vector<Key>{typed("x")});
}

TEST(KeyDecoder, BytesThatAreNoUtf8AreShownAsSuch) {
    KeyDecoder decoder;
    EXPECT_EQ(decoder.feed("\xff"), std::vector<Key>{typed("\ufffd")});
    EXPECT_TRUE(decoder.feed("\xe7").empty());
    EXPECT_EQ(decoder.feed("\x95\x8c"), std::vector<Key>{typed("界")});
}

// Cutting the bytes anywhere changes no key, only how a paste is cut.
RC_GTEST_PROP(KeyDecoderProperty, CutsDoNotMatter, ()) {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "界", "\r", "\x1b[A", "\x1b[1;5C", "\x1bOH",
                                      "\x1b"
                                      "b",
                                      "\x1b[3~", "\x1b]0;x\x07", "\x03", "\x1b[Z"));
    std::string all;
    for (const std::string& piece : pieces) all += piece;
    KeyDecoder whole;
    const std::vector<Key> expected = whole.feed(all);
    KeyDecoder cut;
    std::vector<Key> keys;
    for (const char byte : all)
        for (Key& key : cut.feed({&byte, 1})) keys.push_back(std::move(key));
    RC_ASSERT(keys == expected);
}

}  // namespace
}  // namespace parley
