// SPDX-License-Identifier: Apache-2.0
// A session's log, read through a link over more pages than one.
#include "agent/look_back.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/limits.h"
#include "client/local_link.h"
#include "core/limits.h"
#include "support/sim_broker.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LookBackTest : public testing::Test {
protected:
    AskPtr ask() {
        sim::Got<OpenedAsk> opened;
        AskSpec spec = sim::tea_or_coffee();
        spec.tool = ToolCall{{}, "toolu_1"};
        link_.ask({std::move(spec), "s"}, opened.done());
        world_.settle_down();
        return (*opened)->ask;
    }
    void answer(AskId id) {
        sim::Got<SettleReply> reply;
        link_.answer(id, {{.selected = {"Tea"}}}, {}, reply.done());
        world_.settle_down();
    }
    void push(Part part) {
        sim::Got<void> pushed;
        link_.push("s", {StreamPart{std::move(part)}}, pushed.done());
        world_.settle_down();
        ASSERT_TRUE(*pushed) << pushed->error().message;
    }
    void leave_open(AskId id) {
        push({.kind = Part::Kind::tool_input, .part_id = "toolu_1", .tool = "t", .body = "{}"});
        push({.kind = Part::Kind::tool_output,
              .part_id = "toolu_1",
              .tool = "t",
              .body = fmt::format(R"("stays open as {}")", id.str())});
    }
    std::vector<AskId> missed() {
        sim::Got<std::vector<AskPtr>> found;
        LookBack back(link_, "s", LateAnswers("claude"));
        back.start(found.done());
        world_.settle_down();
        EXPECT_TRUE(*found);
        std::vector<AskId> ids;
        for (const AskPtr& ask : **found) ids.push_back(ask->id);
        return ids;
    }

    sim::SimBroker world_;
    LocalLink link_{{world_.home, world_.clock, world_.broker},
                    unrestricted_actor("claude", "test")};
};

TEST_F(LookBackTest, WhatWasAnsweredMeanwhileIsFound) {
    const AskPtr asked = ask();
    leave_open(asked->id);
    EXPECT_THAT(missed(), IsEmpty());
    answer(asked->id);
    EXPECT_THAT(missed(), ElementsAre(asked->id));
}

TEST_F(LookBackTest, WhatAnEarlierRunHasToldIsNot) {
    const AskPtr asked = ask();
    leave_open(asked->id);
    answer(asked->id);
    sim::Got<void> noticed;
    const std::vector<AskPtr> told = {asked};
    link_.give_notice("s", {.text = late_answers_notice("Claude Code", told)}, noticed.done());
    world_.settle_down();
    EXPECT_THAT(missed(), IsEmpty());
}

TEST_F(LookBackTest, TheAnswerMayLieFarFromTheCallButNotTooFar) {
    const AskPtr asked = ask();
    leave_open(asked->id);
    const auto talk = [&](std::size_t parts) {
        std::vector<StreamItem> items;
        for (std::size_t i = 0; i < parts; ++i)
            items.emplace_back(StreamPart{{.kind = Part::Kind::finish, .part_id = "s"}});
        sim::Got<void> pushed;
        link_.push("s", std::move(items), pushed.done());
        world_.settle_down();
        EXPECT_TRUE(*pushed);
    };
    talk(limits::kListPageMax);
    answer(asked->id);
    EXPECT_THAT(missed(), ElementsAre(asked->id));
    for (std::size_t seen = 0; seen < limits::kLookBackEvents; seen += limits::kListPageMax)
        talk(limits::kListPageMax);
    EXPECT_THAT(missed(), IsEmpty());
}

}  // namespace
}  // namespace parley
