// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/properties_test.h"

namespace parley::utf8 {
namespace {

TEST(Utf8, EveryScalarValueReadsBack) {
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c == 0xD800) c = 0xE000;
        std::string text;
        append(text, c);
        const Scalar read = next(text);
        ASSERT_TRUE(read.valid);
        ASSERT_EQ(read.value, c);
        ASSERT_EQ(read.bytes, text.size());
        ASSERT_TRUE(is_valid(text));
        for (std::size_t cut = 1; cut < text.size(); ++cut) {
            ASSERT_FALSE(is_valid(std::string_view(text).substr(0, cut)));
            ASSERT_FALSE(is_valid(std::string_view(text).substr(cut)));
        }
    }
}

// All pairs of first and second byte, followed by good continuation bytes, against the definition.
TEST(Utf8, OverlongFormsSurrogatesAndHighValuesAreInvalid) {
    for (unsigned first = 0x80; first <= 0xFF; ++first) {
        for (unsigned second = 0; second <= 0xFF; ++second) {
            const char bytes[] = {static_cast<char>(first), static_cast<char>(second), '\x80',
                                  '\x80'};
            const Scalar read = next({bytes, 4});
            bool expected = second >= 0x80 && second <= 0xBF && first >= 0xC2 && first <= 0xF4;
            if (first == 0xE0) expected = expected && second >= 0xA0;
            if (first == 0xED) expected = expected && second <= 0x9F;
            if (first == 0xF0) expected = expected && second >= 0x90;
            if (first == 0xF4) expected = expected && second <= 0x8F;
            ASSERT_EQ(read.valid, expected) << first << ' ' << second;
            if (!expected) {
                ASSERT_EQ(read.bytes, 1u);
                ASSERT_EQ(read.value, 0xFFFDu);
            }
        }
    }
}

TEST(Utf8, TheFirstInvalidByteIsFoundWhereverItStands) {
    for (std::size_t at = 0; at < 40; ++at) {
        std::string text(40, 'x');
        text[at] = '\xff';
        ASSERT_EQ(find_invalid(text), at);
    }
    EXPECT_EQ(find_invalid("é\xC3"), 2u);
    EXPECT_EQ(find_invalid("aé😀\xE2\x82z"), 7u);
    EXPECT_EQ(find_invalid(""), std::nullopt);
    EXPECT_EQ(next("").bytes, 0u);
}

RC_GTEST_PROP(Utf8, ScalarsCoverEveryByteOfAnyInput, (const std::string& bytes)) {
    std::size_t at = 0;
    bool valid = true;
    std::size_t count = 0;
    while (at < bytes.size()) {
        const Scalar scalar = next(std::string_view(bytes).substr(at));
        RC_ASSERT(scalar.bytes > 0u);
        valid = valid && scalar.valid;
        at += scalar.bytes;
        ++count;
    }
    RC_ASSERT(at == bytes.size());
    RC_ASSERT(valid == is_valid(bytes));
    RC_ASSERT(count == count_scalars(bytes));
}

TEST(Utf8, AClusterIsWhatAPersonCallsOneCharacter) {
    const std::vector<std::string> clusters = {
        "a",
        "é",
        "e\u0301",
        "\r\n",
        "👨‍👩‍👧",
        "🇩🇪",
        "👍🏽",
        "1️⃣",
        "한",
        "각",
        "❤️",
        "ก็",
        "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
        "\n"};
    std::string all;
    for (const std::string& cluster : clusters) {
        EXPECT_EQ(cluster_bytes(cluster), cluster.size()) << cluster;
        EXPECT_EQ(cluster_bytes(cluster + "x"), cluster.size()) << cluster;
        all += cluster;
    }
    EXPECT_EQ(count_clusters(all), clusters.size());
    EXPECT_EQ(count_clusters("🇩🇪🇫🇷🇮"), 3u);
    EXPECT_EQ(cluster_bytes(""), 0u);
}

}  // namespace
}  // namespace parley::utf8
