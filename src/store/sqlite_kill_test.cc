// SPDX-License-Identifier: Apache-2.0
// kill -9, again and again, on one growing file: everything that the killed process acknowledged is
// there, every ask is settled at most once, and the order of events has no hole.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "store/sqlite_engine.h"
#include "store/sqlite_test_folder.h"
#include "store/test_values.h"

extern "C" char** environ;

namespace parley {

namespace {

constexpr int kKills = 200;

class Child {
public:
    explicit Child(const std::string& store) {
        std::array<int, 2> ends = {};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        std::string program = PARLEY_KILL_CHILD;
        std::string path = store;
        std::array<char*, 3> arguments = {program.data(), path.data(), nullptr};
        EXPECT_EQ(
            ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments.data(), environ), 0);
        posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        output_.reset(::fdopen(ends[0], "r"));
    }
    ~Child() { kill(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // False at the end, which comes only after kill().
    bool read_line(std::string& line) {
        std::array<char, 256> buffer = {};
        if (std::fgets(buffer.data(), buffer.size(), output_.get()) == nullptr) return false;
        line = buffer.data();
        if (!line.ends_with('\n')) return false;
        line.pop_back();
        return true;
    }

    void kill() {
        if (pid_ == 0) return;
        ::kill(pid_, SIGKILL);
        int status = 0;
        ::waitpid(pid_, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
        pid_ = 0;
    }

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    pid_t pid_ = 0;
    std::unique_ptr<std::FILE, Closer> output_;
};

// Everything that was ever promised, and what the store held when it was last looked at.
class Ledger {
public:
    void take(const std::string& line) {
        std::istringstream in(line);
        std::string what, id, name, verdict, winner;
        in >> what >> id >> name >> verdict >> winner;
        if (what == "asked") acknowledged_.insert(id);
        if (what != "settled") return;
        ++settlements_told_;
        const auto [told, is_new] = winners_.emplace(id, winner);
        EXPECT_EQ(told->second, winner) << id << " was told to have two winners";
        if (verdict == "applied") {
            EXPECT_EQ(winner, name);
            EXPECT_TRUE(applied_.insert(id).second) << id << " was given to two responders";
        }
    }

    void compare_with(const std::string& path) {
        SqliteEngine engine({.path = path}, clock_);
        const auto snapshot = engine.open();
        ASSERT_TRUE(snapshot) << snapshot.error().message;
        if (seen_up_to_ == Cursor{}) seen_up_to_ = snapshot->oldest;
        fold_new_events(engine, snapshot->head);
        for (const std::string& id : acknowledged_) {
            const AskPtr ask = engine.find_ask(*AskId::parse(id)).value();
            ASSERT_TRUE(ask) << id << " was acknowledged and is lost";
        }
        for (const auto& [id, winner] : winners_) {
            const AskPtr ask = engine.find_ask(*AskId::parse(id)).value();
            ASSERT_TRUE(ask && ask->settlement) << id << " was settled and is not";
            EXPECT_EQ(ask->settlement->decider.principal, winner) << id;
        }
        EXPECT_EQ(snapshot->pending.size(), opened_.size() - settled_.size());
        asks_told_ += acknowledged_.size();
        acknowledged_.clear();
        winners_.clear();
    }

    std::size_t asks_told() const { return asks_told_; }
    std::size_t settlements_told() const { return settlements_told_; }

private:
    void fold_new_events(SqliteEngine& engine, Cursor head) {
        while (seen_up_to_ < head) {
            const auto page = engine.list_events({.after = seen_up_to_});
            ASSERT_TRUE(page && !page->has_gap && !page->events.empty());
            for (const EventPtr& event : page->events) {
                EXPECT_EQ(event->cursor.value, seen_up_to_.value + 1) << "a hole";
                seen_up_to_ = event->cursor;
                if (const auto* opened = std::get_if<AskOpened>(&event->body)) {
                    EXPECT_GT(opened->ask->id, newest_) << "ids must ascend across restarts";
                    newest_ = opened->ask->id;
                    EXPECT_TRUE(opened_.insert(opened->ask->id).second);
                } else if (const auto* settled = std::get_if<AskSettled>(&event->body)) {
                    EXPECT_TRUE(opened_.contains(settled->ask->id));
                    EXPECT_TRUE(settled_.insert(settled->ask->id).second) << "settled twice";
                }
            }
        }
    }

    StillClock clock_;
    std::set<std::string> acknowledged_;          // since the last comparison
    std::map<std::string, std::string> winners_;  // the same
    std::set<std::string> applied_;
    std::size_t asks_told_ = 0;
    std::size_t settlements_told_ = 0;
    Cursor seen_up_to_;
    AskId newest_;
    std::set<AskId> opened_;
    std::set<AskId> settled_;
};

}  // namespace

TEST(SqliteKill, NothingAcknowledgedIsLostAndNothingIsSettledTwice) {
    const TestFolder folder;
    const std::string path = folder.path("store.db");
    TestValues random;
    Ledger ledger;
    for (int kill = 0; kill < kKills && !testing::Test::HasFailure(); ++kill) {
        SCOPED_TRACE(kill);
        Child child(path);
        std::string line;
        // Any number of promises, none too: then the store is just being opened.
        for (std::uint64_t left = random.random() % 60; left > 0; --left) {
            ASSERT_TRUE(child.read_line(line));
            ledger.take(line);
        }
        child.kill();
        while (child.read_line(line)) ledger.take(line);
        ledger.compare_with(path);
    }
    EXPECT_GT(ledger.asks_told(), 500U);
    EXPECT_GT(ledger.settlements_told(), 1000U);
}

}  // namespace parley
