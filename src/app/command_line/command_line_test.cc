// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/command_line.h"

#include <gtest/gtest.h>

namespace parley::app {
namespace {

using Texts = std::vector<std::string>;

struct Tool {
    std::optional<std::string> question;
    Texts rest;
    Texts options;
    std::optional<std::string> header;
    bool is_multi = false;

    CommandSpec spec() {
        return {.about = "For tests.",
                .arguments = {{.name = "QUESTION", .help = "", .target = &question},
                              {.name = "REST", .help = "", .target = &rest, .is_required = false}},
                .options = {{.names = "-o,--option", .value = "X", .help = "", .target = &options},
                            {.names = "--header", .value = "X", .help = "", .target = &header},
                            {.names = "-m,--multi", .help = "", .target = &is_multi}}};
    }
    Result<GivenOptions> parse(Texts arguments) {
        return parse_arguments(spec(), std::move(arguments));
    }
    std::string fault(Texts arguments) {
        auto given = parse(std::move(arguments));
        return given ? "" : given.error().message;
    }
};

TEST(CommandLine, OptionsAndArgumentsMayComeInAnyOrder) {
    Tool tool;
    const auto given = tool.parse({"-o", "a", "What?", "--option=b", "-oc", "--multi", "more"});
    ASSERT_TRUE(given) << given.error().message;
    EXPECT_EQ(tool.options, (Texts{"a", "b", "c"}));
    EXPECT_EQ(tool.question, "What?");
    EXPECT_EQ(tool.rest, Texts{"more"});
    EXPECT_TRUE(tool.is_multi);
    EXPECT_EQ(*given, (GivenOptions{"--multi", "--option"}));
}

// Labels are anybody's text: they may look like options, lists or nothing.
TEST(CommandLine, AValueIsTakenAsItIs) {
    Tool tool;
    ASSERT_TRUE(
        tool.parse({"-o", "--multi", "-o", "[a,b]", "-o", "", "-o", "-", "--header=", "Q"}));
    EXPECT_EQ(tool.options, (Texts{"--multi", "[a,b]", "", "-"}));
    EXPECT_EQ(tool.header, "");
    EXPECT_EQ(tool.question, "Q");
    EXPECT_FALSE(tool.is_multi);
}

TEST(CommandLine, AfterTwoDashesEverythingIsAnArgument) {
    Tool tool;
    ASSERT_TRUE(tool.parse({"-m", "--", "-1?", "--", "[x]"}));
    EXPECT_EQ(tool.question, "-1?");
    EXPECT_EQ(tool.rest, (Texts{"--", "[x]"}));
}

TEST(CommandLine, ShortSwitchesMayStandTogetherBeforeAValue) {
    Tool tool;
    ASSERT_TRUE(tool.parse({"-moA", "-mo", "B", "Q", "++", "-"}));
    EXPECT_TRUE(tool.is_multi);
    EXPECT_EQ(tool.options, (Texts{"A", "B"}));
    EXPECT_EQ(tool.question, "Q");
    EXPECT_EQ(tool.rest, (Texts{"++", "-"}));
    EXPECT_EQ(Tool().fault({"-mx", "Q"}), "there is no option -x");
    EXPECT_EQ(Tool().fault({"Q", "-mo"}), "-o needs a value");
    EXPECT_EQ(Tool().fault({"Q", "-header", "x"}),
              "there is no option -header; did you mean --header?");
}

TEST(CommandLine, TheLastMentionOfASwitchCounts) {
    Tool tool;
    ASSERT_TRUE(tool.parse({"-m", "--multi=false", "Q"}));
    EXPECT_FALSE(tool.is_multi);
    EXPECT_EQ(Tool().fault({"Q", "--multi="}), "--multi: expected true or false, not \"\"");
}

TEST(CommandLine, OnlyAChoiceIsTakenWhereThereAreChoices) {
    std::optional<std::string> role;
    const CommandSpec spec{.about = "",
                           .options = {{.names = "--role",
                                        .value = "X",
                                        .help = "",
                                        .target = &role,
                                        .choices = {"agent", "person", "as="}}}};
    ASSERT_TRUE(parse_arguments(spec, {"--role=agent"}));
    EXPECT_EQ(role, "agent");
    ASSERT_TRUE(parse_arguments(spec, {"--role", "as=ada"}));
    EXPECT_EQ(role, "as=ada");
    EXPECT_EQ(parse_arguments(spec, {"--role", "king"}).error().message,
              "--role must be agent, person or as=, not \"king\"");
    EXPECT_EQ(role, "as=ada");
}

TEST(CommandLine, FaultsNameTheArgumentAndTheFix) {
    EXPECT_EQ(Tool().fault({"Q", "--headr", "x"}),
              "there is no option --headr; did you mean --header?");
    EXPECT_EQ(Tool().fault({"Q", "--colour=red"}), "there is no option --colour");
    EXPECT_EQ(Tool().fault({"Q", "--header"}), "--header needs a value");
    EXPECT_EQ(Tool().fault({"Q", "--header", "a", "--header", "b"}),
              "--header is given 2 times; give it once");
    EXPECT_EQ(Tool().fault({"Q", "--multi=maybe"}),
              "--multi: expected true or false, not \"maybe\"");
}

TEST(CommandLine, TooManyAndTooFewArgumentsAreFaults) {
    std::optional<std::string> one;
    const CommandSpec spec{.about = "", .arguments = {{.name = "ONE", .help = "", .target = &one}}};
    EXPECT_EQ(parse_arguments(spec, {"Which", "one?"}).error().message,
              "unexpected argument \"one?\"; put a text that contains spaces in quotes");
    EXPECT_EQ(parse_arguments({.about = ""}, {"x"}).error().message, "unexpected argument \"x\"");
    one.reset();
    EXPECT_EQ(check_required(spec).error().message, "ONE is missing");
    one = "";
    EXPECT_TRUE(check_required(spec));
}

TEST(CommandLine, TheNearestWordIsSuggestedIfItIsNear) {
    const Texts names = {"ask", "answer", "completions"};
    EXPECT_EQ(nearest("aks", names), "ask");
    EXPECT_EQ(nearest("asks", names), "ask");
    EXPECT_EQ(nearest("anwser", names), "answer");
    EXPECT_EQ(nearest("comp", names), "completions");
    EXPECT_EQ(nearest("zzz", names), "");
    EXPECT_EQ(nearest("", names), "");
}

}  // namespace
}  // namespace parley::app
