// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/arbitrary_values_test.h"
#include "core/permission.h"
#include "core/settle.h"
#include "core/test_asks.h"
#include "dialect/opencode/messages.h"
#include "dialect/opencode/permission.h"

namespace parley::opencode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Actor kAda = {.principal = "ada", .door = "opencode"};
const Instant kNow = Instant(Millis(1'700'000'000'000));
const Scene kScene = {.directory = "/work"};

Ask ask_with(std::vector<std::string> labels) {
    AskSpec spec;
    spec.questions = {{.text = "Q?", .header = "H", .options = {}}};
    for (std::string& label : labels)
        spec.questions[0].options.push_back({.label = std::move(label), .description = ""});
    Ask ask;
    ask.id = AskId(IdBits{.high = 1, .low = 2});
    ask.session = SessionId(IdBits{.high = 0, .low = 4});
    ask.created_at = kNow;
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    return ask;
}

Ask permission_ask() {
    return ask_with({std::string(permission::kAllowOnce), std::string(permission::kAllowForSession),
                     std::string(permission::kDeny)});
}

Event event_of(EventBody body) {
    return {.cursor = {7},
            .at = kNow,
            .session = SessionId(IdBits{.high = 0, .low = 4}),
            .body = std::move(body)};
}

std::vector<std::string> types(const std::vector<Told>& told) {
    std::vector<std::string> list;
    for (const Told& each : told) {
        EXPECT_TRUE(json::parse(each.properties)) << each.properties;
        list.emplace_back(each.type);
    }
    return list;
}

TEST(OpenCodeEvents, AnAskIsToldInTheOrderThatClientsExpect) {
    const auto ask = std::make_shared<const Ask>(ask_with({"A", "B"}));
    EXPECT_THAT(types(tell(event_of(AskOpened{ask}), kScene)),
                ElementsAre("session.status", "message.updated", "message.part.updated",
                            "question.asked", "message.part.updated"));
    const auto answer = make_answer(*ask, {{.selected = {"A"}}}, {}, kAda, kNow);
    const auto settled = with_settlement(*ask, *answer);
    EXPECT_THAT(types(tell(event_of(AskSettled{settled}), kScene)),
                ElementsAre("question.replied", "message.part.updated", "message.updated",
                            "session.status", "session.idle"));
}

TEST(OpenCodeEvents, EveryOtherEndIsARejectionAndAStoppedTurnAnError) {
    const Ask ask = ask_with({"A"});
    const auto dismissed = with_settlement(ask, *make_dismissal(ask, std::nullopt, kAda, kNow));
    const auto told = tell(event_of(AskSettled{dismissed}), kScene);
    EXPECT_EQ(told[0].type, "question.rejected");
    EXPECT_THAT(told[1].properties, HasSubstr("The user dismissed this question"));
    const auto stopped = with_settlement(
        ask, *make_withdrawal(WithdrawalRule::turn_stopped, std::nullopt, kAda, kNow));
    EXPECT_THAT(types(tell(event_of(AskSettled{stopped}), {.directory = "/", .is_busy = true})),
                ElementsAre("question.rejected", "session.error", "message.part.updated",
                            "message.updated", "session.status"));
}

TEST(OpenCodeEvents, APermissionHasItsOwnEventsAndWords) {
    const Ask ask = permission_ask();
    EXPECT_EQ(tell_pending(ask, kScene)[2].type, "permission.asked");
    for (const auto* word : {"once", "always", "reject"}) {
        const auto reply = read_permission_reply(
            json::parse(std::string("{\"reply\":\"") + word + "\"}").value(), "reply");
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->stops, std::string_view(word) == "reject");
        const auto settled =
            with_settlement(ask, *make_answer(ask, reply->answers, {}, kAda, kNow));
        EXPECT_THAT(permission_replied_properties(*settled), HasSubstr(word));
    }
    EXPECT_EQ(parse_permission_id(permission_id(ask.id)), ask.id);
    EXPECT_FALSE(parse_permission_id("que_00000000000000000000000002"));
}

TEST(OpenCodeEvents, EnvelopesWrapTheSameEvent) {
    const Told told{"question.asked", "{}"};
    EXPECT_EQ(wrap(Envelope::event, "evt_1", told, "/w"),
              R"({"id":"evt_1","type":"question.asked","properties":{}})");
    EXPECT_EQ(wrap(Envelope::global, "evt_1", told, "/w"),
              R"({"directory":"/w","project":"global","payload":)"
              R"({"id":"evt_1","type":"question.asked","properties":{}}})");
    EXPECT_EQ(wrap(Envelope::global, "evt_1", {"server.connected", "{}"}, ""),
              R"({"payload":{"id":"evt_1","type":"server.connected","properties":{}}})");
    EXPECT_EQ(wrap(Envelope::api, "evt_1", told, "/w"),
              R"({"id":"evt_1","type":"question.v2.asked","location":{"directory":"/w"},)"
              R"("data":{}})");
}

TEST(OpenCodeEvents, IdsOfEventsAscend) {
    const std::string first = event_id(kNow, {7}, 0);
    EXPECT_LT(first, event_id(kNow, {7}, 1));
    EXPECT_LT(event_id(kNow, {7}, 1), event_id(kNow, {8}, 0));
    EXPECT_LT(event_id(kNow, {8}, 0), event_id(kNow + Millis(1), {}, 1));
}

TEST(OpenCodeEvents, AToolsOutputIsShownWithItsInput) {
    const PartPlace place{.message = MessageId(IdBits{.high = 1, .low = 1}), .index = 1};
    const auto input = std::make_shared<const Part>(Part{.kind = Part::Kind::tool_input,
                                                         .part_id = "c",
                                                         .tool = "read",
                                                         .body = R"({"path":"x"})",
                                                         .place = place});
    const auto output = std::make_shared<const Part>(Part{
        .kind = Part::Kind::tool_output, .part_id = "c", .body = R"("white")", .place = place});
    MessageOutline outline(kScene);
    Event begun = event_of(PartAdded{input});
    begun.cursor = {7};
    Event ended = event_of(PartAdded{output});
    ended.cursor = {9};
    outline.add(begun);
    outline.add(ended);
    const MessageOutline::Message* message = outline.last_of_agent();
    ASSERT_NE(message, nullptr);
    ASSERT_EQ(message->parts.size(), 1U);
    EXPECT_EQ(message->parts[0].event, ended.cursor);
    EXPECT_EQ(message->parts[0].call, begun.cursor);
    EXPECT_THAT(part_of(ended, &begun),
                HasSubstr(R"("tool":"read","state":{"status":"completed","input":{"path":"x"},)"
                          R"("output":"white")"));
    EXPECT_EQ(outline.find(message->id), message);
    EXPECT_EQ(outline.find("msg_none"), nullptr);
}

RC_GTEST_PROP(OpenCodeEvents, WhateverIsAskedIsToldAsJson, ()) {
    const Ask ask = *arbitrary::ask();
    for (const Told& told : tell_pending(ask, kScene))
        RC_ASSERT(json::parse(told.properties).has_value());
    MessageOutline outline(kScene);
    const Event opened = event_of(AskOpened{std::make_shared<const Ask>(ask)});
    outline.add(opened);
    RC_ASSERT(json::parse(outline.messages().at(0).info).has_value());
    RC_ASSERT(json::parse(part_of(opened, nullptr)).has_value());
}

}  // namespace
}  // namespace parley::opencode
