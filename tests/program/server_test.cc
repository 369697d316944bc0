// SPDX-License-Identifier: Apache-2.0
// A program with a server of its own, and programs that are its clients: what one asks the other
// answers, and who waits waits on when the server goes and comes back.
#include "parley/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <variant>

#include "parley/client.h"
#include "program/program_fixture.h"
#include "program/test_folder.h"

namespace parley::program {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class ServerTest : public testing::Test {
protected:
    Server open() {
        auto server = Server::open({.broker = {.store = "sqlite:" + folder_.path("asks.db")},
                                    .socket = folder_.path("parley.sock"),
                                    .token_file = folder_.path("token")});
        EXPECT_TRUE(server) << server.error().message;
        return std::move(*server);
    }
    Client connect() {
        auto client = Client::connect({.server = "unix:" + folder_.path("parley.sock")});
        EXPECT_TRUE(client) << client.error().message;
        return std::move(*client);
    }

    const TestFolder folder_;
};

TEST_F(ServerTest, WhatTheProgramAsksIsAnsweredThroughTheSocket) {
    Server server = open();
    const Ticket ticket = server.broker().ask(tea_or_coffee());
    ASSERT_TRUE(ticket.opened());
    Client person = connect();
    const auto pending = person.pending();
    ASSERT_TRUE(pending) << pending.error().message;
    ASSERT_THAT(*pending, SizeIs(1));
    EXPECT_TRUE(person.answer(pending->front()->id, choose("Tea"), {.by = "Ada"})->is_yours);
    const auto settled = ticket.wait();
    EXPECT_EQ(chosen(settled), "Tea");
    EXPECT_EQ((*settled)->spec->asker, "program");
    EXPECT_EQ((*settled)->settlement->decider.claimed, "Ada");
}

TEST_F(ServerTest, OverHttpATokenIsNeededAndTheOwnersIsInTheFile) {
    const Server server = open();
    EXPECT_THAT(server.url(), StartsWith("http://127.0.0.1:"));
    const auto stranger = Client::connect({.server = server.url()});
    ASSERT_FALSE(stranger);
    EXPECT_EQ(stranger.error().code, ErrorCode::denied);
    EXPECT_TRUE(Client::connect({.server = server.url(), .token = folder_.line_of("token")}));
}

TEST_F(ServerTest, AnAddressSignsABrowserIn) {
    Server server = open();
    const auto first = server.sign_in_url();
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_THAT(*first, StartsWith("http://"));
    EXPECT_NE(*first, *server.sign_in_url());
}

TEST_F(ServerTest, AClientWaitsWatchesAndHandlesOnWhileTheServerIsAway) {
    std::optional<Server> server = open();
    Client client = connect();
    const Ticket before = client.ask(tea_or_coffee("before"));
    ASSERT_TRUE(before.opened());
    Inbox<Cursor> settled;
    const auto watch = client.watch({}, [&](const Frame& frame) {
        const auto* event = std::get_if<EventPtr>(&frame);
        if (event != nullptr && std::holds_alternative<AskSettled>((*event)->body))
            settled.put((*event)->cursor);
    });
    ASSERT_TRUE(watch) << watch.error().message;
    server.reset();
    const Ticket meanwhile = client.ask(tea_or_coffee("meanwhile"));
    EXPECT_EQ(before.poll(), std::nullopt);
    server = open();
    ASSERT_TRUE(meanwhile.opened());
    const auto pending = server->broker().pending();
    ASSERT_TRUE(pending) << pending.error().message;
    EXPECT_THAT(*pending, SizeIs(2));
    for (const AskPtr& ask : *pending)
        EXPECT_TRUE(server->broker().answer(ask->id, choose("Coffee"))->is_yours);
    EXPECT_EQ(chosen(before.wait()), "Coffee");
    EXPECT_EQ(chosen(meanwhile.wait()), "Coffee");
    const auto seen = settled.await(2);
    EXPECT_LT(seen[0].value, seen[1].value);

    client.set_handler([](const Ask&, const std::stop_token&) { return choose("Tea"); });
    server.reset();
    server = open();
    EXPECT_EQ(chosen(server->broker().ask(tea_or_coffee("after")).wait()), "Tea");
}

TEST_F(ServerTest, WhatWasCancelledWhileTheServerWasAwayIsWithdrawn) {
    std::optional<Server> server = open();
    Client client = connect();
    const Ticket ticket = client.ask(tea_or_coffee());
    ASSERT_TRUE(ticket.opened());
    server.reset();
    ticket.cancel("too late");
    server = open();
    EXPECT_EQ(chosen(ticket.wait()), "withdrawn");
}

TEST_F(ServerTest, ClosingInterruptsTheProgramAndNotTheClients) {
    Server server = open();
    Client client = connect();
    const Ticket own = server.broker().ask(tea_or_coffee("own"));
    const Ticket others = client.ask(tea_or_coffee("others"));
    ASSERT_TRUE(own.opened());
    ASSERT_TRUE(others.opened());
    server.close();
    EXPECT_EQ(chosen(own.wait()), "interrupted");
    EXPECT_EQ(others.poll(), std::nullopt);
    EXPECT_EQ(server.broker().pending().error().code, ErrorCode::unavailable);
    EXPECT_EQ(server.sign_in_url().error().code, ErrorCode::unavailable);
    client.close();
    EXPECT_EQ(chosen(others.wait()), "interrupted");
}

TEST_F(ServerTest, OneThatCannotListenSaysWhy) {
    const Server first = open();
    const auto second = Server::open({.listen = first.url().substr(std::string("http://").size())});
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("127.0.0.1"));
    const auto exposed = Server::open({.listen = "0.0.0.0:0"});
    ASSERT_FALSE(exposed);
    EXPECT_EQ(exposed.error().code, ErrorCode::invalid);
    EXPECT_THAT(exposed.error().message, HasSubstr("tls_certificate"));
    EXPECT_EQ(Server::open({.listen = "here"}).error().code, ErrorCode::invalid);
    EXPECT_EQ(Server::open({.tls_key = "key.pem"}).error().code, ErrorCode::invalid);
}

TEST_F(ServerTest, AClientThatReachesNobodySaysWhere) {
    const auto client = Client::connect({.server = "unix:" + folder_.path("nobody.sock")});
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code, ErrorCode::unavailable);
    EXPECT_THAT(client.error().message, HasSubstr("nobody.sock"));
    EXPECT_EQ(Client::connect({.server = "ftp://host"}).error().code, ErrorCode::invalid);
}

}  // namespace
}  // namespace parley::program
