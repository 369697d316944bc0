// SPDX-License-Identifier: Apache-2.0
#include "client/broker_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

namespace parley {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class BrokerPlaceTest : public testing::Test {
protected:
    BrokerPlaceTest() {
        fs::create_directories(state_);
        fs::create_directories(folder_ / "run");
    }
    ~BrokerPlaceTest() override { fs::remove_all(folder_); }

    // A socket that nobody serves: it is there, and ours.
    fs::path make_socket(const fs::path& path) const {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.native().copy(address.sun_path, path.native().size());
        const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
        EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
        ::close(fd);
        return path;
    }
    // What a client that keeps the environment back leaves of it.
    Environment stripped() const { return Environment({{"HOME", (folder_ / "home").string()}}); }

    static fs::path make_folder() {
        std::string name = (fs::temp_directory_path() / "parley-place-XXXXXX").string();
        return ::mkdtemp(name.data());
    }

    fs::path folder_ = make_folder();
    fs::path state_ = folder_ / "home/.local/state/parley";
    fs::path usual_ = state_ / "parley.sock";
    fs::path elsewhere_ = folder_ / "run/parley.sock";
};

TEST_F(BrokerPlaceTest, TheStateFolderTellsWhereTheSocketIsAndForgetsItAtTheEnd) {
    make_socket(elsewhere_);
    EXPECT_THAT(broker_sockets(stripped()), ElementsAre(usual_));
    {
        const PlaceMark mark(place_mark_file(state_), elsewhere_);
        EXPECT_THAT(broker_sockets(stripped()), ElementsAre(usual_, elsewhere_));
        EXPECT_EQ(fs::status(place_mark_file(state_)).permissions(),
                  fs::perms::owner_read | fs::perms::owner_write);
    }
    EXPECT_FALSE(fs::exists(place_mark_file(state_)));
}

TEST_F(BrokerPlaceTest, OneThatWasStartedWithoutARuntimeFolderIsFoundByThoseWhoHaveOne) {
    make_socket(usual_);
    const Environment whole(
        {{"HOME", (folder_ / "home").string()}, {"XDG_RUNTIME_DIR", (folder_ / "run").string()}});
    EXPECT_THAT(broker_sockets(whole), ElementsAre(elsewhere_, usual_));
}

TEST_F(BrokerPlaceTest, TheMarkOfAnotherBrokerStays) {
    {
        const PlaceMark first(place_mark_file(state_), elsewhere_);
        PlaceMark second(place_mark_file(state_), usual_);
        make_socket(usual_);
        PlaceMark moved = std::move(second);
    }
    EXPECT_FALSE(fs::exists(place_mark_file(state_)));
    {
        PlaceMark mark(place_mark_file(state_), elsewhere_);
        std::ofstream(place_mark_file(state_)) << "/somewhere/else\n";
        mark = {};
    }
    EXPECT_TRUE(fs::exists(place_mark_file(state_)));
}

TEST_F(BrokerPlaceTest, WhatOthersMayHaveWrittenIsNotTrusted) {
    make_socket(elsewhere_);
    const fs::path file = place_mark_file(state_);
    const auto is_ignored = [&](const std::string& text) {
        std::ofstream(file) << text;
        return broker_sockets(stripped()).size() == 1;
    };
    const std::string line = elsewhere_.string() + "\n";
    EXPECT_FALSE(is_ignored(line));
    EXPECT_TRUE(is_ignored(elsewhere_.string()));                // not whole
    EXPECT_TRUE(is_ignored("run/parley.sock\n"));                // not a whole path
    EXPECT_TRUE(is_ignored(line + std::string(200, '/')));       // not one line
    EXPECT_TRUE(is_ignored((folder_ / "run").string() + "\n"));  // not a socket
    EXPECT_FALSE(is_ignored(line));
    fs::permissions(file, fs::perms::group_write, fs::perm_options::add);
    EXPECT_TRUE(is_ignored(line));
    fs::remove(file);
    std::ofstream(folder_ / "mark") << line;
    fs::create_symlink(folder_ / "mark", file);
    EXPECT_THAT(broker_sockets(stripped()), ElementsAre(usual_));
    if (::geteuid() == 0) {
        fs::remove(file);
        EXPECT_FALSE(is_ignored(line));
        EXPECT_EQ(::chown(file.c_str(), 65534, 65534), 0);
        EXPECT_THAT(broker_sockets(stripped()), ElementsAre(usual_));
        fs::remove(file);
        EXPECT_FALSE(is_ignored(line));
        EXPECT_EQ(::chown(elsewhere_.c_str(), 65534, 65534), 0);
        EXPECT_THAT(broker_sockets(stripped()), ElementsAre(usual_));
    }
}

}  // namespace
}  // namespace parley
