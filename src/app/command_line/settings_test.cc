// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/settings.h"

#include <gtest/gtest.h>

namespace parley::app {
namespace {

const std::vector<std::string> kKnown = {"server", "token", "serve.listen", "serve.allow-origin"};

std::string setting_fault(std::string_view text) {
    const auto file = ConfigFile::parse(text, "config.toml", kKnown);
    return file ? "" : file.error().message;
}

TEST(Settings, TablesAreFlattened) {
    const auto file = ConfigFile::parse(
        "server = \"unix:/a\"\n[serve]\nlisten = \"127.0.0.1:0\"\nallow-origin = [\"a\", \"b\"]\n",
        "config.toml", kKnown);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_NE(file->find("serve.allow-origin"), nullptr);
    EXPECT_EQ(file->find("serve.allow-origin")->values, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(file->find("serve.listen")->place, "config.toml:3:1");
    EXPECT_EQ(file->find("token"), nullptr);
}

TEST(Settings, AKeyThatNobodyKnowsIsAnErrorWithItsPlace) {
    EXPECT_EQ(setting_fault("token = \"x\"\nsevrer = \"y\"\n"),
              "config.toml:2:1: there is no setting \"sevrer\"; did you mean \"server\"?");
    EXPECT_EQ(setting_fault("[serve]\n  colour = true\n"),
              "config.toml:2:3: there is no setting \"serve.colour\"");
    EXPECT_EQ(setting_fault("[web]\nx = 1\n"), "config.toml:1:2: there is no setting \"web\"");
    EXPECT_EQ(setting_fault("server = {url = \"x\"}\n"),
              "config.toml:1:1: the setting \"server\" must be a text, a number, true or false, or "
              "a list of these");
    EXPECT_EQ(setting_fault("server = 2026-01-01\n"),
              "config.toml:1:1: the setting \"server\" must be a text, a number, true or false, or "
              "a list of these");
}

TEST(Settings, AFileThatIsNotTomlIsAnErrorWithItsPlace) {
    EXPECT_EQ(setting_fault("server = \n").substr(0, 18), "config.toml:1:10: ");
    EXPECT_EQ(setting_fault("server = \"a\"\nserver = \"b\"\n").substr(0, 14), "config.toml:2:");
}

TEST(Settings, FlagsWinOverVariablesAndVariablesOverTheFile) {
    std::optional<std::string> server;
    std::optional<std::string> listen;
    std::vector<std::string> origins;
    const CommandSpec spec{
        .about = "",
        .options = {
            {.names = "--server", .value = "X", .help = "", .target = &server, .setting = "server"},
            {.names = "--listen",
             .value = "X",
             .help = "",
             .target = &listen,
             .setting = "serve.listen"},
            {.names = "--allow-origin",
             .value = "X",
             .help = "",
             .target = &origins,
             .setting = "serve.allow-origin"}}};
    const auto file = ConfigFile::parse(
        "server = \"file\"\nserve.listen = \"file\"\nserve.allow-origin = [\"x\", \"y\"]\n", "f",
        kKnown);
    ASSERT_TRUE(file);
    const Environment environment(
        {{"PARLEY_SERVER", "variable"}, {"PARLEY_SERVE_LISTEN", "variable"}});
    server = "flag";
    ASSERT_TRUE(apply_settings(spec, {"--server"}, environment, *file));
    EXPECT_EQ(server, "flag");
    EXPECT_EQ(listen, "variable");
    EXPECT_EQ(origins, (std::vector<std::string>{"x", "y"}));
}

TEST(Settings, AValueThatDoesNotFitNamesWhereItCameFrom) {
    bool is_on = false;
    const CommandSpec spec{
        .about = "",
        .options = {{.names = "--on", .help = "", .target = &is_on, .setting = "server"}}};
    EXPECT_EQ(
        apply_settings(spec, {}, Environment({{"PARLEY_SERVER", "maybe"}}), {}).error().message,
        "PARLEY_SERVER: expected true or false, not \"maybe\"");
    const auto file = ConfigFile::parse("\nserver = [\"1\", \"0\"]\n", "f", kKnown);
    EXPECT_EQ(apply_settings(spec, {}, Environment({}), *file).error().message,
              "f:2:1: expected one value, not 2");
}

TEST(Settings, ChoicesBindTheVariableAndTheFileToo) {
    std::optional<std::string> level;
    const CommandSpec spec{.about = "",
                           .options = {{.names = "--level",
                                        .value = "X",
                                        .help = "",
                                        .target = &level,
                                        .setting = "server",
                                        .choices = {"low", "high"}}}};
    EXPECT_EQ(apply_settings(spec, {}, Environment({{"PARLEY_SERVER", "mid"}}), {}).error().message,
              "PARLEY_SERVER must be low or high, not \"mid\"");
    const auto file = ConfigFile::parse("server = \"high\"\n", "f", kKnown);
    ASSERT_TRUE(apply_settings(spec, {}, Environment({}), *file));
    EXPECT_EQ(level, "high");
}

TEST(Settings, TheFileNeedNotExist) {
    const auto file = ConfigFile::load("/nonexistent/parley/config.toml", kKnown);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->find("server"), nullptr);
    EXPECT_FALSE(ConfigFile::load("/", kKnown)) << "a folder is no file";
}

TEST(Environment, TheLocaleSaysWhetherUtf8IsUnderstood) {
    EXPECT_TRUE(Environment({{"LANG", "en_GB.UTF-8"}}).is_utf8());
    EXPECT_TRUE(Environment({{"LANG", "C"}, {"LC_CTYPE", "C.utf8"}}).is_utf8());
    EXPECT_FALSE(Environment({{"LANG", "C.UTF-8"}, {"LC_ALL", "C"}}).is_utf8());
    EXPECT_FALSE(Environment({{"LANG", "de_DE@euro"}}).is_utf8());
    EXPECT_FALSE(Environment({}).is_utf8());
    EXPECT_TRUE(Environment({{"LC_ALL", ""}, {"LANG", "C.UTF-8"}}).is_utf8());
}

TEST(Environment, FilesAreWhereXdgPutsThem) {
    const Environment set({{"XDG_CONFIG_HOME", "/c"}, {"XDG_RUNTIME_DIR", "/r"}, {"HOME", "/h"}});
    EXPECT_EQ(set.config_file(), "/c/parley/config.toml");
    EXPECT_EQ(set.default_socket(), "/r/parley.sock");
    const Environment home({{"XDG_CONFIG_HOME", "relative"}, {"HOME", "/h"}});
    EXPECT_EQ(home.config_file(), "/h/.config/parley/config.toml");
    EXPECT_EQ(home.default_socket(), "/h/.local/state/parley/parley.sock");
    EXPECT_EQ(Environment({}).config_file(), std::nullopt);
    EXPECT_EQ(Environment({}).default_socket(), std::nullopt);
}

}  // namespace
}  // namespace parley::app
