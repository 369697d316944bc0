// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_test_cluster.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/assert.h"
#include "store/postgres/connection.h"

namespace parley {

namespace {

constexpr const char* kPrograms = "/usr/lib/postgresql/15/bin/";
constexpr const char* kUser = "parley";

// As a user that the server accepts, and never longer than the test. What it says can be read from
// `output`.
pid_t spawn(std::vector<std::string> command, int& output) {
    command[0].insert(0, kPrograms);
    if (::geteuid() == 0) {
        const std::vector<std::string> as_user = {"/usr/bin/setpriv", "--reuid=postgres",
                                                  "--regid=postgres", "--clear-groups",
                                                  "--pdeathsig=INT"};
        command.insert(command.begin(), as_user.begin(), as_user.end());
    }
    std::array<int, 2> ends = {};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    pid_t child = -1;
    EXPECT_EQ(::posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ), 0)
        << words[0] << ": is the package postgresql-15 installed?";
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output = ends[0];
    return child;
}

// What was said up to these words, or to the end.
std::string read_until(int output, std::string_view words) {
    std::string said;
    std::array<char, 512> buffer = {};
    while (said.find(words) == std::string::npos) {
        const auto size = ::read(output, buffer.data(), buffer.size());
        if (size <= 0) break;
        said.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return said;
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

PostgresCluster::PostgresCluster() {
    std::string name = (std::filesystem::temp_directory_path() / "parley-pg-XXXXXX").string();
    ASSERT(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    if (::geteuid() == 0) {
        const passwd* user = ::getpwnam("postgres");
        if (user != nullptr) ASSERT(::chown(name.c_str(), user->pw_uid, user->pw_gid) == 0);
    }
    int output = -1;
    const pid_t setup = spawn({"initdb", "-D", folder_ + "/data", "-U", kUser, "-A", "trust", "-E",
                               "UTF8", "--locale=C", "--no-sync"},
                              output);
    const std::string said = read_until(output, "no such words");
    ::close(output);
    EXPECT_EQ(wait_for(setup), 0) << said;
    start();
}

PostgresCluster::~PostgresCluster() {
    stop();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

PostgresCluster& PostgresCluster::shared() {
    static PostgresCluster cluster;
    return cluster;
}

void PostgresCluster::start() {
    // What is tried with it is not the disk. It says little, so that nobody has to listen.
    server_ =
        spawn({"postgres", "-D", folder_ + "/data", "-k", folder_, "-c", "listen_addresses=", "-c",
               "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=40", "-c",
               "log_min_messages=log", "-c", "log_checkpoints=off"},
              output_);
    constexpr std::string_view kReady = "ready to accept connections";
    const std::string said = read_until(output_, kReady);
    EXPECT_NE(said.find(kReady), std::string::npos) << said;
}

void PostgresCluster::stop() {
    if (server_ < 0) return;
    ::kill(server_, SIGQUIT);
    wait_for(server_);
    ::close(output_);
    server_ = -1;
}

void PostgresCluster::demand_passwords() {
    stop();
    std::ofstream(folder_ + "/data/pg_hba.conf") << "local all all scram-sha-256\n";
    start();
}

std::string PostgresCluster::url(const std::string& database) const {
    return "postgres://" + std::string(kUser) + "@/" + database + "?host=" + folder_;
}

void PostgresCluster::run_sql(const std::string& sql, const std::string& database) const {
    const auto connection = postgres::Connection::open(url(database));
    ASSERT_TRUE(connection) << connection.error().message;
    const auto done = (*connection)->run_once(sql);
    EXPECT_TRUE(done) << done.error().message;
}

std::string PostgresCluster::make_database() {
    const std::string name = "t" + std::to_string(++databases_);
    run_sql("CREATE DATABASE " + name);
    return url(name);
}

void PostgresCluster::drop_database(const std::string& url) {
    run_sql("DROP DATABASE " + database_of(url) + " WITH (FORCE)");
}

std::string PostgresCluster::database_of(const std::string& url) {
    const std::size_t begin = url.find("@/") + 2;
    return url.substr(begin, url.find('?') - begin);
}

}  // namespace parley
