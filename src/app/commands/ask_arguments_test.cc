// SPDX-License-Identifier: Apache-2.0
#include "app/commands/ask_arguments.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace parley::app {
namespace {

using namespace std::chrono_literals;

// A file that lives as long as the test.
class TestFile {
public:
    explicit TestFile(std::string_view text)
        : path_(::testing::TempDir() + "parley-" + std::to_string(::getpid()) + ".json") {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~TestFile() { std::filesystem::remove(path_); }
    TestFile(const TestFile&) = delete;
    TestFile& operator=(const TestFile&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

AskSpec spec_of(const AskArguments& arguments) {
    const auto request = make_ask_request(arguments);
    EXPECT_TRUE(request) << request.error().message;
    return request ? request->spec : AskSpec{};
}

std::string fault_of(const AskArguments& arguments) {
    const auto request = make_ask_request(arguments);
    return request ? "" : request.error().message;
}

TEST(AskArguments, FlagsMakeAQuestion) {
    const auto request = make_ask_request({.question = "Which?",
                                           .options = {"A::first", "B"},
                                           .header = "Pick",
                                           .is_multi = true,
                                           .no_other = true,
                                           .session = "s",
                                           .key = "k",
                                           .timeout = "10m",
                                           .on_timeout = {"default=B", "default=A"},
                                           .no_dismiss = true});
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->session, "s");
    const AskSpec& spec = request->spec;
    EXPECT_EQ(spec.questions, (std::vector<Question>{{.text = "Which?",
                                                      .header = "Pick",
                                                      .options = {{"A", "first"}, {"B", ""}},
                                                      .multi_select = true,
                                                      .custom = false}}));
    EXPECT_EQ(spec.key, "k");
    EXPECT_EQ(spec.timeout, 10min);
    EXPECT_EQ(spec.default_answers, (Answers{{.selected = {"A", "B"}}}));
    EXPECT_FALSE(spec.dismissible);
}

TEST(AskArguments, FlagsSayWhatIsWantedOfTheAnswer) {
    const AskSpec spec = spec_of({.question = "Which?",
                                  .options = {"A", "B", "C"},
                                  .is_multi = true,
                                  .marked = {"B", "else"},
                                  .min = "1",
                                  .max = "2",
                                  .is_optional = true});
    const Question& question = spec.questions.front();
    EXPECT_EQ(question.min, 1);
    EXPECT_EQ(question.max, 2);
    EXPECT_EQ(question.required, false);
    EXPECT_EQ(*question.preset, (Answer{.selected = {"B"}, .other = "else"}));
    EXPECT_EQ(fault_of({.question = "Which?", .min = "few"}),
              "--min few: how many? give a whole number");
    EXPECT_EQ(fault_of({.question = "Which?", .is_required = true, .is_optional = true}),
              "--required and --optional contradict each other");
    EXPECT_NE(fault_of({.question = "Which?", .options = {"A", "B"}, .max = "2"}).find("--max: "),
              std::string::npos);
}

TEST(AskArguments, AnOptionIsSplitAtItsFirstColons) {
    EXPECT_EQ(split_option("A"), (Option{"A", ""}));
    EXPECT_EQ(split_option("A::b::c"), (Option{"A", "b::c"}));
    EXPECT_EQ(split_option(" A :: b "), (Option{"A", "b"}));
    EXPECT_EQ(split_option("std\\::map::ordered"), (Option{"std::map", "ordered"}));
    EXPECT_EQ(split_option("A:b"), (Option{"A:b", ""}));
    EXPECT_EQ(split_option("::b"), (Option{"", "b"}));
}

TEST(AskArguments, FaultsAreToldByTheirFlag) {
    EXPECT_EQ(fault_of({}), "QUESTION is missing; write it in quotes, or give --file FILE");
    EXPECT_EQ(
        fault_of({.question = " ", .options = {"A", "", "A"}, .key = "\x1b"}),
        "this cannot be asked:\n"
        "  QUESTION: the question is empty; give it some text\n"
        "  --option 2: the label is empty; give it some text\n"
        "  --option 3: the label is the same as that of option 1; give each option a label "
        "of its own\n"
        "  --key: the key contains U+001B ESCAPE at byte 0, which cannot be shown; remove it");
    EXPECT_EQ(fault_of({.question = "Q", .no_other = true}),
              "this cannot be asked:\n"
              "  --no-other: there are no options and free text is switched off, so nobody could "
              "answer; add options or allow free text");
    EXPECT_EQ(fault_of({.question = "Q", .header = "A much longer header", .strict_header = true}),
              "this cannot be asked:\n"
              "  --header: the header has 20 characters, but at most 12 are allowed; shorten it");
}

TEST(AskArguments, TimersAreRead) {
    EXPECT_EQ(fault_of({.question = "Q", .timeout = "soon"}).substr(0, 11), "--timeout: ");
    EXPECT_EQ(fault_of({.question = "Q", .on_timeout = {"default=x"}}),
              "--on-timeout needs a --timeout");
    EXPECT_EQ(fault_of({.question = "Q", .timeout = "1m", .on_timeout = {"maybe"}}),
              "--on-timeout \"maybe\": expected deny or default=LABEL");
    for (const bool no_other : {true, false}) {
        EXPECT_EQ(fault_of({.question = "Q",
                            .options = {"A", "B"},
                            .no_other = no_other,
                            .timeout = "1m",
                            .on_timeout = {"default=C"}}),
                  "--on-timeout: \"C\" is not one of the options; choose \"A\" or \"B\"");
    }
    EXPECT_EQ(spec_of({.question = "Q", .timeout = "1m", .on_timeout = {"deny"}}).default_answers,
              std::nullopt);
    EXPECT_EQ(
        spec_of({.question = "Q", .timeout = "1m", .on_timeout = {"default=own"}}).default_answers,
        (Answers{{.other = "own"}}));
}

TEST(AskArguments, AFileBringsTheQuestionsAndFlagsTheRest) {
    const TestFile file(R"({"questions":[{"question":"A?","options":["x","y"]},
                            {"question":"B?","options":[],"header":"Free"}],"key":"of-file"})");
    const AskSpec spec = spec_of({.key = "of-flag",
                                  .timeout = "2m",
                                  .on_timeout = {"default=x", "default=text"},
                                  .file = file.path()});
    EXPECT_EQ(spec.questions.size(), 2U);
    EXPECT_EQ(spec.key, "of-flag");
    EXPECT_EQ(spec.default_answers, (Answers{{.selected = {"x"}}, {.other = "text"}}));
    EXPECT_EQ(fault_of({.timeout = "2m", .on_timeout = {"default=x"}, .file = file.path()}),
              "--on-timeout default=LABEL is given 1 times for 2 questions; give it once for each "
              "question, in their order");
}

TEST(AskArguments, FaultsOfAFileAreToldByTheirPlaceInIt) {
    const TestFile file(R"({"questions":[{"question":"A?","options":["x","x"]},{"question":""}]})");
    EXPECT_EQ(fault_of({.file = file.path()}),
              "this cannot be asked:\n  " + file.path() +
                  " at /questions/0/options/1/label: the label is the same as that of option 1; "
                  "give each "
                  "option a label of its own\n  " +
                  file.path() +
                  " at /questions/1/question: the question is empty; give it some "
                  "text");
    const TestFile broken("{\"questions\":");
    EXPECT_TRUE(fault_of({.file = broken.path()})
                    .starts_with("this cannot be asked:\n  " + broken.path() + ": "));
}

TEST(AskArguments, AFileAndAQuestionDoNotMix) {
    EXPECT_EQ(fault_of({.question = "Q", .file = "f"}),
              "a QUESTION and --file both say what to ask; put everything into the file, or leave "
              "it out");
    EXPECT_EQ(fault_of({.is_multi = true, .file = "f"}),
              "--multi and --file both say what to ask; put everything into the file, or leave it "
              "out");
}

TEST(AskArguments, AFileThatCannotBeReadIsNamed) {
    EXPECT_EQ(fault_of({.file = "/nonexistent/q.json"}),
              "cannot read /nonexistent/q.json: No such file or directory");
    EXPECT_EQ(fault_of({.question = "Q", .context_file = "/nonexistent/c.md"}),
              "cannot read /nonexistent/c.md: No such file or directory");
}

TEST(AskArguments, ContextComesFromItsFile) {
    const TestFile file("# Plan\r\nDo it.");
    EXPECT_EQ(spec_of({.question = "Q", .context_file = file.path()}).context, "# Plan\nDo it.");
}

}  // namespace
}  // namespace parley::app
