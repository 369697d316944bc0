// SPDX-License-Identifier: Apache-2.0
#include "term/grid.h"

#include <gtest/gtest.h>

#include "term/test_grid.h"

namespace parley {
namespace {

TEST(Grid, TextIsClippedAtTheEdgesAndNeverWraps) {
    Grid grid(4, 2);
    EXPECT_EQ(grid.put({0, 2}, "abcd"), 6);
    EXPECT_EQ(grid.put({1, 3}, "界"), 5) << "half of a wide character is not shown";
    grid.put({7, 0}, "nowhere");
    EXPECT_EQ(text_of(grid), "  ab\n\n");
}

TEST(Grid, WideCharactersTakeTwoCellsAndAreOverwrittenWhole) {
    Grid grid(6, 1);
    grid.put({0, 0}, "界面");
    EXPECT_EQ(grid.at(0, 0).width, 2);
    EXPECT_EQ(grid.at(0, 1).width, 0);
    grid.put({0, 1}, "x");
    EXPECT_EQ(text_of(grid), " x面\n");
    grid.put({0, 2}, "y");
    EXPECT_EQ(text_of(grid), " xy\n");
}

TEST(Grid, ClustersStayTogether) {
    Grid grid(6, 1);
    grid.put({0, 0}, "e\u0301👩‍💻x");
    EXPECT_EQ(grid.at(0, 0).text, "e\u0301");
    EXPECT_EQ(grid.at(0, 1).text, "👩‍💻");
    EXPECT_EQ(grid.at(0, 3).text, "x");
    EXPECT_EQ(grid.used_columns(0), 4);
}

// Terminals move on for each of these vowels: what takes fewer cells here is overwritten there.
TEST(Grid, SpacingMarksHaveACellOfTheirOwn) {
    Grid grid(12, 3);
    EXPECT_EQ(grid.put({0, 0}, "देवनागरी"), 7);
    EXPECT_EQ(grid.at(0, 2).text, "ना");
    EXPECT_EQ(grid.at(0, 2).width, 2);
    EXPECT_EQ(grid.put({1, 0}, "தமிழ்"), 4);
    EXPECT_EQ(grid.put({2, 0}, "ខ្មែរ"), 4);
    EXPECT_EQ(text_of(grid), "देवनागरी\nதமிழ்\nខ្មែរ\n");
    grid.put({0, 3}, "x");
    EXPECT_EQ(text_of(grid), "देव xगरी\nதமிழ்\nខ្មែរ\n") << "a letter goes whole with its vowel";
}

TEST(Grid, SpansFollowOneAnother) {
    Grid grid(8, 1);
    const Line line = {{"ab", {.is_bold = true}}, {"cd", {}}};
    EXPECT_EQ(grid.put({0, 1}, line), 5);
    EXPECT_TRUE(grid.at(0, 2).style.is_bold);
    EXPECT_FALSE(grid.at(0, 3).style.is_bold);
    EXPECT_EQ(line_width(line), 4);
}

}  // namespace
}  // namespace parley
