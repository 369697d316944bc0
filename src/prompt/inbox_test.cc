// SPDX-License-Identifier: Apache-2.0
// The inbox as a fold over frames and keys, and how it looks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/properties_test.h"
#include "prompt/inbox_state.h"
#include "prompt/inbox_view.h"
#include "prompt/limits.h"
#include "term/test_grid.h"

namespace parley {
namespace {

using Effect = InboxEffect::Kind;
using testing::HasSubstr;
using testing::Not;

const InboxNow kInboxNow{Mono(std::chrono::hours(1)), Instant(Millis(10'000'000))};
const SessionId kSession(IdBits{.high = 7});

std::string at_some_time(Instant) {
    return "14:03";
}

AskPtr ask(std::uint64_t number, std::string text, Urgency urgency = Urgency::normal,
           bool dismissible = true) {
    AskSpec spec{.questions = {{.text = std::move(text),
                                .header = "Ask",
                                .options = {{"Yes", ""}, {"No", ""}}}},
                 .agent = "claude",
                 .urgency = urgency,
                 .dismissible = dismissible};
    return std::make_shared<Ask>(Ask{.id = AskId(IdBits{.high = number}),
                                     .session = kSession,
                                     .spec = std::make_shared<AskSpec>(std::move(spec)),
                                     .created_at = kInboxNow.wall - std::chrono::minutes(3)});
}

AskPtr settled(const AskPtr& pending, std::string by = "bob") {
    Ask ended = *pending;
    ended.settlement = std::make_shared<Settlement>(
        Settlement{.answers = {{.selected = {"Yes"}}},
                   .decider = {.kind = Decider::Kind::person, .name = std::move(by)},
                   .door = "page",
                   .at = kInboxNow.wall});
    return std::make_shared<Ask>(std::move(ended));
}

Frame event(EventBody body) {
    return std::make_shared<Event>(
        Event{.cursor = {}, .at = kInboxNow.wall, .session = kSession, .body = std::move(body)});
}

struct Fixture {
    InboxState state = {};

    explicit Fixture(const std::vector<AskPtr>& asks) {
        for (const AskPtr& each : asks) give(SnapshotAsk{each});
        give(SnapshotEnd{});
        state.link = FollowListener::State::connected;
    }
    Mono now = kInboxNow.mono;

    InboxNow moment() const { return {now, kInboxNow.wall}; }
    InboxNews give(const Frame& frame) { return take(state, frame, at_some_time, moment()); }
    // The picture is shown before each key, and keys come in no hurry.
    InboxEffect press(const Key& key) {
        now += std::chrono::seconds(1);
        return press_at_once(key);
    }
    InboxEffect press_at_once(const Key& key) {
        (void)screen();
        return reduce(state, key, moment());
    }
    InboxEffect press(Key::Code code) { return press(Key{.code = code}); }
    InboxEffect type(const std::string& text) {
        InboxEffect effect;
        for (const char c : text) effect = press(Key{.text = std::string(1, c)});
        return effect;
    }
    std::string screen(int columns = 80, int rows = 24) {
        return text_of(draw_inbox(state,
                                  {.columns = columns, .rows = rows, .shown_time = at_some_time},
                                  kInboxNow.wall)
                           .grid);
    }
};

TEST(Inbox, TheUrgentFirstThenTheOldest) {
    Fixture inbox({ask(3, "new"), ask(1, "old"), ask(2, "low", Urgency::low),
                   ask(4, "urgent", Urgency::high)});
    std::vector<std::string> order;
    for (const AskPtr& row : inbox.state.rows(kInboxNow.wall))
        order.push_back(row->spec->questions.front().text);
    EXPECT_THAT(order, testing::ElementsAre("urgent", "old", "new", "low"));
}

TEST(Inbox, WhatArrivesNeitherMovesTheCursorNorTakesTheText) {
    Fixture inbox({ask(1, "one"), ask(2, "two")});
    inbox.press(Key::Code::down);
    inbox.press(Key::Code::enter);
    inbox.type("otyped");
    EXPECT_EQ(inbox.give(event(AskOpened{ask(3, "three", Urgency::high)})).arrived.size(), 1U);
    EXPECT_EQ(inbox.state.prompt()->current().other.text(), "typed");
    inbox.press(Key::Code::escape);
    const InboxEffect left = inbox.press(Key::Code::escape);
    EXPECT_EQ(left.kind, Effect::keep_draft);
    EXPECT_EQ(inbox.state.unsaved(left.ask).value().answers, (Answers{{.other = "typed"}}));
    EXPECT_EQ(inbox.state.selected, AskId(IdBits{.high = 2}));
    EXPECT_EQ(inbox.press(Key::Code::enter).kind, Effect::none) << "the draft is still here";
    EXPECT_EQ(inbox.state.prompt()->current().other.text(), "typed");
}

TEST(Inbox, AnAnswerIsSentOnceAndTheListComesBack) {
    Fixture inbox({ask(1, "one")});
    inbox.press(Key::Code::enter);
    const InboxEffect sent = inbox.press(Key::Code::enter);
    EXPECT_EQ(sent.kind, Effect::answer);
    EXPECT_EQ(sent.answers, (Answers{{.selected = {"Yes"}}}));
    inbox.give(event(AskSettled{settled(ask(1, "one"), "ada")}));
    EXPECT_TRUE(inbox.state.ended.empty()) << "it is ours; the reply says so";
    inbox.state.close();
    EXPECT_THAT(inbox.screen(), HasSubstr("Nothing waits."));
    EXPECT_EQ(inbox.state.settled.size(), 1U);
}

TEST(Inbox, SettledElsewhereIsSaidAndWhatIsTypedOnReachesNothing) {
    Fixture inbox({ask(1, "one"), ask(2, "two"), ask(3, "urgent", Urgency::high)});
    inbox.press(Key::Code::down);
    inbox.press(Key::Code::enter);
    inbox.type("omine");
    inbox.give(event(AskSettled{settled(ask(1, "one"))}));
    EXPECT_THAT(inbox.screen(), HasSubstr("answered by bob in the web page at 14:03: Ask: Yes"));
    EXPECT_THAT(inbox.screen(), HasSubstr("mine")) << "what was typed is still to be seen";
    EXPECT_EQ(inbox.type("and done sq").kind, Effect::none);
    EXPECT_EQ(inbox.press(Key::Code::enter).kind, Effect::none);
    EXPECT_EQ(inbox.press(Key::Code::tab).kind, Effect::none);
    EXPECT_EQ(inbox.state.screen, InboxScreen::ask);
    inbox.press(Key::Code::escape);
    EXPECT_EQ(inbox.state.screen, InboxScreen::list);
    EXPECT_THAT(inbox.screen(), HasSubstr("❯     Ask: two")) << "the neighbour is in hand";
    ASSERT_EQ(inbox.state.unsent.size(), 1U);
    EXPECT_EQ(inbox.state.unsent.front().text, "mine");
}

TEST(Inbox, EnterHeldDownAnswersOneAskAtMost) {
    Fixture inbox({ask(1, "one"), ask(2, "two"), ask(3, "three")});
    const auto repeat = [&](int times) {
        std::vector<AskId> sent;
        for (int i = 0; i < times; ++i) {
            inbox.now += std::chrono::milliseconds(i == 0 ? 660 : 33);
            const InboxEffect effect = inbox.press_at_once({.code = Key::Code::enter});
            if (effect.kind != Effect::answer) continue;
            sent.push_back(effect.ask);
            const AskPtr ended = settled(inbox.state.pending.at(effect.ask), "ada");
            inbox.give(event(AskSettled{ended}));
            inbox.state.close();
        }
        return sent;
    };
    inbox.press(Key::Code::enter);
    EXPECT_THAT(repeat(40), testing::IsEmpty()) << "it was opened by the same press";
    inbox.now += limits::kHeldKeyPause;
    const std::vector<AskId> sent = repeat(40);
    EXPECT_THAT(sent, testing::ElementsAre(AskId(IdBits{.high = 1})));
    EXPECT_EQ(inbox.state.screen, InboxScreen::list) << "the same press opens no other one";
    inbox.now += limits::kHeldKeyPause;
    inbox.press_at_once({.code = Key::Code::enter});
    EXPECT_EQ(inbox.state.opened, AskId(IdBits{.high = 2}));
}

TEST(Inbox, WhatHasJustComeIntoHandTakesNoKey) {
    Fixture inbox({ask(1, "one"), ask(2, "two")});
    inbox.give(event(AskSettled{settled(ask(1, "one"))}));
    for (const Key& key :
         std::vector<Key>{{.text = "d"}, {.text = "s"}, {.code = Key::Code::enter}}) {
        EXPECT_EQ(inbox.press_at_once(key).kind, Effect::none);
        EXPECT_EQ(inbox.state.screen, InboxScreen::list);
        EXPECT_THAT(inbox.state.notice, HasSubstr("just changed"));
    }
    inbox.now += limits::kStrayKeyGuard;
    inbox.press_at_once({.code = Key::Code::enter});
    EXPECT_EQ(inbox.state.opened, AskId(IdBits{.high = 2}));
    inbox.now += limits::kStrayKeyGuard / 2;
    inbox.press_at_once({.text = "2"});
    EXPECT_EQ(inbox.press_at_once({.code = Key::Code::enter}).kind, Effect::none);
    EXPECT_EQ(inbox.state.prompt()->answers(), (Answers{{.selected = {"No"}}}));
}

TEST(Inbox, AKeyMeansTheAskThatThePictureShowed) {
    Fixture inbox({ask(1, "one"), ask(2, "two")});
    (void)inbox.screen();
    inbox.now += std::chrono::seconds(1);
    inbox.state.selected = AskId(IdBits{.high = 2});
    EXPECT_EQ(reduce(inbox.state, {.text = "s"}, inbox.moment()).kind, Effect::none)
        << "the picture still has the other one in hand";
    EXPECT_EQ(inbox.press({.text = "s"}).ask, AskId(IdBits{.high = 2}));
}

TEST(Inbox, TheCursorStaysOrGoesToTheNeighbour) {
    Fixture inbox({ask(1, "one"), ask(2, "two"), ask(3, "three"), ask(4, "four")});
    const auto in_hand = [&] {
        const auto rows = inbox.state.rows(kInboxNow.wall);
        return rows[inbox.state.selected_row(rows)]->spec->questions.front().text;
    };
    inbox.give(event(AskOpened{ask(5, "urgent", Urgency::high)}));
    EXPECT_EQ(in_hand(), "one") << "also where no key was pressed yet";
    inbox.press(Key::Code::down);
    inbox.press(Key::Code::down);
    inbox.give(event(AskSettled{settled(ask(3, "three"))}));
    EXPECT_EQ(in_hand(), "four") << "the next";
    inbox.give(event(AskSettled{settled(ask(4, "four"))}));
    EXPECT_EQ(in_hand(), "two") << "else the one before";
    inbox.give(Reset{});
    inbox.give(SnapshotAsk{ask(1, "one")});
    inbox.give(SnapshotAsk{ask(5, "urgent", Urgency::high)});
    EXPECT_EQ(in_hand(), "two") << "what was known stands while the list is told anew";
    inbox.give(SnapshotEnd{});
    EXPECT_EQ(in_hand(), "one") << "the neighbour of what is gone";
}

TEST(Inbox, WhatTheSearchDoesNotShowTakesNoKeys) {
    Fixture inbox({ask(1, "apples"), ask(2, "pears")});
    inbox.type("/pear");
    inbox.press(Key::Code::enter);
    EXPECT_EQ(inbox.type("s").ask, AskId(IdBits{.high = 2}));
    inbox.type("/nothing like it");
    inbox.press(Key::Code::enter);
    for (const char* key : {"s", "d"}) EXPECT_EQ(inbox.type(key).kind, Effect::none);
    EXPECT_EQ(inbox.press(Key::Code::enter).kind, Effect::none);
    EXPECT_EQ(inbox.state.screen, InboxScreen::list);
}

TEST(Inbox, SearchFindsWordsInAnyOrderAlsoPasted) {
    Fixture inbox({ask(1, "Upgrade the router to 3.1"), ask(2, "Äpfel")});
    inbox.type("/3. router");
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 1U);
    inbox.press(Key::Code::escape);
    inbox.type("/");
    inbox.press({.code = Key::Code::paste, .text = "äPFEL\n"});
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 1U);
}

TEST(Inbox, SnoozedIsOutOfSightForAWhile) {
    Fixture inbox({ask(1, "one"), ask(2, "two"), ask(3, "three")});
    inbox.press(Key::Code::down);
    const InboxEffect effect = inbox.type("s");
    EXPECT_EQ(effect.kind, Effect::snooze);
    EXPECT_EQ(effect.period, std::chrono::minutes(10));
    EXPECT_THAT(inbox.screen(), Not(HasSubstr("Ask: two")));
    EXPECT_THAT(inbox.screen(), HasSubstr("2 waiting · 1 snoozed"));
    EXPECT_EQ(inbox.state.selected, AskId(IdBits{.high = 3}));
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall + std::chrono::minutes(11)).size(), 3U);
}

TEST(Inbox, DismissalIsAskedForWithAReason) {
    Fixture inbox({ask(1, "one"), ask(2, "two", Urgency::normal, false)});
    inbox.type("d");
    EXPECT_EQ(inbox.state.prompt()->mode, PromptMode::dismissing);
    inbox.type("no");
    EXPECT_EQ(inbox.press({.code = Key::Code::enter, .is_alt = true}).kind, Effect::none);
    const InboxEffect effect = inbox.press(Key::Code::enter);
    EXPECT_EQ(effect.kind, Effect::dismiss);
    EXPECT_EQ(effect.reason, "no");
    Fixture closed({ask(2, "two", Urgency::normal, false)});
    closed.type("d");
    EXPECT_EQ(closed.state.screen, InboxScreen::list);
    EXPECT_THAT(closed.state.notice, HasSubstr("does not let"));
}

TEST(Inbox, SearchNarrowsByQuestionAgentAndSession) {
    Fixture inbox({ask(1, "apples"), ask(2, "pears")});
    inbox.give(event(
        SessionCreated{std::make_shared<Session>(Session{.id = kSession, .name = "orchard"})}));
    inbox.type("/PEAR");
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 1U);
    inbox.press(Key::Code::escape);
    inbox.type("/orch");
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 2U);
    inbox.type("x");
    EXPECT_THAT(inbox.screen(), HasSubstr("Nothing matches"));
}

TEST(Inbox, AResetForgetsWhatIsNotToldAgain) {
    Fixture inbox({ask(1, "one"), ask(2, "two")});
    inbox.press(Key::Code::enter);
    inbox.give(Reset{});
    inbox.give(SnapshotAsk{ask(2, "two")});
    inbox.give(SnapshotEnd{});
    EXPECT_EQ(inbox.state.pending.size(), 1U);
    EXPECT_THAT(inbox.screen(), HasSubstr("settled while the connection was lost"));
}

TEST(Inbox, HistoryNamesWhatWasDecidedAndByWhom) {
    Fixture inbox({});
    take_history(inbox.state, {settled(ask(1, "one")), ask(2, "pending")});
    take_history(inbox.state, {settled(ask(1, "one"))});
    EXPECT_EQ(inbox.state.settled.size(), 1U);
    inbox.type("h");
    EXPECT_THAT(inbox.screen(), HasSubstr("✓ 14:03  Ask: Yes  answered by bob in the web page"));
    inbox.press(Key::Code::escape);
    EXPECT_EQ(inbox.state.screen, InboxScreen::list);
}

TEST(Inbox, HistoryOfOneMillisecondKeepsTheOrderOfTheDecisions) {
    Fixture inbox({});
    take_history(inbox.state, {settled(ask(1, "one")), settled(ask(2, "two"))});
    ASSERT_EQ(inbox.state.settled.size(), 2U);
    EXPECT_EQ(inbox.state.settled.front()->id, ask(1, "one")->id);
}

TEST(Inbox, KeysOfTheList) {
    Fixture inbox({ask(1, "one"), ask(2, "two"), ask(3, "three")});
    const auto row = [&] { return inbox.state.selected_row(inbox.state.rows(kInboxNow.wall)); };
    inbox.type("j");
    EXPECT_EQ(row(), 1U);
    inbox.type("jj");
    EXPECT_EQ(row(), 0U) << "it wraps";
    inbox.type("k");
    EXPECT_EQ(row(), 2U);
    inbox.type("g");
    EXPECT_EQ(row(), 0U);
    inbox.type("G");
    EXPECT_EQ(row(), 2U);
    EXPECT_EQ(inbox.type("q").kind, Effect::quit);
    EXPECT_EQ(inbox.press(Key{.text = "c", .is_ctrl = true}).kind, Effect::interrupt);
    EXPECT_EQ(inbox.press(Key{.text = "z", .is_ctrl = true}).kind, Effect::suspend);
    inbox.type("?");
    EXPECT_THAT(inbox.screen(), HasSubstr("snooze 10 min"));
    inbox.type("x");
    EXPECT_EQ(inbox.state.screen, InboxScreen::list);
}

TEST(Inbox, WhoThinksBetterOfADismissalIsBackInTheList) {
    Fixture inbox({ask(1, "one")});
    inbox.type("dno");
    inbox.press(Key::Code::escape);
    EXPECT_EQ(inbox.state.screen, InboxScreen::list);
    EXPECT_EQ(inbox.press(Key::Code::enter).kind, Effect::none) << "it opens, and answers nothing";
    EXPECT_EQ(inbox.state.prompt()->mode, PromptMode::choosing);
}

TEST(Inbox, WhatIsSnoozedCanBeSeen) {
    Fixture inbox({ask(1, "one"), ask(2, "two")});
    inbox.state.snoozed_until[AskId(IdBits{.high = 1})] = kInboxNow.wall + std::chrono::hours(1);
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 1U);
    inbox.type("z");
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 2U);
    EXPECT_THAT(inbox.screen(), HasSubstr("zz 14:03"));
    inbox.state.snoozed_until.clear();
    inbox.type("zz");
    EXPECT_THAT(inbox.state.notice, HasSubstr("Nothing is snoozed"));
}

TEST(Inbox, PagesAreAsLongAsTheListIsHigh) {
    std::vector<AskPtr> asks;
    for (std::uint64_t i = 1; i <= 60; ++i) asks.push_back(ask(i, fmt::format("number {}", i)));
    Fixture inbox(asks);
    const std::string top = inbox.screen();
    EXPECT_THAT(top, HasSubstr(" below"));
    EXPECT_THAT(top, Not(HasSubstr("above")));
    const std::size_t page = inbox.state.page_rows;
    inbox.press(Key::Code::page_down);
    EXPECT_EQ(inbox.state.selected, AskId(IdBits{.high = page})) << "the last one stays in sight";
    inbox.press(Key::Code::page_up);
    EXPECT_EQ(inbox.state.selected, AskId(IdBits{.high = 1}));
    inbox.press(Key::Code::end);
    EXPECT_THAT(inbox.screen(), Not(HasSubstr("below")));
}

TEST(Inbox, WhatIsSnoozedIsBroughtBack) {
    Fixture inbox({ask(1, "one"), ask(2, "two")});
    inbox.type("sz");
    inbox.press(Key::Code::up);
    const InboxEffect effect = inbox.type("s");
    EXPECT_EQ(effect.kind, Effect::snooze);
    EXPECT_EQ(effect.ask, AskId(IdBits{.high = 1}));
    EXPECT_EQ(effect.period, Millis::zero());
    EXPECT_THAT(inbox.screen(), Not(HasSubstr("snoozed")));
    EXPECT_THAT(inbox.screen(), HasSubstr("It waits again."));
}

TEST(Inbox, WhatWasSnoozedElsewhereIsSnoozedHere) {
    Fixture inbox({ask(1, "one"), ask(2, "two")});
    const AskId first(IdBits{.high = 1});
    const auto snoozed = [&](std::optional<Instant> until) {
        inbox.give(event(SnoozeChanged{.ask = first, .principal = "", .until = until}));
    };
    snoozed(kInboxNow.wall + std::chrono::hours(1));
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 1U);
    inbox.type("z");
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 2U);
    EXPECT_THAT(inbox.screen(), HasSubstr("zz 14:03"));
    snoozed(std::nullopt);
    inbox.type("zz");
    EXPECT_THAT(inbox.state.notice, HasSubstr("Nothing is snoozed"));
}

TEST(Inbox, ASnapshotBringsWhatIsSnoozedAndAnotherOneTakesItsPlace) {
    const Instant until = kInboxNow.wall + std::chrono::hours(1);
    Fixture inbox({ask(1, "one"), ask(2, "two")});
    inbox.give(Reset{});
    inbox.give(SnapshotAsk{ask(1, "one"), until});
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 2U) << "what was known stands";
    inbox.give(SnapshotAsk{ask(2, "two")});
    inbox.give(SnapshotEnd{});
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 1U);
    inbox.give(Reset{});
    inbox.give(SnapshotAsk{ask(1, "one")});
    inbox.give(SnapshotEnd{});
    EXPECT_EQ(inbox.state.rows(kInboxNow.wall).size(), 1U);
    EXPECT_TRUE(inbox.state.snoozed_until.empty());
}

TEST(Inbox, WhatARevokedAgentAskedIsMarked) {
    auto spec = std::make_shared<AskSpec>(*ask(1, "one")->spec);
    spec->asker = "prn_1";
    auto asked = std::make_shared<Ask>(*ask(1, "one"));
    asked->spec = std::move(spec);
    Fixture inbox({AskPtr(asked), ask(2, "two")});
    EXPECT_THAT(inbox.screen(), Not(HasSubstr("revoked")));
    inbox.give(event(AgentRevoked{"prn_1"}));
    EXPECT_THAT(inbox.screen(), HasSubstr("(agent revoked) Ask: one"));
    EXPECT_THAT(inbox.screen(), HasSubstr("agent revoked, nobody waits for it"));
    EXPECT_THAT(inbox.screen(), Not(HasSubstr("(agent revoked) Ask: two")));
}

TEST(Inbox, ADraftOfAnotherDeviceIsOfferedWhereSomethingWasTypedHere) {
    Fixture inbox({ask(1, "one"), ask(2, "two")});
    inbox.state.device = "here";
    const AskId first(IdBits{.high = 1});
    const auto draft = [&](std::string text, std::string device, std::uint64_t version) {
        take_draft(inbox.state, first, {{{.other = std::move(text)}}, std::move(device), version},
                   inbox.moment());
    };
    const auto text = [&] { return inbox.state.prompt()->current().other.text(); };
    draft("before", "phone", 1);
    EXPECT_THAT(inbox.screen(), HasSubstr("❯   * Ask: one")) << "marked before it was opened";
    inbox.press(Key::Code::enter);
    EXPECT_EQ(text(), "before");
    inbox.type("mine");
    draft("an echo", "here", 2);
    EXPECT_EQ(text(), "beforemine");
    EXPECT_THAT(inbox.screen(), Not(HasSubstr("Ctrl-T")));
    draft("theirs", "phone", 3);
    EXPECT_EQ(text(), "beforemine") << "what is typed here stays";
    EXPECT_THAT(inbox.screen(), HasSubstr("Ctrl-T takes it"));
    draft("older", "phone", 2);
    inbox.press({.text = "t", .is_ctrl = true});
    EXPECT_EQ(text(), "theirs");
    EXPECT_FALSE(inbox.state.unsaved(first)) << "that is what the broker has";
    inbox.press(Key::Code::escape);
    draft("closed", "phone", 4);
    inbox.press(Key::Code::enter);
    EXPECT_EQ(text(), "closed");
}

TEST(Inbox, ADraftThatArrivesIsSeenBeforeItIsSent) {
    Fixture inbox({ask(1, "one")});
    inbox.press(Key::Code::enter);
    inbox.now += std::chrono::seconds(1);
    (void)inbox.screen();
    take_draft(inbox.state, AskId(IdBits{.high = 1}), {{{.selected = {"No"}}}, "phone", 1},
               inbox.moment());
    EXPECT_EQ(reduce(inbox.state, {.code = Key::Code::enter}, inbox.moment()).kind, Effect::none);
    EXPECT_EQ(inbox.press(Key::Code::enter).answers, (Answers{{.selected = {"No"}}}));
}

TEST(Inbox, WhatIsNotSavedYetIsKnown) {
    Fixture inbox({ask(1, "one")});
    const AskId first(IdBits{.high = 1});
    inbox.state.device = "here";
    EXPECT_FALSE(inbox.state.unsaved(first));
    inbox.press(Key::Code::enter);
    EXPECT_FALSE(inbox.state.unsaved(first));
    inbox.type("oab");
    const auto unsaved = inbox.state.unsaved(first);
    ASSERT_TRUE(unsaved);
    EXPECT_EQ(*unsaved, (Draft{{{.other = "ab"}}, "here", 0}));
    take_draft(inbox.state, first, {unsaved->answers, "here", 5}, inbox.moment());
    EXPECT_FALSE(inbox.state.unsaved(first));
    inbox.press(Key::Code::backspace);
    inbox.press(Key::Code::backspace);
    EXPECT_EQ(inbox.state.unsaved(first), (Draft{{}, "here", 5})) << "nothing at all drops it";
    inbox.type("c");
    EXPECT_EQ(inbox.type("d").kind, Effect::none);
    EXPECT_EQ(inbox.press({.text = "c", .is_ctrl = true}).kind, Effect::interrupt);
    EXPECT_EQ(inbox.state.unsaved(first).value().answers, (Answers{{.other = "cd"}}));
    // Left, it is as unsaved as before, and is said where it cannot be saved any more.
    inbox.press(Key::Code::escape);
    EXPECT_EQ(inbox.press(Key::Code::escape).kind, Effect::keep_draft);
    EXPECT_TRUE(inbox.state.unsaved(first));
    keep_unsent(inbox.state, *inbox.state.pending.at(first));
    ASSERT_EQ(inbox.state.unsent.size(), 1U);
    EXPECT_EQ(inbox.state.unsent.front().text, "cd");
}

RC_GTEST_PROP(InboxProperty, AnyKeysAndFramesLeaveSomethingToDraw, ()) {
    Fixture inbox({ask(1, "one"), ask(2, "two"), ask(3, "three", Urgency::high)});
    for (int i = *rc::gen::inRange(0, 40); i > 0; --i) {
        const auto number = *rc::gen::inRange<std::uint64_t>(1, 6);
        switch (*rc::gen::inRange(0, 6)) {
            case 0: inbox.give(event(AskOpened{ask(number, "again")})); break;
            case 1: inbox.give(event(AskSettled{settled(ask(number, "again"))})); break;
            default: {
                const InboxEffect effect =
                    inbox.press(*rc::gen::elementOf(std::vector<Key>{{.code = Key::Code::enter},
                                                                     {.code = Key::Code::escape},
                                                                     {.code = Key::Code::up},
                                                                     {.code = Key::Code::down},
                                                                     {.code = Key::Code::tab},
                                                                     {.text = "s"},
                                                                     {.text = "d"},
                                                                     {.text = "o"},
                                                                     {.text = "/"},
                                                                     {.text = "h"},
                                                                     {.text = "?"},
                                                                     {.text = "a"}}));
                RC_ASSERT(effect.kind != Effect::answer || inbox.state.opened == effect.ask);
            }
        }
        const int columns = *rc::gen::inRange(40, 120);
        const int rows = *rc::gen::inRange(12, 40);
        const Picture picture =
            draw_inbox(inbox.state, {.columns = columns, .rows = rows, .shown_time = at_some_time},
                       kInboxNow.wall);
        RC_ASSERT(picture.grid.rows() == rows);
        RC_ASSERT(picture.grid.columns() == columns);
    }
}

}  // namespace
}  // namespace parley
