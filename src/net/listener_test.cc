// SPDX-License-Identifier: Apache-2.0
#include "net/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "net/test_support.h"

namespace parley::net::testing {
namespace {

using ::testing::HasSubstr;

void listener_routes(Router& router) {
    router.get("/who", [](Exchange ex) {
        const Peer& peer = ex.peer();
        ex.respond({.body = peer.is_local() ? "uid " + std::to_string(peer.uid) + " pid " +
                                                  std::to_string(peer.pid)
                                            : peer.address});
    });
}

TEST(ListenSocket, NamesTheAddressAndTheWayOut) {
    const auto first = ListenSocket::tcp("127.0.0.1", 0);
    ASSERT_TRUE(first);
    const auto second = ListenSocket::tcp("127.0.0.1", first->port());
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("127.0.0.1:" + std::to_string(first->port())));
    EXPECT_THAT(second.error().message, HasSubstr("choose another port"));
    const auto foreign = ListenSocket::tcp("192.0.2.1", 0);
    ASSERT_FALSE(foreign);
    EXPECT_THAT(foreign.error().message, HasSubstr("no such address"));
    EXPECT_FALSE(ListenSocket::tcp("no such host", 0));
}

TEST(ListenSocket, TheUnixSocketIsForItsOwnerOnlyAndGoesWithTheServer) {
    const std::string path = temporary_path("own.sock");
    {
        const auto socket = ListenSocket::unix_path(path);
        ASSERT_TRUE(socket);
        struct stat info{};
        ASSERT_EQ(::stat(path.c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777U, 0600U);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ListenSocket, ALiveUnixSocketIsRefusedByNamingItsHolder) {
    const std::string path = temporary_path("live.sock");
    const auto holder = ListenSocket::unix_path(path);
    ASSERT_TRUE(holder);
    const auto second = ListenSocket::unix_path(path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::conflict);
    EXPECT_THAT(second.error().message, HasSubstr("process " + std::to_string(::getpid())));
    EXPECT_THAT(second.error().message, HasSubstr("net_test"));
    EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(ListenSocket, ADeadUnixSocketIsReplaced) {
    const std::string path = temporary_path("dead.sock");
    const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    ASSERT_EQ(::bind(left, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ::close(left);
    ASSERT_TRUE(std::filesystem::exists(path));
    EXPECT_TRUE(ListenSocket::unix_path(path));
}

TEST(ListenSocket, AFileInTheWayIsLeftAlone) {
    const std::string path = temporary_path("file");
    std::ofstream(path) << "precious";
    const auto socket = ListenSocket::unix_path(path);
    ASSERT_FALSE(socket);
    EXPECT_THAT(socket.error().message, HasSubstr("is not a socket"));
    EXPECT_EQ(std::filesystem::file_size(path), 8U);
    std::filesystem::remove(path);
    EXPECT_FALSE(ListenSocket::unix_path("/tmp/" + std::string(200, 'x')));
    EXPECT_FALSE(ListenSocket::unix_path("/no/such/folder/x.sock"));
}

// A socket that another server has put in our place is not removed with us.
TEST(ListenSocket, OnlyItsOwnFileIsRemoved) {
    const std::string path = temporary_path("moved.sock");
    auto first = std::make_optional(std::move(*ListenSocket::unix_path(path)));
    std::filesystem::remove(path);
    const auto second = ListenSocket::unix_path(path);
    ASSERT_TRUE(second);
    first.reset();
    EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(Listener, TellsWhoTheirPeersAre) {
    ServerFixture fixture(listener_routes);
    auto local = RawClient::unix_path(fixture.socket_path());
    local.send(get("/who"));
    EXPECT_EQ(local.receive()->body,
              "uid " + std::to_string(::getuid()) + " pid " + std::to_string(::getpid()));
    auto tcp = fixture.connect();
    tcp.send(get("/who"));
    EXPECT_THAT(tcp.receive()->body, ::testing::StartsWith("127.0.0.1:"));
}

TEST(Listener, TakesASocketThatWasHandedOver) {
    ServerFixture fixture(listener_routes);
    auto bound = ListenSocket::tcp("127.0.0.1", 0);
    ASSERT_TRUE(bound);
    const std::uint16_t port = bound->port();
    const int handed = ::dup(bound->descriptor());
    fixture.on_loop([&] { EXPECT_TRUE(fixture.server().listen_inherited(handed, nullptr)); });
    auto client = RawClient::tcp(port);
    client.send(get("/who"));
    EXPECT_EQ(client.receive()->status(), 200);
    fixture.on_loop([&] { EXPECT_FALSE(fixture.server().listen_inherited(0, nullptr)); });
}

}  // namespace
}  // namespace parley::net::testing
