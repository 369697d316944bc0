// SPDX-License-Identifier: Apache-2.0
// Every key in every mode of a prompt. A row names the keys that do something there and what; each
// key that it does not name must do nothing at all.
#include "prompt/prompt_keys_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace parley {
namespace {

using Kind = PromptEffect::Kind;
using Mode = PromptMode;

const std::vector<std::string> kAllKeys = {
    "Enter",  "M-Enter", "Esc",   "Tab",   "S-Tab",   "Space", "Back", "Del",  "Ins",
    "Up",     "Down",    "Left",  "Right", "Home",    "End",   "PgUp", "PgDn", "M-Up",
    "M-Down", "Paste",   "Focus", "Blur",  "C-c",     "C-z",   "C-e",  "C-_",  "C-w",
    "M-n",    "M-o",     "M-?",   "C-a",   "C-Space", "j",     "k",    "o",    "n",
    "s",      "?",       "1",     "2",     "9",       "x",     "界"};

std::string name_of(Kind kind) {
    switch (kind) {
        case Kind::none: return "";
        case Kind::answer: return "answer";
        case Kind::dismiss: return "dismiss";
        case Kind::interrupt: return "interrupt";
        case Kind::suspend: return "suspend";
        case Kind::open_editor: return "editor";
        case Kind::close: return "close";
    }
    return "?";
}

std::string name_of(Mode mode) {
    switch (mode) {
        case Mode::choosing: return "choosing";
        case Mode::typing: return "typing";
        case Mode::noting: return "noting";
        case Mode::reviewing: return "reviewing";
        case Mode::dismissing: return "dismissing";
        case Mode::helping: return "helping";
        case Mode::folded: return "folded";
        case Mode::sending: return "sending";
    }
    return "?";
}

std::string picks_of(const QuestionState& question) {
    std::string picks;
    for (std::size_t row = 0; row < question.picked.size(); ++row)
        if (question.picked[row]) picks += fmt::format("{}{}", picks.empty() ? "" : "+", row + 1);
    return picks.empty() ? "none" : picks;
}

// What a key changed, in words; of the question that was in hand before it.
std::string outcome(const PromptState& before, const PromptState& after, Kind effect) {
    std::vector<std::string> words;
    const auto add = [&](bool is_so, std::string word) {
        if (is_so) words.push_back(std::move(word));
    };
    const QuestionState& was = before.current();
    const QuestionState& is = after.questions[before.index];
    add(effect != Kind::none, name_of(effect));
    add(before.mode != after.mode, name_of(after.mode));
    add(before.index != after.index, fmt::format("question={}", after.index + 1));
    add(was.cursor != is.cursor, fmt::format("row={}", is.cursor + 1));
    add(was.picked != is.picked, fmt::format("picks={}", picks_of(is)));
    add(was.filter != is.filter, fmt::format("filter='{}'", is.filter));
    add(was.other.text() != is.other.text(), fmt::format("text='{}'", is.other.text()));
    add(was.note.text() != is.note.text(), fmt::format("note='{}'", is.note.text()));
    add(before.reason.text() != after.reason.text(),
        fmt::format("reason='{}'", after.reason.text()));
    add(before.review_cursor != after.review_cursor,
        fmt::format("line={}", after.review_cursor + 1));
    add(before.context_scroll != after.context_scroll,
        fmt::format("context={}", after.context_scroll));
    add(before.preview_scroll != after.preview_scroll,
        fmt::format("preview={}", after.preview_scroll));
    add(!after.notice.empty(), "says");
    return fmt::format("{}", fmt::join(words, " "));
}

struct Does {
    const char* keys;
    std::string what;
};

// `reach` leads from a fresh prompt into the mode.
void expect_keys(const PromptState& fresh, const std::string& reach, std::vector<Does> table) {
    SCOPED_TRACE(reach);
    PromptState state = fresh;
    state.drawn({.context_max = 100, .preview_max = 100});
    press(state, reach);
    state.notice.clear();
    std::map<std::string, std::string> expected = {{"C-c", "interrupt"}, {"C-z", "suspend"}};
    for (const Does& each : table) {
        std::istringstream keys(each.keys);
        for (std::string key; keys >> key;) expected[key] = each.what;
    }
    std::set<std::string> known(kAllKeys.begin(), kAllKeys.end());
    for (const auto& [key, what] : expected) EXPECT_TRUE(known.contains(key)) << key;
    for (const std::string& key : kAllKeys) {
        PromptState after = state;
        const PromptEffect effect = press(after, named(key), kNow + std::chrono::hours(10));
        EXPECT_EQ(outcome(state, after, effect.kind), expected[key]) << "key " << key;
    }
}

const Does kScrolling = {"PgDn", "preview=1"};
const Does kContext = {"M-Down", "context=1"};

TEST(PromptKeys, ChoosingOne) {
    for (const bool dismissible : {true, false}) {
        expect_keys(prompt({kDatabase}, dismissible), "",
                    {{"Enter", "answer sending picks=1"},
                     {"Esc", dismissible ? "dismissing" : "folded"},
                     {"Down j 2", "row=2"},
                     {"Up k", "row=4"},
                     {"End", "preview=100"},
                     {"Space C-Space 1", "picks=1"},
                     {"2", "row=2 picks=2"},
                     {"s", "row=3"},
                     {"9", "says"},
                     {"o M-o", "typing row=4"},
                     {"M-n", "noting"},
                     {"? M-?", "helping"},
                     {"C-e", "editor"},
                     kScrolling,
                     kContext});
    }
    // The mark goes where the cursor goes; a row that wants a text has none without it.
    expect_keys(prompt({kDatabase}), "2",
                {{"Enter", "answer sending"},
                 {"Esc", "dismissing"},
                 {"Down j s", "row=3 picks=3"},
                 {"Up k 1", "row=1 picks=1"},
                 {"End", "preview=100"},
                 {"9", "says"},
                 {"o M-o", "typing row=4 picks=none"},
                 {"M-n", "noting"},
                 {"? M-?", "helping"},
                 {"C-e", "editor"},
                 kScrolling,
                 kContext});
}

TEST(PromptKeys, OnTheRowForOtherWords) {
    expect_keys(prompt({kDatabase}), "Up",
                {{"Enter Space C-Space", "typing"},
                 {"o", "typing picks=4 text='o'"},
                 {"n", "typing picks=4 text='n'"},
                 {"s", "typing picks=4 text='s'"},
                 {"?", "typing picks=4 text='?'"},
                 {"1", "typing picks=4 text='1'"},
                 {"2", "typing picks=4 text='2'"},
                 {"9", "typing picks=4 text='9'"},
                 {"x", "typing picks=4 text='x'"},
                 {"j", "typing picks=4 text='j'"},
                 {"k", "typing picks=4 text='k'"},
                 {"界", "typing picks=4 text='界'"},
                 {"Paste", "typing picks=4 text='p\nq'"},
                 {"Esc", "dismissing"},
                 {"Down", "row=1"},
                 {"End", "preview=100"},
                 {"Up", "row=3"},
                 {"M-o", "typing"},
                 {"M-n", "noting"},
                 {"M-?", "helping"},
                 {"C-e", "editor"},
                 kScrolling,
                 kContext});
}

TEST(PromptKeys, ChoosingSeveral) {
    expect_keys(prompt({kFeatures}), "2",
                {{"Enter", "reviewing line=2"},
                 {"Esc", "dismissing"},
                 {"Down j s", "row=3"},
                 {"Up k", "row=1"},
                 {"End", "preview=100"},
                 {"Space C-Space 2", "picks=none"},
                 {"1", "row=1 picks=1+2"},
                 {"C-a", "picks=1+2+3"},
                 {"9", "says"},
                 {"Tab Right", "reviewing line=2"},
                 {"o", ""},
                 {"M-o", "typing row=4"},
                 {"M-n", "noting"},
                 {"? M-?", "helping"},
                 {"C-e", "editor"},
                 kScrolling,
                 kContext});
}

TEST(PromptKeys, TheMiddleOfSeveralQuestions) {
    expect_keys(prompt({kClosed, kClosed, kName}), "Right",
                {{"Enter", "typing question=3 picks=1"},
                 {"Esc", "dismissing"},
                 {"Down j Up k n", "row=2"},
                 {"End", "preview=100"},
                 {"Space C-Space 1", "picks=1"},
                 {"2", "row=2 picks=2"},
                 {"9 o M-o C-e", "says"},
                 {"Tab Right", "typing question=3"},
                 {"S-Tab Left", "question=1"},
                 {"M-n", "noting"},
                 {"? M-?", "helping"},
                 kScrolling,
                 kContext});
}

TEST(PromptKeys, ManyChoicesAndAFilter) {
    expect_keys(prompt({many()}), "",
                {{"Enter", "answer sending picks=1"},
                 {"Esc", "dismissing"},
                 {"Down", "row=2"},
                 {"Up End", "row=14"},
                 {"C-Space", "picks=1"},
                 {"Space", "filter=' '"},
                 {"1", "filter='1'"},
                 {"2", "row=2 filter='2'"},
                 {"9", "row=9 filter='9'"},
                 {"j", "row=13 filter='j'"},
                 {"o", "filter='o'"},
                 {"n", "filter='n'"},
                 {"k", "filter='k'"},
                 {"s", "filter='s'"},
                 {"x", "filter='x'"},
                 {"?", "filter='?'"},
                 {"界", "filter='界'"},
                 {"Paste", "filter='p q'"},
                 {"M-o", "typing row=14"},
                 {"M-n", "noting"},
                 {"M-?", "helping"},
                 {"C-e", "editor"},
                 kScrolling,
                 kContext});
    expect_keys(prompt({many()}), "\"opt\"",
                {{"Enter", "answer sending picks=1"},
                 {"Esc", "filter=''"},
                 {"Down", "row=2"},
                 {"Up End", "row=14"},
                 {"C-Space", "picks=1"},
                 {"Space", "filter='opt '"},
                 {"Back", "filter='op'"},
                 {"1", "filter='opt1'"},
                 {"2", "filter='opt2'"},
                 {"9", "filter='opt9'"},
                 {"j", "filter='optj'"},
                 {"k", "filter='optk'"},
                 {"o", "filter='opto'"},
                 {"n", "filter='optn'"},
                 {"s", "filter='opts'"},
                 {"x", "filter='optx'"},
                 {"?", "filter='opt?'"},
                 {"界", "filter='opt界'"},
                 {"Paste", "filter='optp q'"},
                 {"M-o", "typing row=14 filter=''"},
                 {"M-n", "noting"},
                 {"M-?", "helping"},
                 {"C-e", "editor"},
                 kScrolling,
                 kContext});
}

TEST(PromptKeys, AFilterThatNothingMatches) {
    // No row is in hand, and nothing is answered.
    expect_keys(prompt({many()}), "\"zzz\"",
                {{"Enter C-Space", "says"},
                 {"Esc", "filter=''"},
                 {"Down Up Home End", "row=14"},
                 {"Space", "filter='zzz '"},
                 {"Back", "filter='zz'"},
                 {"1", "filter='zzz1'"},
                 {"2", "filter='zzz2'"},
                 {"9", "filter='zzz9'"},
                 {"j", "filter='zzzj'"},
                 {"k", "filter='zzzk'"},
                 {"o", "filter='zzzo'"},
                 {"n", "filter='zzzn'"},
                 {"s", "filter='zzzs'"},
                 {"x", "filter='zzzx'"},
                 {"?", "filter='zzz?'"},
                 {"界", "filter='zzz界'"},
                 {"Paste", "filter='zzzp q'"},
                 {"M-o", "typing row=14 filter=''"},
                 {"M-n", "noting"},
                 {"M-?", "helping"},
                 {"C-e", "editor"},
                 kScrolling,
                 kContext});
}

TEST(PromptKeys, ManyOfWhichSeveralMayBeChosen) {
    Question question = many();
    question.multi_select = true;
    PromptState state = prompt({question});
    press(state, "Space Down Space");
    EXPECT_EQ(state.answers(), (Answers{{.selected = {"Option 1", "Option 2"}}}));
    press(state, "\"java\" Space");
    EXPECT_EQ(state.current().filter, "java ") << "a blank is part of the filter then";
    press(state, "C-Space Esc");
    EXPECT_EQ(state.answers(), (Answers{{.selected = {"Option 1", "Option 2", "Java"}}}));
    press(state, "\"option\" C-a Esc");
    EXPECT_EQ(state.answers().front().selected.size(), 13U) << "all that are shown";
    press(state, "C-a");
    EXPECT_TRUE(state.answers().front().selected.empty()) << "and none of them";
}

// What a field does with its keys: text_editor_test.cc.
std::vector<Does> field_keys(const std::string& name, const std::string& picks = "") {
    const auto becomes = [&](const std::string& text) {
        return fmt::format("{}{}='{}'", picks, name, text);
    };
    return {{"Space", becomes("ab ")},
            {"Back", becomes("a")},
            {"j", becomes("abj")},
            {"k", becomes("abk")},
            {"o", becomes("abo")},
            {"n", becomes("abn")},
            {"s", becomes("abs")},
            {"?", becomes("ab?")},
            {"1", becomes("ab1")},
            {"2", becomes("ab2")},
            {"9", becomes("ab9")},
            {"x", becomes("abx")},
            {"界", becomes("ab界")},
            kScrolling,
            kContext};
}
std::vector<Does> operator+(std::vector<Does> some, const std::vector<Does>& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

TEST(PromptKeys, TypingOtherWords) {
    expect_keys(prompt({kDatabase}), "o \"ab\"",
                field_keys("text") + std::vector<Does>{{"Paste", "text='abp\nq'"},
                                                       {"M-Enter", "text='ab\n'"},
                                                       {"Up", "choosing row=3 picks=3"},
                                                       {"C-w C-_", "picks=none text=''"},
                                                       {"Enter", "answer sending"},
                                                       {"Esc", "choosing"},
                                                       {"M-n", "noting"},
                                                       {"C-e", "editor"}});
    // Of several questions Tab goes on, and what was typed stays.
    expect_keys(prompt({kDatabase, kClosed}), "o \"ab\"",
                field_keys("text") + std::vector<Does>{{"Paste", "text='abp\nq'"},
                                                       {"M-Enter", "text='ab\n'"},
                                                       {"Up", "choosing row=3 picks=3"},
                                                       {"C-w C-_", "picks=none text=''"},
                                                       {"Enter Tab", "choosing question=2"},
                                                       {"Esc S-Tab", "choosing"},
                                                       {"M-n", "noting"},
                                                       {"C-e", "editor"}});
}

TEST(PromptKeys, TypingWhereThereIsNothingToChoose) {
    expect_keys(prompt({kName}), "\"ab\"",
                field_keys("text") + std::vector<Does>{{"Paste", "text='abp\nq'"},
                                                       {"M-Enter", "text='ab\n'"},
                                                       {"C-w C-_", "text=''"},
                                                       {"Enter", "answer sending"},
                                                       {"Esc", "choosing"},
                                                       {"M-n", "noting"},
                                                       {"C-e", "editor"}});
    // The field was left, and any key that types goes back into it.
    expect_keys(
        prompt({kName}), "\"ab\" Esc",
        field_keys("text", "typing ") +
            std::vector<Does>{{"Paste", "typing text='abp\nq'"},
                              {"M-Enter", "typing"},
                              {"C-w C-_", "typing text=''"},
                              {"Enter Del Ins Up Down Home End M-o M-? C-a C-Space", "typing"},
                              {"Esc", "dismissing"},
                              {"M-n", "noting"},
                              {"C-e", "editor"}});
}

TEST(PromptKeys, Noting) {
    expect_keys(prompt({kDatabase}), "M-n \"ab\"",
                field_keys("note") + std::vector<Does>{{"Paste", "note='abp\nq'"},
                                                       {"M-Enter", "note='ab\n'"},
                                                       {"C-w C-_", "note=''"},
                                                       {"Enter Esc", "choosing"},
                                                       {"C-e", "editor"}});
}

TEST(PromptKeys, Reviewing) {
    // The second question is unanswered: the cursor stands on it.
    expect_keys(prompt({kClosed, kClosed}), "Enter Tab",
                {{"Enter 2", "choosing"},
                 {"Up k", "line=1"},
                 {"Down j", "line=3"},
                 {"1", "choosing question=1"},
                 {"S-Tab Left", "choosing"},
                 {"Esc", "dismissing"},
                 {"?", "helping"},
                 kScrolling,
                 kContext});
    expect_keys(prompt({kClosed, kClosed}), "Enter Tab Down",
                {{"Enter", "line=2 says"},
                 {"Up k", "line=2"},
                 {"Down j", "line=1"},
                 {"1", "choosing question=1"},
                 {"2", "choosing"},
                 {"S-Tab Left", "choosing"},
                 {"Esc", "dismissing"},
                 {"?", "helping"},
                 kScrolling,
                 kContext});
    expect_keys(prompt({kFeatures}), "1 Enter",
                {{"Enter", "answer sending"},
                 {"Up k Down j", "line=1"},
                 {"1 S-Tab Left", "choosing"},
                 {"Esc", "dismissing"},
                 {"?", "helping"},
                 kScrolling,
                 kContext});
}

TEST(PromptKeys, Dismissing) {
    expect_keys(prompt({kDatabase}), "Esc \"ab\"",
                field_keys("reason") + std::vector<Does>{{"Paste", "reason='abp q'"},
                                                         {"C-w C-_", "reason=''"},
                                                         {"Enter", "dismiss sending"},
                                                         {"Esc", "choosing"}});
}

TEST(PromptKeys, HelpingFoldedAndSending) {
    const auto all_but = [&](std::set<std::string> few) {
        few.insert({"C-c", "C-z", "Focus", "Blur"});
        std::string keys;
        for (const std::string& key : kAllKeys)
            if (!few.contains(key)) keys += key + " ";
        return keys;
    };
    const std::string back =
        all_but({"Up", "Down", "PgUp", "PgDn", "M-Up", "M-Down", "Home", "End"});
    expect_keys(prompt({kDatabase}), "?",
                {{back.c_str(), "choosing"},
                 {"End", "preview=100"},
                 {"Down", "preview=1"},
                 {"PgDn", "preview=1"},
                 {"M-Down", "preview=1"}});
    const std::string opens = all_but({"PgUp", "PgDn", "M-Up", "M-Down"});
    expect_keys(prompt({kDatabase}, false), "Esc",
                {{opens.c_str(), "choosing"}, kScrolling, kContext});
    expect_keys(prompt({kDatabase}), "Enter", {});
}

}  // namespace
}  // namespace parley
