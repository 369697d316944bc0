// SPDX-License-Identifier: Apache-2.0
#include "text/line_diff.h"

#include <gtest/gtest.h>

#include <string>

#include "base/properties_test.h"
#include "text/limits.h"

namespace parley {
namespace {

std::string told(std::string_view before, std::string_view after) {
    std::string text;
    for (const LineChange& change : compare_lines(split_lines(before), split_lines(after))) {
        text += " -+"[static_cast<std::size_t>(change.kind)];
        text += change.line;
        text += '\n';
    }
    return text;
}

TEST(LineDiff, TellsWhatGoesBeforeWhatComes) {
    EXPECT_EQ(told("a\nb\nc", "a\nB\nc"), " a\n-b\n+B\n c\n");
    EXPECT_EQ(told("", "x"), "-\n+x\n");
    EXPECT_EQ(told("same", "same"), " same\n");
    EXPECT_EQ(told("a", "a\n"), " a\n+\n");
}

TEST(LineDiff, LeavesNothingOutOfTextsOverItsLimit) {
    std::string before;
    std::string after;
    const std::size_t lines = limits::kLineTableCells / 900;
    for (std::size_t i = 0; i < lines; ++i) {
        before += "old " + std::to_string(i) + "\n";
        after += "new " + std::to_string(i) + "\n";
    }
    EXPECT_EQ(compare_lines(split_lines(before), split_lines(after)).size(), 2 * lines + 1);
}

RC_GTEST_PROP(LineDiff, BothTextsCanBeReadOffIt, ()) {
    const auto lines = rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "b", "c", ""));
    std::string texts[2];
    for (std::string& text : texts)
        for (const std::string& line : *lines) text += line + "\n";
    std::string before;
    std::string after;
    for (const LineChange& change : compare_lines(split_lines(texts[0]), split_lines(texts[1]))) {
        if (change.kind != LineChange::Kind::added) before.append(change.line) += "\n";
        if (change.kind != LineChange::Kind::removed) after.append(change.line) += "\n";
    }
    RC_ASSERT(before == texts[0] + "\n");
    RC_ASSERT(after == texts[1] + "\n");
}

}  // namespace
}  // namespace parley
