// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

DescribedCommand pour(bool* hot) {
    return {.name = "tea pour",
            .summary = "Pour tea",
            .spec = {.about = "Pours.\n.TH is no request, and \\fB is no bold.",
                     .options = {{.names = "-h,--hot",
                                  .help = "As hot as it is",
                                  .target = hot,
                                  .setting = "tea.hot"}},
                     .examples = {{"parley tea pour --hot", "A hot one."}}}};
}

TEST(Manual, TakesNoTextForARequest) {
    bool hot = false;
    const std::string page = man_page(pour(&hot), {}, {.version = "1.2.3", .date = "2026-01-02"});
    EXPECT_THAT(page, HasSubstr(".TH PARLEY\\-TEA\\-POUR 1 \"2026-01-02\" \"Parley 1.2.3\""));
    EXPECT_THAT(page, HasSubstr("\n\\&.TH is no request, and \\efB is no bold."));
    EXPECT_THAT(page, HasSubstr("\\fB\\-h, \\-\\-hot\\fR\nAs hot as it is. Setting: tea.hot. "
                                "Variable: PARLEY_TEA_HOT."));
    EXPECT_THAT(page, HasSubstr("parley tea pour \\-\\-hot\n.fi"));
}

TEST(Manual, ListsEveryCommandByItsPage) {
    bool hot = false;
    const std::string page = man_overview({pour(&hot)}, {}, {.version = "1.2.3", .date = {}});
    EXPECT_THAT(page, HasSubstr("\\fBparley\\-tea\\-pour\\fR(1)\nPour tea."));
}

TEST(Manual, KeepsTablesOfTheReferenceWhole) {
    bool hot = false;
    DescribedCommand command = pour(&hot);
    command.spec.options.front().help = "a | b\nc";
    const std::string page = reference_page({command}, {});
    EXPECT_THAT(page, HasSubstr("## parley tea pour\n"));
    EXPECT_THAT(page, HasSubstr("| `-h, --hot` | a \\| b c. | `tea.hot`, `PARLEY_TEA_HOT` |\n"));
    EXPECT_THAT(page, Not(HasSubstr("usage:")));
}

}  // namespace
}  // namespace parley::app
