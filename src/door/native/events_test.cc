// SPDX-License-Identifier: Apache-2.0
// GET /v1/events: snapshot, resume, reset, filters, who sees what, slow readers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>

#include "core/limits.h"
#include "door/door_fixture.h"

namespace parley::door_testing {
namespace {

using testing::ElementsAre;

std::vector<std::string> types(const std::vector<StreamedEvent>& events) {
    std::vector<std::string> names;
    for (const StreamedEvent& event : events) names.push_back(event.type);
    return names;
}

class NativeEvents : public testing::Test {
protected:
    void answer(const std::string& id) {
        ASSERT_EQ(ada_.post("/v1/asks/" + id + "/answer", kTea).status(), 200);
    }

    DoorFixture fixture_;
    Api bot_ = fixture_.as("bot");
    Api ada_ = fixture_.as("ada");
};

TEST_F(NativeEvents, WhoComesWithoutACursorGetsThePendingAsksThenTheCursorThenWhatHappens) {
    const std::string first = bot_.ask();
    const std::string settled = bot_.ask();
    const std::string second = bot_.ask();
    answer(settled);
    EventReader reader(ada_, "");
    EXPECT_EQ(reader.head().status, 200);
    EXPECT_EQ(reader.head().fields.get("content-type"), "text/event-stream");
    const auto snapshot = reader.read_to("snapshot.end");
    EXPECT_THAT(types(snapshot), ElementsAre("ask.opened", "ask.opened", "snapshot.end"));
    EXPECT_EQ(snapshot[0].text("/ask/id"), first);
    EXPECT_EQ(snapshot[1].text("/ask/id"), second);
    EXPECT_EQ(snapshot[0].id, "");
    EXPECT_EQ(snapshot[2].id, snapshot[2].text("/cursor"));

    answer(first);
    const auto event = reader.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->type, "ask.settled");
    EXPECT_EQ(event->text("/type"), "ask.settled");
    EXPECT_EQ(event->text("/ask/id"), first);
    EXPECT_GT(event->id, snapshot[2].id);
}

TEST_F(NativeEvents, WhoComesBackGetsWhatItMissedOnceInOrder) {
    EventReader before(ada_, "");
    before.read_to("snapshot.end");
    const std::string first = bot_.ask("chat");
    const std::string seen = before.read_to("ask.opened").back().id;
    before.client().close();
    answer(first);
    const std::string second = bot_.ask("chat");
    for (const bool is_header : {true, false}) {
        EventReader after(ada_, is_header ? "" : "?after=" + seen, is_header ? seen : "");
        const auto settled = after.next();
        ASSERT_TRUE(settled);
        EXPECT_EQ(settled->type, "ask.settled");
        EXPECT_EQ(settled->text("/ask/id"), first);
        EXPECT_EQ(after.next()->text("/ask/id"), second);
    }
    // A browser's own header is newer than the address that the page was written with.
    EventReader both(ada_, "?after=0", seen);
    EXPECT_EQ(both.next()->type, "ask.settled");
}

TEST_F(NativeEvents, AnUnknownCursorGetsAResetThenASnapshot) {
    const std::string id = bot_.ask();
    for (const auto* cursor : {"1", "99999999999999999", "18446744073709551615", "yesterday"}) {
        EventReader reader(ada_, "", cursor);
        const auto events = reader.read_to("snapshot.end");
        EXPECT_THAT(types(events), ElementsAre("reset", "ask.opened", "snapshot.end")) << cursor;
        EXPECT_EQ(events[0].id, "");
        EXPECT_EQ(events[1].text("/ask/id"), id);
    }
}

TEST_F(NativeEvents, ASessionFiltersAndIsShownByItsNameBesideItsId) {
    const std::string mine = bot_.ask("mine");
    bot_.ask("other");
    EventReader reader(ada_, "?session=mine");
    const auto snapshot = reader.read_to("snapshot.end");
    ASSERT_THAT(types(snapshot), ElementsAre("ask.opened", "snapshot.end"));
    EXPECT_EQ(snapshot[0].text("/ask/session"), "mine");
    const std::string session_id = snapshot[0].text("/ask/session_id");
    bot_.ask("other");
    answer(mine);
    EXPECT_EQ(reader.next()->text("/ask/id"), mine);

    EventReader by_id(ada_, "?session=" + session_id);
    by_id.read_to("snapshot.end");
    bot_.ask("mine");
    const auto opened = by_id.next();
    EXPECT_EQ(opened->text("/ask/session"), "mine");
    EXPECT_EQ(opened->text("/ask/session_id"), session_id);

    // Also when the session has gone in the same commit.
    EventReader all(ada_, "");
    all.read_to("snapshot.end");
    bot_.del("/v1/sessions/mine");
    const auto withdrawn = all.next();
    EXPECT_EQ(withdrawn->type, "ask.settled");
    EXPECT_EQ(withdrawn->text("/ask/session"), "mine");
    const auto ended = all.read_to("session.ended").back();
    EXPECT_EQ(ended.text("/session_id"), session_id);
    EXPECT_EQ(ended.text("/session/session"), "mine");
}

TEST_F(NativeEvents, AnUnknownNameIsOpenedBySubscribingAndAnUnknownIdIs404) {
    EventReader reader(ada_, "?session=fresh");
    EXPECT_THAT(types(reader.read_to("snapshot.end")), ElementsAre("snapshot.end"));
    EXPECT_EQ(ada_.get("/v1/sessions/fresh").status(), 200);
    EXPECT_EQ(ada_.get("/v1/events?session=ses_00000000000000000000000000").status(), 404);
    EXPECT_EQ(ada_.get("/v1/events?session=").status(), 400);
}

TEST_F(NativeEvents, DraftsAreToldToTheirOwnResponderOnly) {
    const std::string path = "/v1/asks/" + bot_.ask();
    Api bob = fixture_.as("bob");
    EventReader own(ada_, "");
    EventReader other(bob, "");
    own.read_to("snapshot.end");
    other.read_to("snapshot.end");
    ada_.put(path + "/draft", R"({"answers":[{"selected":[],"other":"so f"}]})");
    ada_.del(path + "/draft");
    ada_.post(path + "/answer", kTea);
    const auto mine = own.read_to("ask.settled");
    EXPECT_THAT(types(mine), ElementsAre("ask.draft", "ask.draft", "ask.settled"));
    EXPECT_EQ(mine[0].text("/answers/0/other"), "so f");
    EXPECT_TRUE(mine[1].data.at("answers").is_null());
    EXPECT_THAT(types(other.read_to("ask.settled")), ElementsAre("ask.settled"));
}

TEST_F(NativeEvents, AnAgentSeesItsOwnAsksAndOfSessionsTheOneItNames) {
    Api rival = fixture_.as("rival");
    const std::string theirs = bot_.ask("chat");
    EventReader reader(rival, "");
    EXPECT_THAT(types(reader.read_to("snapshot.end")), ElementsAre("snapshot.end"));
    answer(theirs);
    ada_.post("/v1/sessions/chat/messages", R"({"text":"hello"})");
    const std::string own = rival.ask("own");
    const auto next = reader.next();
    EXPECT_EQ(next->type, "ask.opened");
    EXPECT_EQ(next->text("/ask/id"), own);

    EventReader named(rival, "?session=own&as=agent");
    named.read_to("snapshot.end");
    ada_.post("/v1/sessions/own/messages", R"({"text":"hello again"})");
    EXPECT_EQ(named.next()->text("/message/text"), "hello again");
    EXPECT_EQ(ada_.get("/v1/events?session=chat&as=agent").status(), 403);
    EXPECT_EQ(rival.get("/v1/events?session=chat").text("/type"),
              "urn:parley:problem:session-of-another");
}

TEST_F(NativeEvents, TheStreamOfAnAgentIsToldAsItGrowsAndFromItsStartToWhoComesLater) {
    bot_.post("/v1/sessions", R"({"name":"chat"})");
    EventReader early(ada_, "?session=chat");
    early.read_to("snapshot.end");
    ASSERT_EQ(
        bot_.post("/v1/sessions/chat/events", R"([{"type":"status","status":"working"},)"
                                              R"({"type":"text-start","part_id":"p","text":"Hel"},)"
                                              R"({"type":"text-delta","part_id":"p","text":"lo"}])")
            .status(),
        202);
    const auto status = early.next();
    EXPECT_EQ(status->type, "session.status");
    EXPECT_EQ(status->text("/session/state"), "working");
    EXPECT_EQ(early.next()->text("/part/type"), "text-start");
    const auto delta = early.next();
    EXPECT_EQ(delta->text("/part/text"), "lo");
    EXPECT_EQ(delta->id, "");

    EventReader late(ada_, "?session=chat");
    late.read_to("snapshot.end");
    const auto whole = late.next();
    EXPECT_EQ(whole->text("/part/text"), "Hello");
    EXPECT_TRUE(whole->data.at("part").at("replace").as_bool());
    ASSERT_EQ(
        bot_.post("/v1/sessions/chat/events", R"([{"type":"text-end","part_id":"p"}])").status(),
        202);
    for (EventReader* reader : {&early, &late}) {
        const auto end = reader->next();
        EXPECT_EQ(end->text("/part/type"), "text-end");
        EXPECT_EQ(end->text("/part/text"), "Hello");
        EXPECT_NE(end->id, "");
    }
}

TEST_F(NativeEvents, SessionsSayInTheirEventsWhetherTheyWait) {
    bot_.ask("chat");
    EventReader reader(ada_, "?session=chat");
    reader.read_to("snapshot.end");
    bot_.post("/v1/sessions/chat/events", R"([{"type":"status","status":"working"}])");
    const auto status = reader.next();
    EXPECT_EQ(status->text("/session/state"), "waiting");
    EXPECT_EQ(status->data.at("session").at("pending").to_number<int>(), 1);
}

TEST_F(NativeEvents, HeadAndClientsThatLeaveKeepNoSubscription) {
    const std::size_t before =
        fixture_.on_loop([&] { return fixture_.broker().subscriber_count(); });
    EXPECT_EQ(ada_.call("HEAD", "/v1/events", {}).status(), 200);
    EXPECT_EQ(ada_.call("HEAD", "/v1/events?session=x", {}).status(), 200);
    EXPECT_EQ(fixture_.on_loop([&] { return fixture_.broker().subscriber_count(); }), before);
    EventReader reader(ada_, "");
    reader.read_to("snapshot.end");
    EXPECT_EQ(fixture_.on_loop([&] { return fixture_.broker().subscriber_count(); }), before + 1);
    reader.client().reset();
    fixture_.wait_until([&] { return fixture_.broker().subscriber_count() == before; });
}

TEST_F(NativeEvents, AStreamIsBrokenOffWhenTheServerStops) {
    EventReader reader(ada_, "");
    reader.read_to("snapshot.end");
    fixture_.begin_drain();
    EXPECT_FALSE(reader.next());
    reader.client().close();
    fixture_.wait_until([this] { return fixture_.counts().connections == 0; });
}

TEST_F(NativeEvents, ARevokedTokenIsToldNothingMore) {
    EventReader reader(ada_, "");
    reader.read_to("snapshot.end");
    ASSERT_EQ(fixture_.as("owner").del("/v1/tokens/ada").status(), 204);
    bot_.ask();
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(ada_.get("/v1/asks").status(), 401);
}

// About as large as an ask may be, so that a few of them fill every buffer on the way.
std::string large_ask() {
    const std::string preview(limits::kTextBytes - 100, 'x');
    std::string options;
    for (int i = 0; i < 14; ++i) {
        if (i > 0) options += ',';
        options += fmt::format(R"({{"label":"{}","preview":"{}"}})", i, preview);
    }
    return fmt::format(R"({{"question":"Which?","options":[{}]}})", options);
}

TEST(NativeEventsAtTheirLimits, ASlowReaderIsCutSlowsNobodyAndComesBackWithoutAGap) {
    net::ServerLimits limits;
    limits.sweep_interval = Millis(5);
    limits.write_stall_timeout = Millis(50);
    DoorFixture fixture({.limits = limits});
    Api bot = fixture.as("bot");
    Api ada = fixture.as("ada");
    EventReader fast(ada, "");
    EventReader slow(ada, "");
    const int room = 256 * 1024;
    ::setsockopt(slow.client().descriptor(), SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
    fast.read_to("snapshot.end");
    slow.read_to("snapshot.end");

    std::vector<std::string> sent;
    std::vector<std::string> heard;
    const auto is_cut = [&] { return fixture.counts().cut_slow_total > 0; };
    while (!fixture.on_loop(is_cut)) {
        const Reply made = bot.post("/v1/asks", large_ask());
        ASSERT_EQ(made.status(), 201);
        sent.push_back(made.text("/id"));
        heard.push_back(fast.read_to("ask.opened").back().text("/ask/id"));
    }
    EXPECT_EQ(heard, sent);

    std::vector<std::string> got;
    const auto note = [&](const StreamedEvent& event) {
        if (event.type == "ask.opened") got.push_back(event.text("/ask/id"));
    };
    while (const auto event = slow.next()) note(*event);
    EXPECT_LT(got.size(), sent.size());
    EventReader again(ada, "", slow.last_id());
    while (got.size() < sent.size()) {
        const auto event = again.next();
        ASSERT_TRUE(event);
        note(*event);
    }
    EXPECT_EQ(got, sent);
}

// Many large asks wait: a snapshot of them is longer than what may be queued for one client, which
// is no reason to cut one that reads.
TEST(NativeEventsAtTheirLimits, ASnapshotLongerThanTheQueueReachesAReaderThatTakesItsTime) {
    DoorFixture fixture;
    Api bot = fixture.as("bot");
    Api ada = fixture.as("ada");
    constexpr std::size_t kAsks = 40;
    for (std::size_t i = 0; i < kAsks; ++i)
        ASSERT_EQ(bot.post("/v1/asks", large_ask()).status(), 201);
    EventReader reader(ada, "");
    // The stream has come to a halt with all that can be on its way.
    fixture.wait_until([&] { return fixture.counts().streams == 1; });
    EXPECT_EQ(reader.read_to("snapshot.end").size(), kAsks + 1);
    EXPECT_EQ(fixture.on_loop([&] { return fixture.counts().cut_slow_total; }), 0U);
}

}  // namespace
}  // namespace parley::door_testing
