// SPDX-License-Identifier: Apache-2.0
// The victim of sqlite_kill_test: a real store on a real file, asking and settling without end. Two
// responders race for every ask. Each acknowledgement becomes a line on standard output after it
// was given, so whoever kills this process knows what it had promised.
//
// usage: store_kill_child FILE
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/ids.h"
#include "base/loop_thread.h"
#include "store/sqlite_engine.h"
#include "store/store.h"
#include "store/test_values.h"

namespace parley {

namespace {

constexpr int kInFlight = 8;

void say(const std::string& line) {
    const std::string out = line + '\n';
    if (::write(STDOUT_FILENO, out.data(), out.size()) < 0) std::_Exit(1);
}

[[noreturn]] void give_up(const Error& error) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    std::_Exit(1);
}

class Victim final : public StoreListener {
public:
    explicit Victim(const std::string& path)
        : store_(std::make_unique<SqliteEngine>(SqliteOptions{.path = path}, clock_),
                 {.worker = worker_, .home = home_, .clock = clock_}) {}

    void start() {
        home_.post([this] {
            store_.open(*this, [this](Result<Snapshot> snapshot) {
                if (!snapshot) give_up(snapshot.error());
                begin(*snapshot);
            });
        });
    }

    void on_committed(std::span<const EventPtr>) override {}
    void on_lost(const Error& error) override { give_up(error); }
    void on_reopened(Snapshot) override {}

private:
    void begin(const Snapshot& snapshot) {
        ids_.raise_above(snapshot.top_ask);
        ids_.raise_above(snapshot.top_session);
        say("ready");
        for (const AskPtr& ask : snapshot.pending) race_for(ask);
        auto session = std::make_shared<Session>();
        session->id = ids_.next<SessionKind>(clock_.wall());
        session->name = "kill-test";
        session->created_at = clock_.wall();
        store_.commit(OpenSession{session}, [this](Result<std::span<const ChangeOutcome>> done) {
            if (!done) give_up(done.error());
            session_ = (*done)[0].session->id;
            for (int i = 0; i < kInFlight; ++i) ask_next();
        });
    }

    void ask_next() {
        auto ask = std::make_shared<Ask>(*make_.ask(session_));
        ask->id = ids_.next<AskKind>(clock_.wall());
        store_.commit(OpenAsk{ask}, [this, ask](Result<std::span<const ChangeOutcome>> done) {
            if (!done) give_up(done.error());
            say("asked " + ask->id.str());
            race_for(ask);
            ask_next();
        });
    }

    void race_for(const AskPtr& ask) {
        for (const char* name : {"ada", "bob"}) {
            const auto settlement = make_.settlement(Outcome::answered, name);
            store_.commit(SettleAsk{ask->id, settlement, ask},
                          [name, id = ask->id](Result<std::span<const ChangeOutcome>> done) {
                              if (!done) give_up(done.error());
                              const ChangeOutcome& outcome = (*done)[0];
                              say("settled " + id.str() + " " + name + " " +
                                  std::string(to_string(outcome.verdict)) + " " +
                                  outcome.ask->settlement->decider.principal);
                          });
        }
    }

    SystemClock clock_;
    IdMaker ids_{system_random()};
    TestValues make_;
    SessionId session_;
    LoopThread worker_;
    LoopThread home_;
    Store store_;
};

}  // namespace

}  // namespace parley

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    parley::Victim victim(argv[1]);
    victim.start();
    for (;;) ::pause();
}
