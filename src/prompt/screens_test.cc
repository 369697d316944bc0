// SPDX-License-Identifier: Apache-2.0
// Whole screens, as they were looked at and found good: expected_screens/NAME.txt. A change that is
// meant is taken over with PARLEY_UPDATE_SCREENS=1, and is then seen in the diff of those files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "prompt/inbox_state.h"
#include "prompt/inbox_view.h"
#include "prompt/permission_asks_test.h"
#include "prompt/prompt_view.h"
#include "term/test_grid.h"

namespace parley {
namespace {

using Code = Key::Code;

const Instant kScreenTime(std::chrono::hours(1000));
const InboxNow kBoth{Mono(std::chrono::hours(1)), kScreenTime};

std::string at_one_time(Instant) {
    return "14:03";
}

// `shown` without the empty rows at its end.
void expect_screen(const std::string& name, std::string shown) {
    while (shown.ends_with("\n\n")) shown.pop_back();
    const std::string path = std::string(PARLEY_SCREENS) + "/" + name + ".txt";
    if (std::getenv("PARLEY_UPDATE_SCREENS") != nullptr) std::ofstream(path) << shown;
    std::ostringstream known;
    known << std::ifstream(path).rdbuf();
    EXPECT_EQ(shown, known.str()) << name;
}

struct Size {
    const char* name;
    int columns;
    int rows;
    Charset charset = Charset::utf8;
};
const std::vector<Size> kSizes = {{"40x12", 40, 12},
                                  {"80x24", 80, 24},
                                  {"200x60", 200, 60},
                                  {"80x24-ascii", 80, 24, Charset::ascii}};

AskSpec plan() {
    return {.questions = {{.text = "Which layout should the settings page have?",
                           .header = "Layout",
                           .options = {{"Tabs (Recommended)", "One tab for each area",
                                        "```\n[General] [Keys] [About]\n  name: ____\n```"},
                                       {"Long page", "All on one page", "# All\n\n- one\n- two"},
                                       {"Wizard", "Step by step"}}},
                          {.text = "Which languages?",
                           .header = "Languages",
                           .options = {{"English", ""}, {"日本語", "全角の説明"}},
                           .multi_select = true},
                          {.text = "What is it called?", .header = "Name", .options = {}}},
            .context =
                "# Plan\n\nI looked at **three** ways:\n\n1. tabs\n2. one page\n\n"
                "| way | files |\n|---|---|\n| tabs | 3 |\n"};
}

AskSpec wide() {
    return {
        .questions = {{.text = "どのデータベースを使いますか？ 👩‍💻 e\u0301",
                       .header = "選択",
                       .options = {{"普通 (Recommended)", "すでにあるもの。変更は要りません。"},
                                   {"👍🏽 よい", "🇩🇪 und 👨‍👩‍👧‍👦"},
                                   {"العربية", "مرحبا بالعالم"},
                                   {"עברית", "שלום"}}}}};
}

AskSpec long_winded() {
    std::string text = "The first line says what is deleted.";
    for (int i = 1; i <= 40; ++i) text += "\nLine " + std::to_string(i) + " of the question.";
    std::string description;
    for (int i = 1; i <= 120; ++i) description += "word" + std::to_string(i) + " ";
    return {.questions = {{.text = text,
                           .header = "Sure",
                           .options = {{"Yes", description}, {"No", "Nothing is deleted"}}}}};
}

AskSpec many() {
    Question question{.text = "Which region?", .header = "Region", .options = {}};
    for (int i = 1; i <= 30; ++i)
        question.options.push_back({"region-" + std::to_string(i), "Data centre"});
    return {.questions = {question}};
}

PromptState screen_of(AskSpec spec) {
    return {std::make_shared<AskSpec>(std::move(spec)), {}};
}

void press(PromptState& state, std::initializer_list<Key> keys) {
    static Mono now = kBoth.mono;
    for (const Key& key : keys) {
        state.was_shown();
        (void)reduce(state, key, now += std::chrono::seconds(1));
    }
}

void expect_prompt(const std::string& name, const PromptState& state) {
    for (const Size& size : kSizes) {
        const PromptLook look{.columns = size.columns,
                              .rows = size.rows - 1,
                              .charset = size.charset,
                              .time_left = std::chrono::seconds(299)};
        expect_screen(
            "prompt-" + name + "-" + size.name,
            text_of(to_picture(draw_prompt(state, look).block, look.columns, look.rows).grid));
    }
}

TEST(PromptScreens, Choosing) {
    expect_prompt("plan", screen_of(plan()));
    expect_prompt("wide", screen_of(wide()));
    expect_prompt("long", screen_of(long_winded()));
    expect_prompt("many", screen_of(many()));
}

TEST(PromptScreens, Answering) {
    PromptState state = screen_of(plan());
    press(state,
          {{.text = "o"},
           {.code = Code::paste, .text = "Two columns, 左と右,\nwith the names at the left"}});
    expect_prompt("typing", state);
    press(state, {{.code = Code::escape}, {.code = Code::enter}, {.text = "2"}});
    press(state, {{.text = "n", .is_alt = true}, {.code = Code::paste, .text = "only for now"}});
    expect_prompt("note", state);
    press(state, {{.code = Code::enter}, {.code = Code::enter}, {.code = Code::tab}});
    expect_prompt("review", state);
}

TEST(PromptScreens, OtherModes) {
    PromptState state = screen_of(plan());
    press(state, {{.text = "?"}});
    expect_prompt("help", state);
    press(state, {{.text = "x"}, {.code = Code::escape}});
    expect_prompt("dismissing", state);
    AskSpec spec = plan();
    spec.dismissible = false;
    PromptState folded = screen_of(std::move(spec));
    press(folded, {{.code = Code::escape}});
    expect_prompt("folded", folded);
}

// What is permitted stands where it is decided, at every size.
TEST(PromptScreens, Permissions) {
    expect_prompt("bash", screen_of(test::bash_ask()));
    expect_prompt("write", screen_of(test::write_ask()));
    expect_prompt("edit", screen_of(test::edit_ask()));
    expect_prompt("permitted-plan", screen_of(test::plan_ask()));
    expect_prompt("mcp", screen_of(test::mcp_ask()));
}

AskPtr screen_ask(std::uint64_t number, AskSpec spec, Millis age, std::optional<Millis> left = {}) {
    Ask made{.id = AskId(IdBits{.high = number}),
             .session = SessionId(IdBits{.high = number}),
             .spec = std::make_shared<AskSpec>(std::move(spec)),
             .created_at = kScreenTime - age};
    if (left) made.deadline = kScreenTime + *left;
    return std::make_shared<Ask>(std::move(made));
}

InboxState inbox() {
    using std::chrono::minutes;
    AskSpec first = plan();
    first.agent = "claude";
    AskSpec second = wide();
    second.agent = "opencode";
    AskSpec third{.questions = {{.text = "Delete 214 rows from production?",
                                 .header = "Delete",
                                 .options = {{"Allow once", ""}, {"Deny", ""}}}},
                  .agent = "claude",
                  .urgency = Urgency::high};
    AskSpec fourth = long_winded();
    fourth.urgency = Urgency::low;
    InboxState state;
    const auto give = [&](const Frame& frame) { take(state, frame, at_one_time, kBoth); };
    give(SnapshotAsk{screen_ask(1, first, minutes(3))});
    give(SnapshotAsk{screen_ask(2, second, minutes(130))});
    give(SnapshotAsk{screen_ask(3, third, Millis(5000), minutes(15))});
    give(SnapshotAsk{screen_ask(4, fourth, minutes(60 * 50))});
    give(SnapshotEnd{});
    const char* names[] = {"settings", "データ", "billing", "clean-up"};
    for (std::uint64_t i = 1; i <= 4; ++i) {
        const SessionId id(IdBits{.high = i});
        state.sessions[id] = std::make_shared<Session>(Session{.id = id, .name = names[i - 1]});
    }
    state.link = FollowListener::State::connected;
    return state;
}

// Seen first, and in no hurry.
void press(InboxState& state, const Key& key) {
    static Mono now = kBoth.mono;
    (void)draw_inbox(state, {.shown_time = at_one_time}, kScreenTime);
    (void)reduce(state, key, {now += std::chrono::seconds(1), kScreenTime});
}

void expect_inbox(const std::string& name, InboxState& state) {
    for (const Size& size : kSizes) {
        const InboxLook look{.columns = size.columns,
                             .rows = size.rows,
                             .charset = size.charset,
                             .shown_time = at_one_time};
        expect_screen("inbox-" + name + "-" + size.name,
                      text_of(draw_inbox(state, look, kScreenTime).grid));
    }
}

TEST(InboxScreens, List) {
    InboxState state = inbox();
    expect_inbox("list", state);
    press(state, {.code = Code::down});
    press(state, {.text = "s"});
    press(state, {.text = "z"});
    state.link = FollowListener::State::retrying;
    expect_inbox("snoozed", state);
    InboxState empty;
    take(empty, SnapshotEnd{}, at_one_time, kBoth);
    empty.link = FollowListener::State::connected;
    expect_inbox("empty", empty);
}

TEST(InboxScreens, ANoticeSaysWhoSpeaksAndCoversNothing) {
    InboxState state = inbox();
    const Event said{.cursor = {},
                     .at = kScreenTime,
                     .session = SessionId(IdBits{.high = 3}),
                     .body = NoticeGiven{.text = "The copy of the invoices is half done.\n\n\n"
                                                 "It goes on in the background; you will be asked "
                                                 "again before the old table is dropped, and not "
                                                 "earlier than tomorrow at nine."}};
    take(state, std::make_shared<Event>(said), at_one_time, kBoth);
    expect_inbox("notice", state);
    const InboxLook look{.shown_time = at_one_time};
    const Instant later = kScreenTime + std::chrono::minutes(1);
    EXPECT_EQ(text_of(draw_inbox(state, look, later).grid).find("invoices"), std::string::npos);
}

TEST(InboxScreens, Permissions) {
    InboxState state;
    const auto give = [&](const Frame& frame) { take(state, frame, at_one_time, kBoth); };
    std::uint64_t number = 0;
    for (const AskSpec& spec : {test::bash_ask(), test::write_ask(), test::edit_ask(),
                                test::plan_ask(), test::mcp_ask()}) {
        ++number;
        give(SnapshotAsk{screen_ask(number, spec, std::chrono::minutes(3 * number))});
    }
    give(SnapshotEnd{});
    for (std::uint64_t i = 1; i <= number; ++i) {
        const SessionId id(IdBits{.high = i});
        state.sessions[id] = std::make_shared<Session>(Session{.id = id, .name = "shop"});
    }
    state.link = FollowListener::State::connected;
    expect_inbox("permissions", state);
    press(state, {.code = Code::enter});
    expect_inbox("permission-open", state);
}

TEST(InboxScreens, Others) {
    InboxState state = inbox();
    press(state, {.text = "?"});
    expect_inbox("help", state);
    press(state, {.text = "x"});
    press(state, {.code = Code::down});
    press(state, {.code = Code::enter});
    expect_inbox("open", state);
    press(state, {.code = Code::escape});
    Ask ended = *state.pending.begin()->second;
    ended.settlement = std::make_shared<Settlement>(
        Settlement{.answers = {{.selected = {"Wizard"}}, {.selected = {"日本語"}}, {.other = "x"}},
                   .decider = {.kind = Decider::Kind::person, .name = "bob"},
                   .door = "page",
                   .at = kScreenTime});
    Ask dismissed = *state.pending.rbegin()->second;
    dismissed.settlement = std::make_shared<Settlement>(
        Settlement{.outcome = Outcome::dismissed,
                   .decider = {.kind = Decider::Kind::person, .name = "ada"},
                   .door = "terminal",
                   .at = kScreenTime,
                   .note = "not this week"});
    take_history(state, {std::make_shared<Ask>(dismissed), std::make_shared<Ask>(ended)});
    press(state, {.text = "h"});
    expect_inbox("history", state);
}

}  // namespace
}  // namespace parley
