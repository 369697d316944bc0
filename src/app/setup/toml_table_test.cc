// SPDX-License-Identifier: Apache-2.0
#include "app/setup/toml_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::app {
namespace {

using testing::HasSubstr;

const std::vector<TomlEntry> kEntries = {{"command", "\"parley\""}, {"args", "[\"mcp\"]"}};
constexpr std::string_view kTable = "servers.parley";

Result<std::string> set(std::string_view text) {
    return set_toml_table(text, kTable, kEntries);
}

TEST(TomlTable, IsAddedAfterWhatIsThere) {
    EXPECT_EQ(set("").value_or(""), "[servers.parley]\ncommand = \"parley\"\nargs = [\"mcp\"]\n");
    EXPECT_EQ(set("model = 'x'  # mine\n").value_or(""),
              "model = 'x'  # mine\n\n"
              "[servers.parley]\ncommand = \"parley\"\nargs = [\"mcp\"]\n");
    EXPECT_THAT(set("a = 1").value_or(""), HasSubstr("a = 1\n\n[servers.parley]\n"));
}

TEST(TomlTable, AgainChangesNothing) {
    for (const std::string_view before :
         {"", "a = 1\n", "[servers.parley]\nargs=['mcp'] # so\ncommand = 'parley'\n[other]\n"}) {
        const auto once = set(before);
        ASSERT_TRUE(once) << before;
        EXPECT_EQ(set(*once).value_or("refused"), *once);
    }
    constexpr std::string_view kMine = "[servers.parley]\nargs=['mcp'] # so\ncommand = 'parley'\n";
    EXPECT_EQ(set(kMine).value_or(""), kMine);
}

TEST(TomlTable, KeepsEveryLineThatIsNotItsOwn) {
    const auto after =
        set("# top\n[servers.other]\ncommand = 'o'\n\n[servers.parley]\n# why\ncommand = 'old'\n"
            "env = { A = '1' }\n\n[servers.parley.more]\nargs = ['stay']\n");
    EXPECT_EQ(after.value_or(""),
              "# top\n[servers.other]\ncommand = 'o'\n\n[servers.parley]\nargs = [\"mcp\"]\n"
              "# why\ncommand = \"parley\"\n"
              "env = { A = '1' }\n\n[servers.parley.more]\nargs = ['stay']\n");
}

TEST(TomlTable, IsTakenOutAsIfItHadNeverBeenThere) {
    for (const std::string_view before :
         {"", "a = 1\n", "# top\n[servers.other]\ncommand = 'o'\n"}) {
        const auto with = set(before);
        ASSERT_TRUE(with) << before;
        EXPECT_EQ(without_toml_table(*with, "servers.parley").value_or("refused"), before);
    }
    EXPECT_EQ(without_toml_table("[servers.parley]\nx = 1\n[servers.parley.env]\nA = '1'\n\n[z]\n",
                                 "servers.parley")
                  .value_or("refused"),
              "[z]\n");
    EXPECT_FALSE(
        without_toml_table("servers = { parley = { command = 'x' } }\n", "servers.parley"));
}

TEST(TomlTable, RefusesWhatItCannotChangeLineByLine) {
    const auto broken = set("a = 1\nb = \n");
    ASSERT_FALSE(broken);
    EXPECT_THAT(broken.error().message, HasSubstr("line 2"));
    EXPECT_FALSE(set("servers = { parley = { command = 'x' } }\n"));
    EXPECT_FALSE(set("[servers]\nparley.command = 'x'\n"));
    EXPECT_FALSE(set("[servers.parley]\nargs = [\n  'x',\n]\n"));
}

}  // namespace
}  // namespace parley::app
