// SPDX-License-Identifier: Apache-2.0
#include "text/json.h"

#include <boost/json/monotonic_resource.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/properties_test.h"
#include "text/limits.h"
#include "text/utf8.h"

namespace parley::json {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text, ParseLimits limits = {}) {
    const auto result = parse(text, limits);
    return result ? "parsed" : result.error().message;
}

std::string reprinted(std::string_view text) {
    const auto result = parse(text);
    return result ? json::serialize(*result) : result.error().message;
}

std::string repeated(std::string_view part, std::size_t times) {
    std::string text;
    text.reserve(part.size() * times);
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

TEST(JsonParse, EveryKindOfValueIsReadAndWrittenBack) {
    const std::string text =
        R"({"a":[null,true,false,0,-1,18446744073709551615,-922337203685477580,0.5],"b":{"":"x"}})";
    EXPECT_EQ(reprinted(text), text);
    EXPECT_EQ(reprinted(" [ ] "), "[]");
    EXPECT_EQ(reprinted("\t{\n}\r "), "{}");
    EXPECT_EQ(reprinted(R"("\ud83d\ude00\u00e9\/")"), "\"😀é/\"");
}

TEST(JsonParse, OfARepeatedKeyTheLastCounts) {
    EXPECT_EQ(reprinted(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
    EXPECT_EQ(parse(R"({"a":1,"\u0061":2})")->as_object().size(), 1u);
}

TEST(JsonParse, WhatIsNotOneWholeDocumentIsRefusedWithItsPlace) {
    EXPECT_EQ(error_of(""), "not valid JSON: it ends too early, at byte 0");
    EXPECT_EQ(error_of("[1,"), "not valid JSON: it ends too early, at byte 3");
    EXPECT_EQ(error_of("\"abc"), "not valid JSON: it ends too early, at byte 4");
    EXPECT_EQ(error_of("{} x"),
              "not valid JSON: there is more after the end of the document at byte 3");
    EXPECT_EQ(error_of("[1,]"), "not valid JSON: an unexpected character at byte 3");
    EXPECT_EQ(error_of("[1 2]"), "not valid JSON: an unexpected character at byte 3");
    EXPECT_EQ(error_of("\"a\nb\""), "not valid JSON: a raw control character at byte 2");
    EXPECT_EQ(error_of("\"a\xff\""), "not valid JSON: unexpected or invalid UTF-8 at byte 2");
    EXPECT_THAT(error_of(R"("\u12g4")"), HasSubstr("a bad \\u escape"));
    for (const std::string_view bad : {"nul",
                                       "tru",
                                       "True",
                                       "'a'",
                                       "{a:1}",
                                       "{\"a\"}",
                                       "{\"a\":1,}",
                                       "[,1]",
                                       "01",
                                       "1.",
                                       ".5",
                                       "+1",
                                       "1e",
                                       "-",
                                       "NaN",
                                       "Infinity",
                                       "// c\n1",
                                       "/* c */ 1",
                                       "\xEF\xBB\xBF{}",
                                       "\"\\x41\"",
                                       "[1}",
                                       "{\"a\":1]",
                                       "1 2",
                                       "\"\t\""}) {
        EXPECT_THAT(error_of(bad), HasSubstr("not valid JSON")) << bad;
    }
}

// A lone surrogate has no UTF-8 form, so a string that holds one cannot be kept.
TEST(JsonParse, HalfASurrogatePairIsRefused) {
    for (const std::string_view bad :
         {R"("\ud800")", R"("\udc00")", R"("\ud800\ud800")", R"("\ud800x")", R"("\ud800 padding…")",
          R"("\udfff and enough bytes behind it")",
          R"("\ud83d\u0041 and enough bytes behind it")"}) {
        EXPECT_THAT(error_of(bad), HasSubstr("not valid JSON")) << bad;
    }
}

TEST(JsonParse, InvalidUtf8IsRefusedInKeysAndStrings) {
    for (const std::string_view bad :
         {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80",
          "\xF8\x88\x80\x80\x80", "\xE0\x80\x80", "\xF0\x80\x80\x80"}) {
        EXPECT_FALSE(parse("\"" + std::string(bad) + "\""));
        EXPECT_FALSE(parse("{\"" + std::string(bad) + "\":1}"));
        EXPECT_FALSE(parse("\"a longer run of text before it, then " + std::string(bad) + "\""));
    }
}

TEST(JsonParse, NestingStopsAtTheLimit) {
    const auto nested = [](std::size_t levels) {
        return repeated("[", levels) + repeated("]", levels);
    };
    EXPECT_TRUE(parse(nested(limits::kJsonDepth)));
    EXPECT_THAT(error_of(nested(limits::kJsonDepth + 1)), HasSubstr("deeper than 32 levels"));
    EXPECT_TRUE(parse(nested(limits::kJsonDepthMax), {.depth_max = limits::kJsonDepthMax}));
    EXPECT_THAT(error_of(repeated("[", 100'000)), HasSubstr("deeper than 32 levels"));
    EXPECT_THAT(error_of(repeated("{\"a\":", 100'000)), HasSubstr("deeper than 32 levels"));
    EXPECT_THAT(error_of(nested(100'000), {.depth_max = limits::kJsonDepthMax}),
                HasSubstr("deeper than 1024 levels"));
}

TEST(JsonParse, SizeStopsAtTheLimit) {
    const std::string text = "\"" + std::string(limits::kJsonBytes - 2, 'x') + "\"";
    EXPECT_TRUE(parse(text));
    const auto larger = parse(text + " ");
    ASSERT_FALSE(larger);
    EXPECT_EQ(larger.error().code, ErrorCode::too_large);
    EXPECT_EQ(parse("12345", {.bytes_max = 4}).error().code, ErrorCode::too_large);
}

// Four mebibytes can hold two million values, and each costs as much as a text.
TEST(JsonParse, ValuesStopAtTheLimit) {
    const auto pairs_of = [](std::size_t count) { return "[" + repeated("0,{},", count) + "0]"; };
    const std::size_t most = limits::kJsonValuesMax / 2 - 1;  // with the list and the last
    EXPECT_EQ(parse(pairs_of(most))->as_array().size(), limits::kJsonValuesMax - 1);
    EXPECT_THAT(error_of(pairs_of(most + 1)), HasSubstr("more than 262144 values at byte "));
    EXPECT_THAT(error_of(repeated("[0,", 2) + repeated("[],", limits::kJsonValuesMax)),
                HasSubstr("more than 262144 values"));
    EXPECT_TRUE(parse(pairs_of(most + 1), {.bytes_max = limits::kServerDocumentBytes}))
        << "what our own client reads of a server may be larger";
}

TEST(JsonParse, MembersStopAtTheLimit) {
    std::string members = "{\"0\":0";
    for (std::size_t i = 1; i < limits::kJsonMembersMax; ++i)
        members += ",\"" + std::to_string(i) + "\":0";
    EXPECT_EQ(parse(members + "}")->as_object().size(), limits::kJsonMembersMax);
    EXPECT_THAT(error_of(members + ",\"x\":0}"), HasSubstr("an object of more than 2048 members"));
}

// Boost decodes escapes through a fixed buffer; its edges must not lose or refuse anything.
TEST(JsonParse, EscapesAreReadAcrossTheEdgesOfTheDecodersBuffer) {
    for (std::size_t before = 4060; before < 4110; ++before) {
        const std::string plain(before, 'x');
        const std::string want = plain + repeated("é😀\n", 1500);
        EXPECT_EQ(
            parse("\"" + plain + repeated(R"(\u00e9\ud83d\ude00\n)", 1500) + "\"")->as_string(),
            want)
            << before;
        EXPECT_EQ(parse("\"\\n" + plain + repeated(R"(é\ud83d\ude00\n)", 1500) + "\"")->as_string(),
                  "\n" + want)
            << before;
    }
}

TEST(JsonNumbers, WholeNumbersKeepAll64Bits) {
    EXPECT_EQ(parse("9223372036854775807")->as_int64(), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(parse("-9223372036854775808")->as_int64(), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(parse("18446744073709551615")->as_uint64(),
              std::numeric_limits<std::uint64_t>::max());
    // Past 64 bits a number is a double, as JavaScript would read it.
    EXPECT_EQ(parse("18446744073709551616")->as_double(), 18446744073709551616.0);
    EXPECT_EQ(parse("-9223372036854775809")->as_double(), -9223372036854775808.0);
}

TEST(JsonNumbers, WhatIsNotFiniteIsRefused) {
    for (const std::string_view bad :
         {"1e400", "-1e400", "1e309", "1.7976931348623159e308", "1e2147483648", "[1,2e999]"}) {
        EXPECT_THAT(error_of(bad), HasSubstr("a number too large to hold")) << bad;
    }
    EXPECT_THAT(error_of("1" + std::string(400, '0')), HasSubstr("too large to hold"));
    EXPECT_EQ(parse("1.7976931348623157e308")->as_double(), std::numeric_limits<double>::max());
}

TEST(JsonNumbers, WhatIsTooSmallIsZero) {
    EXPECT_EQ(parse("1e-400")->as_double(), 0.0);
    EXPECT_TRUE(std::signbit(parse("-1e-400")->as_double()));
    EXPECT_EQ(parse("0." + std::string(500, '0') + "1")->as_double(), 0.0);
    EXPECT_EQ(parse("5e-324")->as_double(), std::numeric_limits<double>::denorm_min());
}

// The hard cases of decimal conversion, where a parser that multiplies by a power of ten is wrong.
TEST(JsonNumbers, DoublesAreReadExactly) {
    EXPECT_EQ(parse("9007199254740993.0")->as_double(), 9007199254740992.0);
    EXPECT_EQ(parse("1.7976931348623158e308")->as_double(), std::numeric_limits<double>::max());
    EXPECT_EQ(parse("2.2250738585072011e-308")->as_double(), 2.2250738585072011e-308);
    EXPECT_EQ(parse("8.41e21")->as_double(), 8.41e21);
    EXPECT_EQ(parse("0.1000000000000000055511151231257827021181583404541015625")->as_double(), 0.1);
    EXPECT_EQ(parse("123456789012345678901234567890.5e-10")->as_double(),
              123456789012345678901234567890.5e-10);
}

TEST(JsonNumbers, DoublesAreWrittenShortAndAsDoubles) {
    const auto written = [](double value) { return json::serialize(Value(value)); };
    EXPECT_EQ(written(1.0), "1.0");
    EXPECT_EQ(written(-0.0), "-0.0");
    EXPECT_EQ(written(0.1), "0.1");
    EXPECT_EQ(written(100000.0), "100000.0");
    EXPECT_EQ(written(-999999999999999.0), "-999999999999999.0");
    EXPECT_EQ(written(1e15), "1e+15");
    EXPECT_EQ(written(9007199254740993.0), "9.007199254740992e+15");
    EXPECT_EQ(written(2.5e-7), "2.5e-07");
    EXPECT_EQ(written(5e-324), "5e-324");
    EXPECT_EQ(written(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

RC_GTEST_PROP(JsonNumbers, EveryFiniteDoubleReadsBackAsItself, (std::uint64_t bits)) {
    const auto value = std::bit_cast<double>(bits);
    RC_PRE(std::isfinite(value));
    const Value read = *parse(json::serialize(Value(value)));
    RC_ASSERT(read.is_double());
    RC_ASSERT(std::bit_cast<std::uint64_t>(read.get_double()) == bits);
}

std::string random_text() {
    std::string text;
    for (const auto c : *rc::gen::container<std::vector<std::uint32_t>>(
             rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 0x80),
                            rc::gen::inRange<std::uint32_t>(0x80, 0xD800),
                            rc::gen::inRange<std::uint32_t>(0xE000, 0x110000))))
        utf8::append(text, c);
    return text;
}

Value random_value(int depth) {
    switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
        case 0: return nullptr;
        case 1: return *rc::gen::arbitrary<bool>();
        case 2: return *rc::gen::arbitrary<std::int64_t>();
        case 3: return std::numeric_limits<std::uint64_t>::max() - *rc::gen::inRange(0u, 1000u);
        case 4: return *rc::gen::arbitrary<double>();
        case 5: return Value(random_text());
        case 6: {
            Array array;
            for (int i = *rc::gen::inRange(0, 5); i > 0; --i)
                array.push_back(random_value(depth - 1));
            return array;
        }
        default: {
            Object object;
            for (int i = *rc::gen::inRange(0, 5); i > 0; --i)
                object[random_text()] = random_value(depth - 1);
            return object;
        }
    }
}

RC_GTEST_PROP(JsonRoundTrip, AnyDocumentReadsBackAsItself, ()) {
    const Value value = random_value(4);
    const std::string text = json::serialize(value);
    const auto read = parse(text);
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == value);
    RC_ASSERT(json::serialize(*read) == text);
}

RC_GTEST_PROP(JsonRoundTrip, AnyTextReadsBackFromItsQuotedForm, ()) {
    const std::string text = random_text();
    const auto read = parse(json::quoted(text));
    RC_ASSERT(read.has_value());
    RC_ASSERT(std::string_view(read->as_string()) == text);
}

// Any byte may end a run that is scanned eight at a time, so each is tried at each position.
TEST(JsonQuoted, EscapesAreFoundAtEveryOffset) {
    for (int byte = 0; byte < 0x80; ++byte) {
        for (std::size_t at = 0; at < 24; ++at) {
            std::string text(24, 'x');
            text[at] = static_cast<char>(byte);
            ASSERT_EQ(parse(json::quoted(text))->as_string(), text) << byte << " at " << at;
        }
    }
    EXPECT_EQ(json::quoted("\"\\/\b\f\n\r\t\x01\x1f\x7f"),
              "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    EXPECT_EQ(json::quoted("\xE2\x80\xA8é"), "\"\xE2\x80\xA8é\"");
    EXPECT_EQ(json::quoted(std::string_view("\0", 1)), "\"\\u0000\"");
}

TEST(JsonParseInto, TheValueLivesInTheGivenStorage) {
    std::array<unsigned char, 4096> buffer;
    boost::json::monotonic_resource arena(buffer.data(), buffer.size());
    const auto value =
        parse_into(R"({"a":["a string that is too long to be held inline"]})", &arena);
    ASSERT_TRUE(value);
    EXPECT_EQ(value->storage().get(), &arena);
    EXPECT_EQ(value->at("a").at(0).storage().get(), &arena);
}

TEST(JsonWriter, PlacesCommasAndColons) {
    std::string out = "data: ";
    Writer writer(out);
    writer.begin_object()
        .field("a", "x\ny")
        .field_int("b", -5)
        .field_bool("c", true)
        .key("d")
        .begin_array()
        .end_array()
        .key("e")
        .begin_array()
        .number(std::uint64_t{7})
        .number(2.0)
        .null()
        .begin_object()
        .end_object()
        .value(*parse(R"([{"k":[1,{}]},"s"])"))
        .raw("{ }")
        .string("")
        .end_array()
        .key("f")
        .boolean(false)
        .end_object();
    EXPECT_EQ(out, R"(data: {"a":"x\ny","b":-5,"c":true,"d":[],)"
                   R"("e":[7,2.0,null,{},[{"k":[1,{}]},"s"],{ },""],"f":false})");
}

TEST(JsonWriter, MembersOfAnotherObjectJoinTheOneInHand) {
    std::string out;
    Writer(out)
        .begin_object()
        .members("{}")
        .members(R"({"a":1,"b":[]})")
        .field("c", "x")
        .members("{}")
        .members(R"({"d":{}})")
        .end_object();
    EXPECT_EQ(out, R"({"a":1,"b":[],"c":"x","d":{}})");
}

// Texts are gathered before they go into the string: none may be lost or changed where the room for
// that ends.
TEST(JsonWriter, TextsOfEveryLengthComeOutWhole) {
    for (std::size_t size = 0; size < 1200; ++size) {
        const std::string plain(size, 'x');
        std::string out;
        Writer writer(out);
        writer.begin_object();
        for (const std::string name : {"first", "second"}) {
            writer.field(name, plain).key(plain + name).string("\t" + plain);
            writer.key("plain").raw('"' + plain + '"').field("escaped", plain + '"');
        }
        writer.end_object();
        std::string want;
        for (const std::string name : {"first", "second"}) {
            want += want.empty() ? "{" : ",";
            want += '"' + name + "\":\"" + plain + "\",\"" + plain + name + "\":\"\\t" + plain;
            want += "\",\"plain\":\"" + plain + "\",\"escaped\":\"" + plain + "\\\"\"";
        }
        ASSERT_EQ(out, want + "}") << size;
    }
}

TEST(JsonWriter, EscapesAreFoundAnywhere) {
    for (std::size_t size = 1; size < 40; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            std::string text(size, '~');
            text[at] = '"';
            std::string out;
            Writer(out).string(text);
            EXPECT_EQ(out, '"' + text.substr(0, at) + "\\\"" + text.substr(at + 1) + '"');
            EXPECT_EQ(json::quoted(text), out);
        }
    }
}

TEST(JsonWriter, NestsSixtyFourLevels) {
    std::string out;
    Writer writer(out);
    for (int i = 0; i < 32; ++i) writer.begin_array().begin_object().key("k");
    writer.null();
    for (int i = 0; i < 32; ++i) writer.end_object().end_array();
    EXPECT_TRUE(parse(out, {.depth_max = 64}));
}

TEST(JsonWriterDeathTest, BrokenPairingIsOurBug) {
    std::string out;
    EXPECT_DEATH(Writer(out).begin_object().string("no key"), "assertion failed");
    EXPECT_DEATH(Writer(out).begin_object().key("a").key("b"), "assertion failed");
    EXPECT_DEATH(Writer(out).begin_object().key("a").end_object(), "assertion failed");
    EXPECT_DEATH(Writer(out).begin_object().end_array(), "assertion failed");
    EXPECT_DEATH(Writer(out).begin_array().key("a"), "assertion failed");
    EXPECT_DEATH(Writer(out).end_array(), "assertion failed");
    EXPECT_DEATH(Writer(out).null().null(), "assertion failed");
    EXPECT_DEATH(Writer(out).number(std::nan("")), "assertion failed");
}

TEST(JsonPath, IsAPointerWithItsEscapes) {
    const Path root;
    EXPECT_EQ(root.str(), "");
    const Path questions = root / "questions";
    const Path first = questions / 0;
    EXPECT_EQ((first / "options" / 12 / "label").str(), "/questions/0/options/12/label");
    EXPECT_EQ((root / "a/b" / "m~n" / "").str(), "/a~1b/m~0n/");
}

}  // namespace
}  // namespace parley::json
