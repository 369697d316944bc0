// SPDX-License-Identifier: Apache-2.0
// For tests of what agents want decided: a broker in simulated time, the agent's link to it, and
// what waits there.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "broker/broker_fixture.h"
#include "client/local_link.h"

namespace parley {

class AsksTest : public BrokerTest {
protected:
    std::vector<AskPtr> pending() {
        std::vector<AskPtr> all;
        link_.list_asks({.state = AskState::pending},
                        [&](const Result<AskPage>& page) { all = page->asks; });
        settle_down();
        return all;
    }
    AskPtr only() {
        const auto all = pending();
        EXPECT_THAT(all, testing::SizeIs(1));
        return all.at(0);
    }
    std::vector<std::string> notices(std::string_view session) {
        std::vector<std::string> all;
        link_.list_log(session, std::nullopt, [&](const Result<SessionLog>& log) {
            for (const EventPtr& event : log->events)
                if (const auto* notice = std::get_if<NoticeGiven>(&event->body))
                    all.push_back(notice->text);
        });
        settle_down();
        return all;
    }
    // On its way when the agent takes its question back: written before that can be.
    void answer_meanwhile(AskId id, Answer answer) {
        broker().answer(id, {std::move(answer)}, {}, ada_, [](const Result<SettleReply>&) {});
    }
    void settle_down() { process_->settle_down(); }

    LocalLink link_{LocalLink::Wiring{process_->home, clock_, process_->broker}, agent_};
};

}  // namespace parley
