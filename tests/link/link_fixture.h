// SPDX-License-Identifier: Apache-2.0
// What the files of the suite share: two links to one broker, and calls that wait for their reply.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "link/link_world.h"
#include "support/sim_broker.h"

namespace parley::link_testing {

using sim::Got;
using sim::tea_or_coffee;

class LinkTest : public testing::TestWithParam<MakeWorld> {
protected:
    // Makes a call and waits for its reply: `call([&](auto done) { link.find_ask(id, done); })`.
    template <class T, class Call>
    Result<T> get(Call call) {
        Got<T> got;
        call(got.done());
        world_->run_until([&] { return got.calls() > 0; });
        return *got;
    }
    AskPtr open(AskRequest request) {
        auto opened = get<OpenedAsk>(
            [&](Done<OpenedAsk> done) { bot_->ask(std::move(request), std::move(done)); });
        EXPECT_TRUE(opened) << opened.error().message;
        return opened ? opened->ask : nullptr;
    }
    AskPtr open() { return open({tea_or_coffee(), "chat"}); }
    SessionPtr open_session(SessionRequest request) {
        auto opened = get<SessionPtr>([&](Done<SessionPtr> done) {
            bot_->open_session(std::move(request), std::move(done));
        });
        EXPECT_TRUE(opened) << opened.error().message;
        return opened.value_or(nullptr);
    }
    Result<AskPtr> find(Link& link, AskId id) {
        return get<AskPtr>([&](Done<AskPtr> done) { link.find_ask(id, std::move(done)); });
    }
    Result<SettleReply> answer(Link& link, AskId id, std::string label) {
        return get<SettleReply>([&](Done<SettleReply> done) {
            link.answer(id, {{.selected = {std::move(label)}}}, {}, std::move(done));
        });
    }
    // A call that was made before this one has been answered, or never will be.
    void let_pass(Link& link) { std::ignore = find(link, AskId(IdBits{1, 1})); }

    std::unique_ptr<LinkWorld> world_ = GetParam()();
    std::unique_ptr<Link> bot_ = world_->link_as("bot");
    std::unique_ptr<Link> ada_ = world_->link_as("ada");
};

inline std::string world_name(const testing::TestParamInfo<MakeWorld>& info) {
    return info.param == &make_local_world ? "InProcess" : "OverASocket";
}

}  // namespace parley::link_testing

// Every link is held to the same: once for each test class of a file.
#define PARLEY_FOR_EVERY_LINK(suite)           \
    INSTANTIATE_TEST_SUITE_P(EveryLink, suite, \
                             testing::Values(&make_local_world, &make_remote_world), world_name)
