// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/completions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_line/help.h"

namespace parley::app {
namespace {

using ::testing::HasSubstr;

struct Fixture {
    bool is_on = false;
    std::optional<std::string> text;
    std::vector<std::string> list;

    CommandSpec global() {
        return {
            .about = "",
            .options = {{.names = "--server", .value = "URL", .help = "Where.", .target = &text},
                        {.names = "-h,--help", .help = "Help.", .target = &is_on}}};
    }
    std::vector<DescribedCommand> commands() {
        return {{.name = "ask",
                 .summary = "Ask it's fine",
                 .spec = {.about = "Asks.",
                          .arguments = {{.name = "QUESTION",
                                         .help = "What to ask.",
                                         .target = &text,
                                         .is_required = false}},
                          .options = {{.names = "-o,--option",
                                       .value = "LABEL[::TEXT]",
                                       .help = "A choice. Repeat it.",
                                       .target = &list},
                                      {.names = "--file",
                                       .value = "FILE",
                                       .help = "Questions.",
                                       .target = &text,
                                       .completion = Completion::file}},
                          .examples = {{"parley ask \"Tea?\"", "Asks."}}}},
                {.name = "token create",
                 .summary = "Make one",
                 .spec = {.about = "Makes.",
                          .options = {{.names = "--role",
                                       .value = "ROLE",
                                       .help = "Who.",
                                       .target = &text,
                                       .choices = {"agent", "owner"}}}}}};
    }
};

// What the scripts do is tested with the shells themselves (tests/completions.sh); here is that
// everything of the table is in them.
TEST(Completions, EveryShellKnowsCommandsOptionsAndChoices) {
    Fixture fixture;
    const auto commands = fixture.commands();
    const CommandSpec global = fixture.global();
    const std::string bash = bash_completions(commands, global);
    EXPECT_THAT(bash, HasSubstr("'ask') set -- -W '-o --option --file --server -h --help' ;;"));
    EXPECT_THAT(bash, HasSubstr("'ask --file') asks='' && set -- -f ;;"));
    EXPECT_THAT(bash, HasSubstr("'token') set -- -W 'create' ;;"));
    EXPECT_THAT(bash, HasSubstr("'token create --role') asks='' && set -- -W 'agent owner' ;;"));
    const std::string zsh = zsh_completions(commands, global);
    EXPECT_THAT(zsh, HasSubstr("'ask:Ask it'\\''s fine'"));
    EXPECT_THAT(zsh, HasSubstr("'*--option=[A choice]:LABEL\\[\\:\\:TEXT\\]:'"));
    EXPECT_THAT(zsh, HasSubstr("'--file=[Questions]:FILE:_files'"));
    EXPECT_THAT(zsh, HasSubstr("'--role=[Who]:ROLE:(agent owner)'"));
    const std::string fish = fish_completions(commands, global);
    EXPECT_THAT(fish, HasSubstr("-n __fish_use_subcommand -a ask -d 'Ask it'\\''s fine'"));
    EXPECT_THAT(fish, HasSubstr("-s o -l option -x -d 'A choice'"));
    EXPECT_THAT(fish, HasSubstr("-l file -rF -d 'Questions'"));
    EXPECT_THAT(fish, HasSubstr("-l role -x -a 'agent owner' -d 'Who'"));
}

TEST(Completions, AnAskIsCompletedOnceOrAsOftenAsThereAreAsks) {
    Fixture fixture;
    const ArgumentSpec one{
        .name = "ASK", .help = "Which.", .target = &fixture.text, .completion = Completion::ask};
    ArgumentSpec many = one;
    many.target = &fixture.list;
    const std::vector<DescribedCommand> commands = {
        {.name = "show", .summary = "Show it", .spec = {.about = "", .arguments = {one}}},
        {.name = "wait", .summary = "Wait", .spec = {.about = "", .arguments = {many}}}};
    const std::string bash = bash_completions(commands, {});
    EXPECT_THAT(bash, HasSubstr("'show') asks=one && set -- "));
    EXPECT_THAT(bash, HasSubstr("'wait') asks=many && set -- "));
    const std::string zsh = zsh_completions(commands, {});
    EXPECT_THAT(zsh, HasSubstr("':ASK:_parley_asks'"));
    EXPECT_THAT(zsh, HasSubstr("'*:ASK:_parley_asks'"));
    const std::string fish = fish_completions(commands, {});
    EXPECT_THAT(fish, HasSubstr("-n '__fish_seen_subcommand_from show; and not __parley_has_ask' "
                                "-k -a '(__parley_asks)'"));
    EXPECT_THAT(fish, HasSubstr("-n '__fish_seen_subcommand_from wait' -k -a '(__parley_asks)'"));
}

TEST(Help, ShowsUsageOptionsAndExamples) {
    Fixture fixture;
    EXPECT_EQ(command_help("ask", fixture.commands().front().spec, fixture.global(), {}),
              R"(Asks.

usage: parley ask [OPTIONS] [QUESTION]

arguments:
  QUESTION                What to ask.

options:
  -o, --option LABEL[::TEXT]
                          A choice. Repeat it.
      --file FILE         Questions.

options of every command:
      --server URL        Where.
  -h, --help              Help.

examples:
  parley ask "Tea?"
      Asks.
)");
}

}  // namespace
}  // namespace parley::app
