// SPDX-License-Identifier: Apache-2.0
// What sequences of keys do. Each key in each mode: prompt_keys_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/properties_test.h"
#include "core/answers.h"
#include "core/limits.h"
#include "prompt/limits.h"
#include "prompt/prompt_keys_test.h"
#include "prompt/prompt_view.h"

namespace parley {
namespace {

using Kind = PromptEffect::Kind;
using Mode = PromptMode;
using testing::ElementsAre;
using testing::HasSubstr;

struct Case {
    const char* keys;
    Kind effect;
    Answers answers;
};

TEST(PromptReduce, OneSingleChoice) {
    for (const Case& each : std::vector<Case>{
             {"Enter", Kind::answer, {{.selected = {"PostgreSQL (Recommended)"}}}},
             {"Down Enter", Kind::answer, {{.selected = {"MongoDB"}}}},
             {"j j Enter", Kind::answer, {{.selected = {"SQLite"}}}},
             {"Up Up Enter", Kind::answer, {{.selected = {"SQLite"}}}},
             {"k k Enter", Kind::answer, {{.selected = {"SQLite"}}}},
             {"j j j j Enter", Kind::answer, {{.selected = {"PostgreSQL (Recommended)"}}}},
             {"3", Kind::none, {}},
             {"3 Enter", Kind::answer, {{.selected = {"SQLite"}}}},
             {"2 3 Enter", Kind::answer, {{.selected = {"SQLite"}}}},
             {"Space", Kind::none, {}},
             {"Down Space Up Enter", Kind::answer, {{.selected = {"PostgreSQL (Recommended)"}}}},
             {"End", Kind::none, {}},
             {"End Home Enter", Kind::answer, {{.selected = {"PostgreSQL (Recommended)"}}}},
             {"9 Enter", Kind::answer, {{.selected = {"PostgreSQL (Recommended)"}}}},
             {"o \"Redis\" Enter", Kind::answer, {{.other = "Redis"}}},
             {"4 \"Redis\" Enter", Kind::answer, {{.other = "Redis"}}},
             {"Up \"just\" Enter", Kind::answer, {{.other = "just"}}},
             {"o Enter", Kind::none, {}},
             {"o \"a\" Esc Enter", Kind::answer, {{.other = "a"}}},
             {"o \"a\" Esc Up Enter", Kind::answer, {{.selected = {"SQLite"}}}},
             {"M-n \"why\" Enter 2 Enter",
              Kind::answer,
              {{.selected = {"MongoDB"}, .note = "why"}}},
             {"Tab Right Left Enter", Kind::answer, {{.selected = {"PostgreSQL (Recommended)"}}}},
             {"? x Enter", Kind::answer, {{.selected = {"PostgreSQL (Recommended)"}}}},
             {"Esc", Kind::none, {}},
             {"C-c", Kind::interrupt, {}},
             {"C-z", Kind::suspend, {}},
             {"C-e", Kind::open_editor, {}},
         }) {
        PromptState state = prompt({kDatabase});
        const PromptEffect effect = press(state, each.keys);
        EXPECT_EQ(effect.kind, each.effect) << each.keys;
        EXPECT_EQ(effect.answers, each.answers) << each.keys;
    }
}

TEST(PromptReduce, SeveralChoicesAreSeenOnceMoreBeforeTheyAreSent) {
    PromptState state = prompt({kFeatures});
    EXPECT_EQ(press(state, "Enter").kind, Kind::none);
    EXPECT_THAT(state.notice, HasSubstr("Space chooses"));
    press(state, "Space Down Down Space Enter");
    EXPECT_EQ(state.mode, Mode::reviewing);
    const PromptEffect effect = press(state, "Enter");
    EXPECT_EQ(effect.kind, Kind::answer);
    EXPECT_THAT(effect.answers, ElementsAre(Answer{.selected = {"Dark", "Sync"}}));
    EXPECT_EQ(press(state, "Enter").kind, Kind::none) << "it is on its way";
}

TEST(PromptReduce, WhatIsMarkedBeforehandIsSeenAndSentByAPersonAlone) {
    Question suggested = kDatabase;
    suggested.preset = Answer{.selected = {"SQLite"}};
    PromptState state = prompt({suggested});
    EXPECT_EQ(state.current().cursor, 2U);
    EXPECT_FALSE(state.is_touched());
    EXPECT_EQ(press(state, "Enter").answers, (Answers{{.selected = {"SQLite"}}}));

    PromptState other = prompt({suggested});
    EXPECT_EQ(press(other, "Up Enter").answers, (Answers{{.selected = {"MongoDB"}}}));

    PromptState elsewhere = prompt({suggested});
    elsewhere.take_draft({{.selected = {"MongoDB"}}}, kNow);
    EXPECT_EQ(elsewhere.answers(), (Answers{{.selected = {"MongoDB"}}})) << "nothing was done here";

    Question written = kName;
    written.preset = Answer{.other = "parley"};
    PromptState text = prompt({written});
    EXPECT_EQ(press(text, "Enter").answers, (Answers{{.other = "parley"}}));
}

TEST(PromptReduce, AsManyChoicesAsAreWanted) {
    Question wanted = kFeatures;
    wanted.min = 2;
    wanted.max = 2;
    PromptState state = prompt({wanted});
    press(state, "1 Enter");
    EXPECT_EQ(state.mode, Mode::choosing);
    EXPECT_THAT(state.notice, HasSubstr("wants at least 2 choices, and 1 is chosen"));
    press(state, "2 3 Enter");
    EXPECT_THAT(state.notice, HasSubstr("wants at most 2 choices, and 3 are chosen"));
    press(state, "3 Enter");
    EXPECT_EQ(state.mode, Mode::reviewing);
    EXPECT_EQ(press(state, "Enter").answers, (Answers{{.selected = {"Dark", "Offline"}}}));
}

TEST(PromptReduce, WhatMayBeLeftEmptyIsSentEmptyAfterALook) {
    for (Question question : {kDatabase, kFeatures, kName}) {
        question.required = false;
        PromptState state = prompt({question});
        press(state, "Tab");
        EXPECT_EQ(state.mode, Mode::reviewing) << question.header;
        const PromptEffect effect = press(state, "Enter");
        EXPECT_EQ(effect.kind, Kind::answer) << question.header;
        EXPECT_EQ(effect.answers, (Answers{{}})) << question.header;
    }
}

TEST(PromptReduce, TextBesideChoices) {
    PromptState state = prompt({kFeatures});
    press(state, "1 M-o \"mine\" Enter");
    EXPECT_EQ(state.mode, Mode::choosing);
    EXPECT_EQ(state.answers(), (Answers{{.selected = {"Dark"}, .other = "mine"}}));
    press(state, "Space");
    EXPECT_EQ(state.answers(), (Answers{{.selected = {"Dark"}}})) << "taken out, but kept";
    EXPECT_EQ(state.current().other.text(), "mine");
    press(state, "Space");
    EXPECT_EQ(state.answers().front().other, "mine");
}

TEST(PromptReduce, ThroughSeveralQuestionsAndBack) {
    PromptState state = prompt({kDatabase, kFeatures, kName});
    press(state, "2 Enter");
    EXPECT_EQ(state.index, 1U);
    press(state, "Tab");
    EXPECT_EQ(state.index, 2U);
    EXPECT_EQ(state.mode, Mode::typing) << "there is nothing to choose";
    press(state, "\"x\" Enter");
    EXPECT_EQ(state.mode, Mode::reviewing);
    EXPECT_EQ(state.review_cursor, 1U) << "the one that is missing";
    EXPECT_EQ(press(state, "Down Down Enter").kind, Kind::none);
    EXPECT_THAT(state.notice, HasSubstr("Features has no answer"));
    press(state, "Enter Space Enter");
    EXPECT_EQ(state.mode, Mode::reviewing) << "an answered one leads back";
    press(state, "1");
    EXPECT_EQ(state.index, 0U);
    press(state, "3 Enter");
    const PromptEffect effect = press(state, "Enter");
    EXPECT_EQ(effect.answers,
              (Answers{{.selected = {"SQLite"}}, {.selected = {"Dark"}}, {.other = "x"}}));
}

TEST(PromptReduce, QuestionsAreReachedBothWays) {
    PromptState state = prompt({kDatabase, kFeatures});
    press(state, "S-Tab");
    EXPECT_EQ(state.index, 0U);
    press(state, "Right Right");
    EXPECT_EQ(state.mode, Mode::reviewing);
    press(state, "Left");
    EXPECT_EQ(state.index, 1U);
    press(state, "S-Tab");
    EXPECT_EQ(state.index, 0U);
    press(state, "o \"ab\" Tab");
    EXPECT_EQ(state.index, 1U);
    EXPECT_EQ(state.answers().front().other, "ab");
}

TEST(PromptReduce, EscapeLeavesTheTextAndThenAsksBeforeItDismisses) {
    PromptState state = prompt({kDatabase});
    press(state, "o \"kept\" Esc");
    EXPECT_EQ(state.mode, Mode::choosing);
    EXPECT_EQ(state.current().other.text(), "kept");
    press(state, "Esc");
    EXPECT_EQ(state.mode, Mode::dismissing);
    press(state, "Esc");
    EXPECT_EQ(state.mode, Mode::choosing);
    const PromptEffect effect = press(state, "Esc \"later\" Enter");
    EXPECT_EQ(effect.kind, Kind::dismiss);
    EXPECT_EQ(effect.reason, "later");
}

TEST(PromptReduce, WhatCannotBeDismissedIsFolded) {
    PromptState state = prompt({kDatabase}, false);
    press(state, "Down Esc");
    EXPECT_EQ(state.mode, Mode::folded);
    EXPECT_EQ(press(state, "Enter").kind, Kind::none) << "it opens, and settles nothing";
    EXPECT_EQ(state.mode, Mode::choosing);
    EXPECT_EQ(state.current().cursor, 1U);
}

TEST(PromptReduce, AStrayKeySettlesNothing) {
    PromptState state(std::make_shared<AskSpec>(AskSpec{.questions = {kDatabase}}),
                      {.appeared_at = kNow});
    EXPECT_EQ(press(state, "Enter", kNow + std::chrono::milliseconds(299)).kind, Kind::none);
    EXPECT_FALSE(state.notice.empty());
    EXPECT_EQ(press(state, "Esc Enter", kNow + std::chrono::milliseconds(299)).kind, Kind::none);
    press(state, "Esc");
    EXPECT_EQ(press(state, "Enter", kNow + limits::kStrayKeyGuard).kind, Kind::answer);
}

TEST(PromptReduce, ManyChoicesAreNarrowedByTyping) {
    PromptState state = prompt({many()});
    press(state, "\"jav\"");
    EXPECT_EQ(state.current().filter, "jav");
    EXPECT_EQ(state.current().cursor, 12U);
    press(state, "Esc");
    EXPECT_EQ(state.current().filter, "") << "first the filter goes";
    EXPECT_EQ(state.mode, Mode::choosing);
    press(state, "\"OPTION\" Space \"12\"");
    EXPECT_EQ(press(state, "Enter").answers, (Answers{{.selected = {"Option 12"}}}));
}

TEST(PromptReduce, WithAFilterTextAndNoteHaveKeysOfTheirOwn) {
    PromptState state = prompt({many()});
    press(state, "\"zzz\" Enter");
    EXPECT_EQ(state.mode, Mode::choosing) << "what was looked for is no answer";
    EXPECT_THAT(state.notice, HasSubstr("Nothing matches"));
    press(state, "Esc M-n \"so\" Enter Home Down C-Space");
    EXPECT_EQ(state.answers(), (Answers{{.selected = {"Option 2"}, .note = "so"}}));
}

TEST(PromptReduce, OtherWordsOnlyWhereTheAskerTakesThem) {
    PromptState state = prompt({kClosed});
    press(state, "o");
    EXPECT_EQ(state.mode, Mode::choosing);
    EXPECT_FALSE(state.notice.empty());
    EXPECT_EQ(press(state, "C-e").kind, Kind::none);
    EXPECT_EQ(press(state, "Down Enter").answers, (Answers{{.selected = {"No"}}}));
}

TEST(PromptReduce, TheAgentsOwnOtherIsAChoiceToo) {
    Question question = kClosed;
    question.custom = true;
    question.options.push_back({"Other", "something else"});
    PromptState state = prompt({question});
    EXPECT_EQ(state.current().rows.size(), 3U);
    press(state, "3");
    EXPECT_EQ(state.mode, Mode::typing);
    EXPECT_EQ(press(state, "Enter").answers, (Answers{{.selected = {"Other"}}}));
    PromptState typed = prompt({question});
    EXPECT_EQ(press(typed, "3 \"x\" Enter").answers, (Answers{{.other = "x"}}));
}

TEST(PromptReduce, WhatWasNotTakenCanBeSentAgain) {
    PromptState state = prompt({kName});
    EXPECT_EQ(press(state, "\"x\" Enter").kind, Kind::answer);
    state.refused({.code = ErrorCode::invalid, .message = "too short"});
    EXPECT_THAT(state.notice, HasSubstr("too short"));
    EXPECT_EQ(press(state, "\"y\" Enter").answers, (Answers{{.other = "xy"}}));
}

TEST(PromptReduce, WhatAnEditorGaveIsTheText) {
    PromptState state = prompt({kDatabase});
    EXPECT_EQ(press(state, "C-e").kind, Kind::open_editor);
    state.edited("two\nlines");
    EXPECT_EQ(state.answers(), (Answers{{.other = "two\nlines"}}));
    press(state, "M-n \"x\"");
    EXPECT_EQ(press(state, "C-e").text, "x");
    state.edited("note");
    EXPECT_EQ(state.answers().front().note, "note");
}

TEST(PromptReduce, ADraftComesBack) {
    const Answers draft = {{.selected = {"MongoDB"}, .note = "n"},
                           {.selected = {"Dark"}, .other = "t"}};
    PromptState state = prompt({kDatabase, kFeatures});
    EXPECT_FALSE(state.is_touched());
    state.restore(draft);
    EXPECT_EQ(state.answers(), draft);
    EXPECT_TRUE(state.is_touched());
}

TEST(PromptReduce, TheMarkIsWhatEnterSends) {
    PromptState restored = prompt({kClosed});
    restored.restore({{.selected = {"No"}}});
    EXPECT_EQ(restored.current().cursor, 1U);
    EXPECT_EQ(press(restored, "Enter").answers, (Answers{{.selected = {"No"}}}));

    PromptState moved = prompt({kDatabase});
    press(moved, "2 Down");
    EXPECT_EQ(moved.answers(), (Answers{{.selected = {"SQLite"}}})) << "the mark went along";
    EXPECT_EQ(press(moved, "Enter").answers, (Answers{{.selected = {"SQLite"}}}));

    PromptState texted = prompt({kDatabase});
    press(texted, "o \"Redis\" Up");
    EXPECT_EQ(texted.mode, Mode::choosing) << "up from the first line leaves the text";
    EXPECT_EQ(texted.current().other.text(), "Redis") << "which stays";
    EXPECT_EQ(press(texted, "Enter").answers, (Answers{{.selected = {"SQLite"}}}));
}

TEST(PromptReduce, ALetterGoesToTheChoiceThatBeginsSo) {
    for (const auto& [keys, label] : std::vector<std::pair<const char*, const char*>>{
             {"n Enter", "No"}, {"N Enter", "No"}, {"y Enter", "Yes"}, {"n y Enter", "Yes"}}) {
        PromptState state = prompt({kClosed});
        EXPECT_EQ(press(state, keys).answers, (Answers{{.selected = {label}}})) << keys;
    }
    Question question = kClosed;
    question.options = {{"Österreich", ""}, {"Ohio", ""}, {"Jena", ""}, {"Oslo", ""}};
    PromptState state = prompt({question});
    press(state, "o");
    EXPECT_EQ(state.current().cursor, 1U);
    press(state, "o");
    EXPECT_EQ(state.current().cursor, 3U) << "to the next that begins so";
    press(state, "j");
    EXPECT_EQ(state.current().cursor, 2U) << "a label comes before the old meaning";
    press(state, "ö");
    EXPECT_EQ(state.current().cursor, 0U);
}

TEST(PromptReduce, AFilterTakesDigitsBlanksAndPastes) {
    Question question{.text = "Which version?", .header = "Version", .options = {}};
    for (int i = 0; i < 15; ++i)
        question.options.push_back({std::to_string(i / 5 + 1) + "." + std::to_string(i % 5), ""});
    PromptState typed = prompt({question});
    EXPECT_EQ(press(typed, "\"2.3\" Enter").answers, (Answers{{.selected = {"2.3"}}}));
    PromptState pasted = prompt({question});
    press(pasted, {.code = Key::Code::paste, .text = "3.1\n"}, kNow);
    EXPECT_EQ(press(pasted, "Enter").answers, (Answers{{.selected = {"3.1"}}}));
    PromptState failed = prompt({question});
    press(failed, "\"9.9\" Esc \"2.2\"");
    EXPECT_EQ(failed.current().other.text(), "") << "what was looked for is no answer";
    EXPECT_EQ(press(failed, "Enter").answers, (Answers{{.selected = {"2.2"}}}));
}

TEST(PromptReduce, NothingIsSentThatThePictureDidNotShow) {
    PromptState state = prompt({kClosed});
    state.was_shown();
    state.restore({{.selected = {"No"}}});
    EXPECT_EQ(reduce(state, named("Enter"), kNow).kind, Kind::none);
    EXPECT_THAT(state.notice, HasSubstr("look again"));
    EXPECT_EQ(press(state, "Enter").answers, (Answers{{.selected = {"No"}}}));
}

TEST(PromptReduce, EnterHeldDownAnswersOneQuestion) {
    PromptState state = prompt({kClosed, kDatabase, kClosed});
    Mono now = kNow;
    const auto press_enter = [&] { return press(state, named("Enter"), now); };
    press_enter();
    EXPECT_EQ(state.index, 1U);
    for (int i = 0; i < 40; ++i) {
        now += std::chrono::milliseconds(i == 0 ? 660 : 33);
        EXPECT_EQ(press_enter().kind, Kind::none);
        EXPECT_EQ(state.index, 1U);
    }
    now += limits::kHeldKeyPause;
    press_enter();
    EXPECT_EQ(state.index, 2U);
    EXPECT_EQ(press(state, "2 Enter", now).kind, Kind::none);
    EXPECT_EQ(state.mode, Mode::reviewing) << "another key between them shows that it was let go";
}

TEST(PromptReduce, ATextThatIsTooLongIsRefusedWhole) {
    PromptState state = prompt({kName});
    press(state, "\"ab\"");
    const std::string most(limits::kAnswerTextBytes, 'x');
    press(state, {.code = Key::Code::paste, .text = most}, kNow);
    EXPECT_EQ(state.current().other.text(), "ab");
    EXPECT_THAT(state.notice, HasSubstr("1048578 bytes"));
    state.edited(most + "y");
    EXPECT_EQ(state.current().other.text(), "ab");
    EXPECT_THAT(state.notice, HasSubstr("1048577 bytes"));
    state.edited(most);
    EXPECT_EQ(state.current().other.text(), most);
    press(state, "z");
    EXPECT_EQ(state.current().other.text(), most);
}

// Any keys at all.
rc::Gen<Key> any_key() {
    return rc::gen::oneOf(
        rc::gen::map(
            rc::gen::elementOf(std::vector<std::string>{
                "Enter", "Esc",  "Up",   "Down", "Left",    "Right", "Home", "End", "Tab", "S-Tab",
                "Space", "Back", "PgDn", "PgUp", "M-Enter", "M-n",   "M-o",  "C-e", "C-_", "j",
                "k",     "o",    "n",    "?",    "1",       "2",     "5",    "9",   "a",   "界"}),
            named),
        rc::gen::just(Key{.code = Key::Code::paste, .text = "pasted\ntext"}));
}

RC_GTEST_PROP(PromptProperty, NothingSettlesWithoutEnterAndNoTextIsLost, ()) {
    const std::vector<std::vector<Question>> asks = {
        {kDatabase}, {kFeatures}, {kName}, {kDatabase, kFeatures, kName}, {many()}, {kClosed}};
    const bool dismissible = *rc::gen::arbitrary<bool>();
    PromptState state = prompt(*rc::gen::elementOf(asks), dismissible);
    Mono now = kNow;
    for (const Key& key : *rc::gen::container<std::vector<Key>>(any_key())) {
        const auto before = state.questions;
        const Mode mode = state.mode;
        const PromptEffect effect = press(state, key, now += std::chrono::seconds(1));
        const bool settles = effect.kind == Kind::answer || effect.kind == Kind::dismiss;
        RC_ASSERT(!settles || key.is(Key::Code::enter));
        RC_ASSERT(effect.kind != Kind::dismiss || dismissible);
        if (effect.kind == Kind::answer)
            RC_ASSERT(check_answers(state.spec->questions, effect.answers, {}).has_value());
        for (std::size_t i = 0; i < before.size(); ++i) {
            // A text changes only by a key that was given to it.
            const bool is_here = i == state.index;
            const bool typed = is_here && state.mode == Mode::typing;
            const bool noted = is_here && state.mode == Mode::noting;
            if (!typed) RC_ASSERT(state.questions[i].other.text() == before[i].other.text());
            if (!noted) RC_ASSERT(state.questions[i].note.text() == before[i].note.text());
            RC_ASSERT(state.questions[i].rows.empty() ||
                      state.questions[i].cursor < state.questions[i].rows.size());
            const auto picks = std::ranges::count(state.questions[i].picked, true);
            const bool is_one = !state.spec->questions[i].multi_select;
            if (is_one) RC_ASSERT(picks <= 1);
            if (is_one && picks == 1)
                RC_ASSERT(state.questions[i].picked[state.questions[i].cursor]);
        }
        if (mode == Mode::sending) RC_ASSERT(state.mode == Mode::sending);
        // And it can be drawn, in any room.
        const PromptLook look{.columns = *rc::gen::inRange(20, 120),
                              .rows = *rc::gen::inRange(5, 40)};
        const Block block = draw_prompt(state, look).block;
        RC_ASSERT(block.height() <= look.rows);
        for (const Line& line : block.lines) RC_ASSERT(line_width(line) <= look.columns);
        RC_ASSERT(block.cursor.has_value());
        if (settles) return;
    }
}

}  // namespace
}  // namespace parley
