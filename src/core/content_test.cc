// SPDX-License-Identifier: Apache-2.0
#include "core/content.h"

#include <gtest/gtest.h>

#include "core/record.h"

namespace parley {

TEST(Content, NoTextIsLeftAndAllElseIs) {
    auto spec = std::make_shared<AskSpec>();
    spec->questions = {{.text = "secret", .header = "secret", .options = {{"secret", "secret"}}},
                       {.text = "secret", .header = {}, .options = {}}};
    spec->context = "secret";
    spec->key = "k";
    spec->tool = ToolCall{.message_id = "m", .call_id = "c"};
    spec->permission = PermissionRequest{.tool = "Bash",
                                         .input = R"({"command":"secret"})",
                                         .diff = "secret",
                                         .plan = "secret",
                                         .summary = "secret"};
    spec->asker = "prn_a";
    spec->agent = "agent";
    spec->urgency = Urgency::high;
    spec->default_answers = Answers{{.other = "secret"}, {}};
    Ask ask;
    ask.spec = spec;
    ask.settlement = std::make_shared<const Settlement>(
        Settlement{.outcome = Outcome::answered,
                   .answers = {{.selected = {"secret"}, .note = "secret"}, {}},
                   .decider = {.name = "ada"},
                   .door = "web",
                   .at = Instant(Millis(5)),
                   .note = "secret"});
    const AskPtr blank = without_content(ask, Instant(Millis(7)));
    const std::string written = to_record(*blank->spec) + to_record(*blank->settlement);
    EXPECT_EQ(written.find("secret"), std::string::npos) << written;
    EXPECT_EQ(blank->spec->content_deleted_at, Instant(Millis(7)));
    EXPECT_EQ(blank->spec->questions.size(), 2U);
    EXPECT_EQ(blank->spec->key, "k");
    EXPECT_EQ(blank->spec->tool, spec->tool);
    EXPECT_EQ(blank->spec->permission->tool, "Bash");
    EXPECT_EQ(blank->spec->asker, "prn_a");
    EXPECT_EQ(blank->settlement->answers.size(), 2U);
    EXPECT_EQ(blank->settlement->decider.name, "ada");
    EXPECT_EQ(blank->settlement->door, "web");
    EXPECT_EQ(blank->settlement->at, Instant(Millis(5)));
    EXPECT_EQ(*spec_from_record(to_record(*blank->spec)), *blank->spec);
}

TEST(Content, OnlyEventsOfThatAskAreOthers) {
    const AskId id(IdBits{1, 1});
    Ask ask;
    ask.id = id;
    ask.spec = std::make_shared<const AskSpec>();
    const auto opened = std::make_shared<const Event>(
        Event{Cursor{3}, Instant(), SessionId(), AskOpened{std::make_shared<const Ask>(ask)}});
    EXPECT_EQ(without_content_of(opened, AskId(IdBits{1, 2}), Instant()), opened);
    const EventPtr other = without_content_of(opened, id, Instant(Millis(7)));
    EXPECT_EQ(other->cursor, Cursor{3});
    EXPECT_TRUE(std::get<AskOpened>(other->body).ask->spec->content_deleted_at);
}

}  // namespace parley
