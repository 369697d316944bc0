// SPDX-License-Identifier: Apache-2.0
// Transcripts: what is printed, with what a person types after each "> ", and how it ended.
#include "prompt/numbered.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/properties_test.h"
#include "core/answers.h"
#include "core/limits.h"
#include "core/model_text.h"
#include "core/questions.h"

namespace parley {
namespace {

using Step = NumberedPrompt::Step;
using Lines = std::vector<std::string>;

std::shared_ptr<const AskSpec> checked(AskSpec spec) {
    auto result = check_spec(std::move(spec), kOpenProfile);
    EXPECT_TRUE(result) << result.error().message;
    return std::make_shared<AskSpec>(std::move(*result));
}

Question database() {
    return {.text = "Which database should we use?",
            .header = "Database",
            .options = {{"PostgreSQL (Recommended)", "Relational DB with rich features"},
                        {"MongoDB", "Document-based NoSQL database"},
                        {"SQLite", "Lightweight embedded database"}}};
}

Question features() {
    return {.text = "Which features should we enable?",
            .header = "Features",
            .options = {{"Dark mode", "Enable dark theme support"},
                        {"Notifications", "Push notification support"},
                        {"Offline mode", "Work without internet connection"}},
            .multi_select = true,
            .custom = false};
}

Question drink() {
    return {.text = "Tea or coffee?", .header = "", .options = {{"Tea", ""}, {"Coffee", ""}}};
}

Question name() {
    return {.text = "What should it be called?", .header = "Name", .options = {}};
}

std::string ending(const Step& step) {
    switch (step.next) {
        case Step::Next::command: return "[command]";
        case Step::Next::read: return "[waits]";
        case Step::Next::give_up: return "[gave up]";
        case Step::Next::edit: return fmt::format("[edits: {}]", step.written);
        case Step::Next::dismiss: return fmt::format("[dismissed: {}]", step.reason.value_or("-"));
        case Step::Next::answer: break;
    }
    std::string text = "[answered:";
    for (const Answer& answer : step.answers) text += fmt::format(" {};", joined_answer(answer));
    text.back() = ']';
    return text;
}

// Feeds the lines until the prompt ends. nullopt stands for the end of the input.
std::string transcript(AskSpec spec, const Lines& lines, NumberedPrompt::Options options = {}) {
    NumberedPrompt prompt(checked(std::move(spec)), options);
    Step step = prompt.start();
    std::string text = step.text;
    for (const std::string& line : lines) {
        EXPECT_EQ(step.next, Step::Next::read) << "ended before: " << line;
        step = prompt.feed(line);
        text += line + '\n' + step.text;
    }
    return text + ending(step);
}

// The end of a transcript: what was printed after the last line, and how it ended.
Step last_step(const AskSpec& spec, const Lines& lines) {
    NumberedPrompt prompt(checked(spec), {});
    Step step = prompt.start();
    for (const std::string& line : lines) {
        EXPECT_EQ(step.next, Step::Next::read) << "ended before: " << line;
        step = prompt.feed(line);
    }
    return step;
}
std::string last(const AskSpec& spec, const Lines& lines) {
    const Step step = last_step(spec, lines);
    return step.text + ending(step);
}

TEST(NumberedPrompt, OneChoiceByNumber) {
    EXPECT_EQ(transcript({.questions = {database()}}, {"3"}), R"([Database]
Which database should we use?

  1) PostgreSQL [recommended]
     Relational DB with rich features
  2) MongoDB
     Document-based NoSQL database
  3) SQLite
     Lightweight embedded database
  4) Other
     Provide custom input

Choose 1-4 (d = dismiss, ? = help)
> 3
[answered: SQLite])");
}

TEST(NumberedPrompt, AHeaderMadeFromTheQuestionIsNotRepeated) {
    EXPECT_EQ(transcript({.questions = {drink()}, .dismissible = false}, {"coffee"}),
              R"(Tea or coffee?

  1) Tea
  2) Coffee
  3) Other
     Provide custom input

Choose 1-3 (? = help)
> coffee
[answered: Coffee])");
}

TEST(NumberedPrompt, SeveralChoicesWithoutFreeText) {
    EXPECT_EQ(transcript({.questions = {features()}}, {"email", "4", "1, offline mode"}),
              R"([Features]
Which features should we enable?

  1) Dark mode
     Enable dark theme support
  2) Notifications
     Push notification support
  3) Offline mode
     Work without internet connection

Choose one or more of 1-3, such as 1,2 (d = dismiss, ? = help)
> email
"email" is not one of the choices. Type a number from 1 to 3, or a label.
Choose one or more of 1-3, such as 1,2 (d = dismiss, ? = help)
> 4
There is no choice 4. Type a number from 1 to 3.
Choose one or more of 1-3, such as 1,2 (d = dismiss, ? = help)
> 1, offline mode
[answered: Dark mode, Offline mode])");
}

TEST(NumberedPrompt, OtherThenText) {
    EXPECT_EQ(last({.questions = {drink()}}, {"3"}),
              "Type your answer. An empty line goes back to the choices.\n"
              "(/lines = several lines)\n> [waits]");
    EXPECT_EQ(last({.questions = {drink()}}, {"3", "d"}), "[answered: d]");
    EXPECT_EQ(last_step({.questions = {drink()}}, {"other", "  as it is "}).answers,
              (Answers{{.other = "  as it is "}}));
    EXPECT_EQ(last({.questions = {drink()}}, {"3", " ", "1"}), "[answered: Tea]");
}

TEST(NumberedPrompt, TextTypedAtTheChoicesIsConfirmed) {
    const AskSpec spec{.questions = {drink()}};
    EXPECT_EQ(last(spec, {"water"}),
              "Answer in your own words: \"water\"? y = yes, n = no\n> [waits]");
    EXPECT_EQ(last(spec, {"water", "y"}), "[answered: water]");
    EXPECT_EQ(last(spec, {"water", "n", "1"}), "[answered: Tea]");
    EXPECT_EQ(last(spec, {"water", "", "1"}), "[answered: Tea]");
    EXPECT_EQ(last(spec, {"tee", "tea"}), "[answered: Tea]");
    EXPECT_EQ(last(spec, {"water", "juice", "yes"}), "[answered: juice]");
}

TEST(NumberedPrompt, AnEmptyLineAsksAgain) {
    EXPECT_EQ(last({.questions = {drink()}}, {""}), R"(Nothing was chosen yet.

Tea or coffee?

  1) Tea
  2) Coffee
  3) Other
     Provide custom input

Choose 1-3 (d = dismiss, ? = help)
> [waits])");
}

TEST(NumberedPrompt, HelpSaysWhatCanBeTyped) {
    EXPECT_EQ(last({.questions = {drink()}}, {"?"}),
              R"(Type the number of a choice, or its label, and press Enter.
Anything else that you type is an answer in your own words, and you are asked
before it counts.
An empty line shows the question again.
d dismisses: you do not answer, and the asker is told so. You are asked first.
note adds a note to the answer that you give then.
lines takes an answer of several lines.
Ctrl-C stops without an answer.

Choose 1-3 (d = dismiss, ? = help)
> [waits])");
}

TEST(NumberedPrompt, AFreeTextQuestionTakesAnyTextButSlashCommands) {
    const AskSpec spec{.questions = {name()}};
    EXPECT_EQ(transcript(spec, {"", "d"}), R"([Name]
What should it be called?

Type your answer (/lines = several lines, /d = dismiss, /? = help)
> 
Nothing was typed yet.

[Name]
What should it be called?

Type your answer (/lines = several lines, /d = dismiss, /? = help)
> d
[answered: d])");
    EXPECT_EQ(last(spec, {"/d", "n", "42"}), "[answered: 42]");
    EXPECT_EQ(last(spec, {"//d"}), "[answered: /d]");
    EXPECT_EQ(last(spec, {"//host/share"}), "[answered: //host/share]");
    EXPECT_EQ(last(spec, {"/D", "y", "not mine"}), "[dismissed: not mine]");
}

// A multiple-choice test has options A to D, and "d" must mean the last of them.
TEST(NumberedPrompt, ALabelIsStrongerThanACommand) {
    const AskSpec spec{.questions = {{.text = "Which answer is right?",
                                      .header = "",
                                      .options = {{"A", ""}, {"B", ""}, {"C", ""}, {"D", ""}},
                                      .custom = false}}};
    EXPECT_EQ(last(spec, {"d"}), "[answered: D]");
    EXPECT_EQ(last(spec, {"5"}),
              "There is no choice 5. Type a number from 1 to 4.\n"
              "Choose 1-4 (/d = dismiss, ? = help)\n> [waits]");
    EXPECT_EQ(last(spec, {"/d", "y", ""}), "[dismissed: -]");
}

TEST(NumberedPrompt, DismissingAsksFirstAndTakesAReason) {
    const AskSpec spec{.questions = {drink()}};
    EXPECT_EQ(last(spec, {"d"}),
              "Dismiss without answering? The asker is told that you did. y = yes, n = no\n"
              "> [waits]");
    EXPECT_EQ(last(spec, {"d", "y"}),
              "Your reason, for the asker. An empty line gives none.\n> [waits]");
    EXPECT_EQ(last(spec, {"D", "Y", ""}), "[dismissed: -]");
    EXPECT_EQ(last(spec, {"d", "y", " I like neither "}), "[dismissed: I like neither]");
    for (const std::string_view no : {"n", "", "1", "d"})
        EXPECT_EQ(last(spec, {"d", std::string(no), "1"}), "[answered: Tea]") << no;
}

TEST(NumberedPrompt, WhatMayNotBeDismissedIsNot) {
    EXPECT_EQ(last({.questions = {drink()}, .dismissible = false}, {"d"}),
              "The asker does not let this be dismissed.\nChoose 1-3 (? = help)\n> [waits]");
}

TEST(NumberedPrompt, SeveralQuestionsEndInAReview) {
    EXPECT_EQ(transcript({.questions = {database(), features(), name()}},
                         {"1", "1 3", "shed", "", "2", "2", "y"}),
              R"([Database] Question 1 of 3
Which database should we use?

  1) PostgreSQL [recommended]
     Relational DB with rich features
  2) MongoDB
     Document-based NoSQL database
  3) SQLite
     Lightweight embedded database
  4) Other
     Provide custom input

Choose 1-4 (d = dismiss, ? = help)
> 1

[Features] Question 2 of 3
Which features should we enable?

  1) Dark mode
     Enable dark theme support
  2) Notifications
     Push notification support
  3) Offline mode
     Work without internet connection

Choose one or more of 1-3, such as 1,2 (b = back, d = dismiss, ? = help)
> 1 3

[Name] Question 3 of 3
What should it be called?

Type your answer (/lines = several lines, /b = back, /d = dismiss, /? = help)
> shed

Your answers
  1) Database: PostgreSQL
  2) Features: Dark mode, Offline mode
  3) Name: shed

y = send, 1-3 = change that answer (b = back, d = dismiss, ? = help)
> 
Nothing is sent before you type y.

Your answers
  1) Database: PostgreSQL
  2) Features: Dark mode, Offline mode
  3) Name: shed

y = send, 1-3 = change that answer (b = back, d = dismiss, ? = help)
> 2

[Features] Question 2 of 3
Which features should we enable?

  1) Dark mode
     Enable dark theme support
  2) Notifications
     Push notification support
  3) Offline mode
     Work without internet connection

Choose one or more of 1-3, such as 1,2 (b = back, d = dismiss, ? = help)
An empty line keeps your answer (Features: Dark mode, Offline mode).
> 2

Your answers
  1) Database: PostgreSQL
  2) Features: Notifications
  3) Name: shed

y = send, 1-3 = change that answer (b = back, d = dismiss, ? = help)
> y
[answered: PostgreSQL (Recommended); Notifications; shed])");
}

TEST(NumberedPrompt, GoingBackKeepsWhatWasAnswered) {
    const AskSpec spec{.questions = {drink(), name()}};
    EXPECT_EQ(last(spec, {"1", "/b", "", "cup", "y"}), "[answered: Tea; cup]");
    EXPECT_EQ(last(spec, {"1", "cup", "b", "", "y"}), "[answered: Tea; cup]");
    EXPECT_EQ(last(spec, {"1", "cup", "1", "2", "y"}), "[answered: Coffee; cup]");
    EXPECT_EQ(last(spec, {"b"}),
              "This is the first question.\nChoose 1-3 (d = dismiss, ? = help)\n> [waits]");
}

TEST(NumberedPrompt, TheReviewTakesOnlyWhatItOffers) {
    const AskSpec spec{.questions = {drink(), name()}};
    const std::string cue =
        "y = send, 1-2 = change that answer (b = back, d = dismiss, ? = help)\n";
    EXPECT_EQ(last(spec, {"1", "cup", "tea"}), "\"tea\" is none of these.\n" + cue + "> [waits]");
    EXPECT_EQ(last(spec, {"1", "cup", "3"}), "\"3\" is none of these.\n" + cue + "> [waits]");
    EXPECT_EQ(last(spec, {"1", "cup", "?"}),
              "y sends the answers. A number goes to that question, where you can change its\n"
              "answer.\n"
              "b goes back one question.\n"
              "d dismisses: you do not answer, and the asker is told so. You are asked first.\n"
              "Ctrl-C stops without an answer.\n\n" +
                  cue + "> [waits]");
    EXPECT_EQ(last(spec, {"1", "cup", "d", "n", "y"}), "[answered: Tea; cup]");
    EXPECT_EQ(last(spec, {"1", "cup", "d", "y", ""}), "[dismissed: -]");
}

TEST(NumberedPrompt, TheEndOfTheInputIsNoAnswer) {
    const auto ended_after = [](const AskSpec& spec, const Lines& lines) {
        NumberedPrompt prompt(checked(spec), {});
        (void)prompt.start();
        for (const std::string& line : lines) (void)prompt.feed(line);
        return ending(prompt.end_of_input());
    };
    const AskSpec spec{.questions = {drink(), name()}};
    EXPECT_EQ(ended_after(spec, {}), "[gave up]");
    EXPECT_EQ(ended_after(spec, {"3"}), "[gave up]");
    EXPECT_EQ(ended_after(spec, {"water"}), "[gave up]");
    EXPECT_EQ(ended_after(spec, {"1", "cup"}), "[gave up]") << "the review was not sent";
    EXPECT_EQ(ended_after(spec, {"d"}), "[gave up]");
    EXPECT_EQ(ended_after(spec, {"d", "y"}), "[dismissed: -]") << "only the reason was missing";
}

TEST(NumberedPrompt, ContextAndDeadlineComeBeforeTheQuestion) {
    AskSpec spec{.questions = {drink()}, .context = "# Plan\n\nWe boil water.\n1) Milk?"};
    spec.timeout = std::chrono::minutes(10);
    EXPECT_EQ(transcript(spec, {"1"}, {.time_left = std::chrono::minutes(10)}), R"(│ # Plan
│
│ We boil water.
│ 1) Milk?

Without an answer in 10 min, this ends as timed out.

Tea or coffee?

  1) Tea
  2) Coffee
  3) Other
     Provide custom input

Choose 1-3 (d = dismiss, ? = help)
> 1
[answered: Tea])");
}

TEST(NumberedPrompt, ADefaultForTheTimerIsAnnounced) {
    AskSpec spec{.questions = {database()}};
    spec.timeout = std::chrono::seconds(90);
    spec.default_answers = Answers{{.selected = {"SQLite"}}};
    const std::string text =
        transcript(spec, {"1"}, {.time_left = std::chrono::milliseconds(90'000)});
    EXPECT_EQ(text.substr(0, text.find("\n\n")),
              "Without an answer in 1 min 30 s, the asker's default is taken:\n"
              "  Database: SQLite");
}

TEST(NumberedPrompt, FortyColumnsAndAscii) {
    Question question = database();
    question.text = "Welche Größe – und warum gerade so?";
    question.options[1] = {.label = "Groß", .description = "wide 漢字", .preview = "a\n  b"};
    EXPECT_EQ(transcript({.questions = {question}}, {"2"},
                         {.style = {.columns = 40, .charset = Charset::ascii}}),
              R"([Database]
| Welche Gr\u{f6}\u{df}e - und warum
| gerade so?

  1) PostgreSQL [recommended]
     Relational DB with rich features
  2) Gro\u{df}
     wide \u{6f22}\u{5b57}
     | a
     |   b
  3) SQLite
     Lightweight embedded database
  4) Other
     Provide custom input

Choose 1-4 (d = dismiss, ? = help)
> 2
[answered: Groß])");
}

TEST(NumberedPrompt, NumbersOfManyRowsAreAligned) {
    Question question{.text = "Which month?", .header = "", .options = {}, .custom = false};
    for (int i = 1; i <= 12; ++i) question.options.push_back({fmt::format("M{}", i), ""});
    question.options[8].description = "The ninth";
    const std::string text = transcript({.questions = {question}}, {"12"});
    EXPECT_NE(text.find("\n   9) M9\n      The ninth\n  10) M10\n"), std::string::npos) << text;
}

TEST(NumberedPrompt, HostileTextCannotActOrForgeALine) {
    Question question = drink();
    question.text = "Safe?\x1b[2J\n\n\n\n\n\nChoose 1-2\n  1) Yes";
    question.options[0].description = "harmless\n  2) \x1b[31mCoffee";
    EXPECT_EQ(transcript({.questions = {question}}, {"1"}), R"(│ Safe?\x1b[2J
│ (5 blank lines)
│ Choose 1-2
│   1) Yes

  1) Tea
     harmless
       2) \x1b[31mCoffee
  2) Coffee
  3) Other
     Provide custom input

Choose 1-3 (d = dismiss, ? = help)
> 1
[answered: Tea])");
}

TEST(NumberedPrompt, ARefusedAnswerIsExplainedAndNothingIsLost) {
    NumberedPrompt prompt(checked({.questions = {drink(), name()}}), {});
    (void)prompt.start();
    for (const std::string_view line : {"1", "cup", "y"}) (void)prompt.feed(line);
    const Error error{.code = ErrorCode::invalid,
                      .message = "two faults",
                      .faults = {{"/answers/0", "one thing"}, {"/answers/1", "another"}}};
    const Step step = prompt.refused(error);
    EXPECT_EQ(step.text,
              "This was not taken:\n- one thing\n- another\n\n"
              "Your answers\n  1) Tea or coffee: Tea\n  2) Name: cup\n\n"
              "y = send, 1-2 = change that answer (b = back, d = dismiss, ? = help)\n> ");
    EXPECT_EQ(ending(prompt.feed("y")), "[answered: Tea; cup]");
}

TEST(NumberedPrompt, TextThatCannotBeTakenIsAskedForAgain) {
    const AskSpec spec{.questions = {name()}};
    EXPECT_EQ(last(spec, {"caf\xe9"}),
              "That is not valid UTF-8 text. Type it again in a UTF-8 terminal.\n"
              "Type your answer (/lines = several lines, /d = dismiss, /? = help)\n> [waits]");
    const std::string long_text(limits::kAnswerTextBytes + 1, 'x');
    EXPECT_EQ(last(spec, {long_text}),
              "That text has 1048577 bytes, and at most 1048576 are allowed.\n"
              "Type your answer (/lines = several lines, /d = dismiss, /? = help)\n> [waits]");
    EXPECT_EQ(last_step(spec, {long_text.substr(1)}).next, Step::Next::answer);
}

// Whatever is typed: what is handed out as an answer is whole and valid, nothing is dismissed that
// may not be, and what is printed has no control characters.
RC_GTEST_PROP(NumberedPrompt, AnyLinesLeadToNothingInvalid, ()) {
    AskSpec spec{.questions = {database(), features(), name()}};
    spec.dismissible = *rc::gen::arbitrary<bool>();
    spec.questions.resize(*rc::gen::inRange<std::size_t>(1, 4));
    const auto lines = *rc::gen::container<Lines>(
        rc::gen::oneOf(rc::gen::elementOf(Lines{"1", "2", "3", "4", "1,3", "y", "n", "", "b", "d",
                                                "?", "/b", "/d", "other", "own words", "sqlite"}),
                       rc::gen::string<std::string>()));
    NumberedPrompt prompt(checked(spec), {});
    Step step = prompt.start();
    for (const std::string& line : lines) {
        for (const char c : step.text) RC_ASSERT(c == '\n' || c < 0 || (c >= 0x20 && c != 0x7f));
        if (step.next != Step::Next::read) break;
        step = prompt.feed(line);
    }
    if (step.next == Step::Next::answer)
        RC_ASSERT(check_answers(spec.questions, step.answers, {}).has_value());
    if (step.next == Step::Next::dismiss) RC_ASSERT(spec.dismissible);
}

TEST(NumberedPrompt, ANoteGoesWithTheAnswer) {
    NumberedPrompt prompt(checked({.questions = {drink()}}), {});
    (void)prompt.start();
    (void)prompt.feed("note");
    EXPECT_EQ(prompt.feed("only for now").next, Step::Next::read);
    const Step step = prompt.feed("2");
    EXPECT_EQ(step.next, Step::Next::answer);
    EXPECT_EQ(step.answers, (Answers{{.selected = {"Coffee"}, .note = "only for now"}}));
}

TEST(NumberedPrompt, TheOwnersCommandsAreItsOwn) {
    NumberedPrompt prompt(checked({.questions = {drink()}}), {.commands = {"skip"}});
    EXPECT_NE(prompt.start().text.find("skip"), std::string::npos);
    const Step step = prompt.feed("SKIP");
    EXPECT_EQ(step.next, Step::Next::command);
    EXPECT_EQ(step.command, "skip");
    // Where any text is an answer, a command has its slash.
    NumberedPrompt text(checked({.questions = {name()}}), {.commands = {"skip"}});
    (void)text.start();
    EXPECT_EQ(text.feed("/skip").command, "skip");
    EXPECT_EQ(text.feed("skip").answers, (Answers{{.other = "skip"}}));
}

TEST(NumberedPrompt, ADraftIsKeptByAnEmptyLine) {
    NumberedPrompt prompt(checked({.questions = {drink(), name()}}), {});
    prompt.restore({{.selected = {"Tea"}, .note = "hot"}});
    (void)prompt.start();
    (void)prompt.feed("");
    (void)prompt.feed("Zed");
    const Answers wanted = {{.selected = {"Tea"}, .note = "hot"}, {.other = "Zed"}};
    EXPECT_EQ(prompt.feed("y").answers, wanted);
}

TEST(NumberedPrompt, WithoutBarsTheAskersLinesAreCounted) {
    NumberedPrompt prompt(checked({.questions = {drink()}, .context = "one\ntwo"}),
                          {.style = {.has_bars = false}});
    const std::string text = prompt.start().text;
    EXPECT_EQ(text.find("│"), std::string::npos);
    EXPECT_NE(text.find("(2 lines of the asker's text)\n  one\n  two\n"), std::string::npos);
}

TEST(NumberedPrompt, ATextOfSeveralLinesIsTypedAndThenTaken) {
    EXPECT_EQ(transcript({.questions = {name()}}, {"/lines", "one", "", "..", ".", "y"}),
              R"([Name]
What should it be called?

Type your answer (/lines = several lines, /d = dismiss, /? = help)
> /lines
Type your text. A full stop on a line of its own ends it.
> one

..
.
Your text (3 lines):
  one

  .
y = send it, lines = go on with it, n = throw it away
> y
[answered: one

.])");
}

TEST(NumberedPrompt, NothingOfATextIsTakenBeforeYes) {
    const AskSpec spec{.questions = {name()}};
    EXPECT_EQ(last_step(spec, {"/lines", "a", ".", ""}).next, Step::Next::read);
    EXPECT_EQ(last(spec, {"/lines", "a", ".", "lines", "b", ".", "yes"}), "[answered: a\nb]");
    EXPECT_EQ(last(spec, {"/lines", "a", ".", "n", "b"}), "[answered: b]");
    EXPECT_EQ(last_step(spec, {"/lines", "  ", "."}).text.find("No text was typed.\n"), 0);
    // The lines that follow may have been pasted with the first.
    EXPECT_TRUE(last_step(spec, {"/lines"}).is_amid_text);
    EXPECT_TRUE(last_step(spec, {"/lines", "a"}).is_amid_text);
    EXPECT_FALSE(last_step(spec, {"/lines", "a", "."}).is_amid_text);
}

TEST(NumberedPrompt, OtherWordsAndNotesMayHaveSeveralLinesToo) {
    const AskSpec one{.questions = {database()}};
    EXPECT_EQ(last(one, {"lines", "Redis", "and more", ".", "y"}), "[answered: Redis\nand more]");
    EXPECT_EQ(last(one, {"4", "/lines", "Redis", ".", "y"}), "[answered: Redis]");
    EXPECT_EQ(last(one, {"4", "//lines"}), "[answered: /lines]");
    const Step noted = last_step(one, {"note", "/lines", "because", "so", ".", "y", "1"});
    EXPECT_EQ(noted.answers.front().note, "because\nso");
    EXPECT_EQ(noted.answers.front().selected, Lines{"PostgreSQL (Recommended)"});
    const AskSpec closed{.questions = {features()}};
    EXPECT_EQ(last_step(closed, {"lines"}).text.find("This question takes no words of"), 0);
}

TEST(NumberedPrompt, TheEditorGetsWhatIsThereAndIsAskedAbout) {
    NumberedPrompt prompt(checked({.questions = {name()}}), {.has_editor = true});
    EXPECT_NE(prompt.start().text.find("/edit = editor"), std::string::npos);
    EXPECT_EQ(ending(prompt.feed("/edit")), "[edits: ]");
    EXPECT_EQ(prompt.edited("one\ntwo").text,
              "Your text (2 lines):\n  one\n  two\n"
              "y = send it, lines = go on with it, edit = change it, n = throw it away\n> ");
    // What is being written is not lost where the ask ends now.
    EXPECT_EQ(prompt.answers().front().other, "one\ntwo");
    EXPECT_EQ(ending(prompt.feed("edit")), "[edits: one\ntwo]");
    EXPECT_NE(prompt.edited(reject(ErrorCode::unavailable, "the editor failed"))
                  .text.find("the editor failed\nYour text (2 lines):"),
              std::string::npos);
    EXPECT_EQ(ending(prompt.feed("y")), "[answered: one\ntwo]");
}

TEST(NumberedPrompt, WithoutAnEditorTheWordIsAWord) {
    EXPECT_EQ(last({.questions = {name()}}, {"/edit"}), "[answered: /edit]");
}

TEST(NumberedPrompt, ALineThatIsTooMuchIsLeftOutAndSaidSo) {
    const AskSpec spec{.questions = {name()}};
    const std::string much(limits::kAnswerTextBytes - 10, 'a');
    const Step refused = last_step(spec, {"/lines", much, "0123456789"});
    EXPECT_EQ(refused.text, fmt::format("A text has at most {} bytes: that line was left out.\n",
                                        limits::kAnswerTextBytes));
    EXPECT_EQ(last_step(spec, {"/lines", much, "0123456789", "b", ".", "y"}).answers.front().other,
              much + "\nb");
}

}  // namespace
}  // namespace parley
