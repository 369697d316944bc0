// SPDX-License-Identifier: Apache-2.0
// A link that does nothing: a test overrides what it wants done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/link.h"

namespace parley {

class IdleLink : public Link {
public:
    void ask(AskRequest, Done<OpenedAsk>) override {}
    void find_ask(AskId, Done<AskPtr>) override {}
    void list_asks(AskListing, Done<AskPage>) override {}
    LinkWait wait(AskId, Done<AskPtr>) override { return {}; }
    void answer(AskId, Answers, AnswerOptions, Done<SettleReply>) override {}
    void dismiss(AskId, DismissOptions, Done<SettleReply>) override {}
    void withdraw(AskId, std::optional<std::string>, Done<SettleReply>) override {}
    void find_draft(AskId, Done<DraftPtr>) override {}
    void put_draft(AskId, Draft, Done<DraftReply>) override {}
    void drop_draft(AskId, Done<void>) override {}
    void list_drafts(Done<Drafts>) override {}
    void snooze(AskId, Millis, Done<void>) override {}
    void open_session(SessionRequest, Done<SessionPtr>) override {}
    void find_session(std::string_view, Done<SessionPtr>) override {}
    void list_sessions(SessionQuery, Done<SessionPage>) override {}
    void end_session(std::string_view, std::optional<std::string>, Done<SessionPtr>) override {}
    void abort(std::string_view, Done<SessionPtr>) override {}
    void list_log(std::string_view, std::optional<Cursor>, Done<SessionLog>) override {}
    void push(std::string_view, std::vector<StreamItem>, Done<void>) override {}
    void take_messages(std::string_view, MessageId, Done<void>) override {}
    void list_messages(std::string_view, Done<std::vector<QueuedText>>) override {}
    void say(std::string_view, std::string, Done<Said>) override {}
    void give_notice(std::string_view, NoticeGiven, Done<void>) override {}
    std::unique_ptr<Following> follow(FollowRequest, FollowListener&) override { return nullptr; }
};

}  // namespace parley
