// SPDX-License-Identifier: Apache-2.0
// Sessions, their streams and messages, through every link.
#include <chrono>
#include <string>
#include <vector>

#include "link/link_fixture.h"

namespace parley::link_testing {
namespace {

using namespace std::chrono_literals;

class LinkSessions : public LinkTest {
protected:
    Result<SessionPtr> find_session(Link& link, const std::string& ref) {
        return get<SessionPtr>(
            [&](Done<SessionPtr> done) { link.find_session(ref, std::move(done)); });
    }
    Result<void> push(std::vector<StreamItem> items) {
        return get<void>(
            [&](Done<void> done) { bot_->push("chat", std::move(items), std::move(done)); });
    }
    Result<Said> say(std::string text) {
        return get<Said>(
            [&](Done<Said> done) { ada_->say("chat", std::move(text), std::move(done)); });
    }
    std::vector<std::string> queued() {
        const auto messages = get<std::vector<QueuedText>>([&](Done<std::vector<QueuedText>> done) {
            bot_->list_messages("chat", std::move(done));
        });
        EXPECT_TRUE(messages) << messages.error().message;
        std::vector<std::string> texts;
        for (const QueuedText& message : *messages) texts.push_back(message.text);
        return texts;
    }
};
PARLEY_FOR_EVERY_LINK(LinkSessions);

TEST_P(LinkSessions, ASessionIsFoundAsItWasOpened) {
    const SessionPtr opened = open_session({.name = "chat",
                                            .title = "A chat",
                                            .agent = "kettle",
                                            .directory = "/srv/kitchen",
                                            .on_dismiss = OnDismiss::stop,
                                            .ask_timeout = 2h});
    ASSERT_TRUE(opened);
    const auto by_name = find_session(*ada_, "chat");
    ASSERT_TRUE(by_name) << by_name.error().message;
    EXPECT_EQ((*by_name)->id, opened->id);
    EXPECT_EQ((*by_name)->title, "A chat");
    EXPECT_EQ((*by_name)->agent, "kettle");
    EXPECT_EQ((*by_name)->directory, "/srv/kitchen");
    EXPECT_EQ((*by_name)->on_dismiss, OnDismiss::stop);
    EXPECT_EQ((*by_name)->ask_timeout, Millis(2h));
    const auto by_id = find_session(*ada_, opened->id.str());
    ASSERT_TRUE(by_id);
    EXPECT_EQ((*by_id)->name, "chat");
    EXPECT_EQ(open()->session, opened->id) << "asks of that name are in it";
}

TEST_P(LinkSessions, AnAbortEndsTheTurnAndAnEndTheSession) {
    open_session({.name = "chat"});
    const AskPtr asked = open();
    const auto stopped =
        get<SessionPtr>([&](Done<SessionPtr> done) { ada_->abort("chat", std::move(done)); });
    ASSERT_TRUE(stopped) << stopped.error().message;
    EXPECT_EQ((*find(*bot_, asked->id))->state(), AskState::withdrawn);
    const auto ended = get<SessionPtr>(
        [&](Done<SessionPtr> done) { ada_->end_session("chat", "done", std::move(done)); });
    ASSERT_TRUE(ended) << ended.error().message;
    EXPECT_TRUE((*ended)->ended_at);
    const auto gone = find_session(*ada_, "chat");
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, ErrorCode::not_found);
    EXPECT_TRUE(find_session(*ada_, (*ended)->id.str())) << "by its id it is kept";
}

TEST_P(LinkSessions, ListsHaveAnOrderAStateAndPages) {
    std::vector<SessionId> ids;
    for (const std::string name : {"a", "b", "c", "d"})
        ids.push_back(open_session({.name = name})->id);
    ASSERT_TRUE(get<SessionPtr>(
        [&](Done<SessionPtr> done) { ada_->end_session("b", std::nullopt, std::move(done)); }));
    const auto list = [&](SessionQuery query) {
        std::vector<SessionId> found;
        while (true) {
            const auto page = get<SessionPage>(
                [&](Done<SessionPage> done) { ada_->list_sessions(query, std::move(done)); });
            EXPECT_TRUE(page) << page.error().message;
            for (const SessionPtr& session : page->sessions) found.push_back(session->id);
            if (!page->has_more || found.size() > 10) return found;
            query.after = found.back();
        }
    };
    EXPECT_EQ(list({.limit = 3}), ids);
    EXPECT_EQ(list({.limit = 1, .order = ListOrder::newest_first}),
              std::vector<SessionId>(ids.rbegin(), ids.rend()));
    EXPECT_EQ(list({.state = SessionState::ended}), std::vector{ids[1]});
    EXPECT_EQ(list({.state = SessionState::live, .limit = 2}),
              (std::vector{ids[0], ids[2], ids[3]}));
}

TEST_P(LinkSessions, PeopleListThemAndAgentsDoNot) {
    open_session({.name = "chat"});
    const auto listed = [&](Link& link) {
        return get<SessionPage>(
            [&](Done<SessionPage> done) { link.list_sessions({}, std::move(done)); });
    };
    EXPECT_EQ(listed(*ada_)->sessions.size(), 1U);
    EXPECT_EQ(listed(*bot_).error().code, ErrorCode::denied);
}

TEST_P(LinkSessions, WhatPeopleSayWaitsForTheAgentAndIsTakenOnce) {
    open_session({.name = "chat"});
    const auto first = say("Please hurry");
    const auto second = say("Two sugars\nand lemon");
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(first->is_queued) << "no agent listens";
    EXPECT_EQ(queued(), (std::vector<std::string>{"Please hurry", "Two sugars\nand lemon"}));
    ASSERT_TRUE(get<void>(
        [&](Done<void> done) { bot_->take_messages("chat", first->id, std::move(done)); }));
    EXPECT_EQ(queued(), std::vector<std::string>{"Two sugars\nand lemon"});
}

// The log is what a front that opens a session is shown: the newest page, and then back.
TEST_P(LinkSessions, WhatAnAgentPushesIsInTheLogInOrder) {
    open_session({.name = "chat"});
    ASSERT_TRUE(push({StreamItem(Activity::working)}));
    for (int i = 0; i < 5; ++i) {
        const std::string text = "line " + std::to_string(i);
        ASSERT_TRUE(push({StreamPart{
            {.kind = Part::Kind::text, .part_id = "t" + std::to_string(i), .body = text}, true}}));
    }
    ASSERT_TRUE(get<void>([&](Done<void> done) {
        bot_->give_notice("chat", {.text = "Nearly there", .level = NoticeGiven::Level::warning},
                          std::move(done));
    }));
    EXPECT_EQ((*find_session(*ada_, "chat"))->activity, Activity::working);
    std::vector<std::string> seen;
    std::optional<Cursor> before;
    do {
        const auto log = get<SessionLog>(
            [&](Done<SessionLog> done) { ada_->list_log("chat", before, std::move(done)); });
        ASSERT_TRUE(log) << log.error().message;
        std::vector<std::string> page;
        for (const EventPtr& event : log->events) {
            if (const auto* added = std::get_if<PartAdded>(&event->body))
                page.push_back(added->part->body);
            if (const auto* notice = std::get_if<NoticeGiven>(&event->body))
                page.push_back(notice->text);
        }
        seen.insert(seen.begin(), page.begin(), page.end());
        before = log->before;
    } while (before);
    EXPECT_EQ(seen, (std::vector<std::string>{"line 0", "line 1", "line 2", "line 3", "line 4",
                                              "Nearly there"}));
}

TEST_P(LinkSessions, AnotherAgentHasNoPartInIt) {
    open_session({.name = "chat"});
    const auto rival = world_->link_as("rival");
    const SessionId mine = (*find_session(*bot_, "chat"))->id;
    const auto found = find_session(*rival, mine.str());
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::not_found);
    EXPECT_FALSE(get<void>([&](Done<void> done) {
        rival->push(mine.str(), {StreamItem(Activity::working)}, std::move(done));
    }));
    EXPECT_FALSE(get<SessionPtr>([&](Done<SessionPtr> done) {
        rival->end_session(mine.str(), std::nullopt, std::move(done));
    }));
    EXPECT_TRUE(find_session(*ada_, "chat"));
}

}  // namespace
}  // namespace parley::link_testing
