// SPDX-License-Identifier: Apache-2.0
// Searching as people type: any case of any script, words in any order.
#include "text/fold.h"

#include <gtest/gtest.h>

namespace parley {
namespace {

TEST(FoldCase, IsTheSameForEitherCaseOfEveryScript) {
    EXPECT_EQ(fold_case("ABC xyz 1.3"), "abc xyz 1.3");
    EXPECT_EQ(fold_case("ÄÖÜ"), fold_case("äöü"));
    EXPECT_EQ(fold_case("ΣΊΣΥΦΟΣ"), fold_case("σίσυφος"));
    EXPECT_EQ(fold_case("ЁЖ"), fold_case("ёж"));
    EXPECT_EQ(fold_case("A\u0308"), fold_case("ä")) << "however the letter is put together";
    EXPECT_EQ(fold_case("\xff"
                        "A"),
              "\xff"
              "A")
        << "bytes that are no text stay";
}

TEST(WordSearch, FindsWordsInAnyOrder) {
    const auto finds = [](std::string_view wanted, std::string_view text) {
        return WordSearch(wanted).finds_in(text);
    };
    EXPECT_TRUE(finds("", "anything"));
    EXPECT_TRUE(finds("  ", "anything"));
    EXPECT_TRUE(finds("west eu", "eu-west-1"));
    EXPECT_TRUE(finds("router 3.", "Upgrade the router to 3.1"));
    EXPECT_TRUE(finds("ÜBER 2", "2 Stück über alles"));
    EXPECT_FALSE(finds("2.3", "1.3.0"));
    EXPECT_FALSE(finds("eu east", "eu-west-1"));
}

}  // namespace
}  // namespace parley
