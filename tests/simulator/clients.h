// SPDX-License-Identifier: Apache-2.0
// The people and agents of a simulation. They reach the broker through the client interface and
// live outside the process: a crash leaves them with requests that nobody will answer, and they
// come back with what they remember (a key, an id, a cursor).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/local_link.h"
#include "oracle.h"
#include "process.h"
#include "random.h"

namespace parley::sim {

inline constexpr int kAgents = 4;

// What every client works with; `process` is null while nobody runs.
struct World {
    SimClock& clock;
    Random& random;
    Oracle& oracle;
    Process* process = nullptr;
    bool is_shared = false;  // other processes write to the same store
    bool revokes = false;    // agents live by tokens

    // Whether this process has heard of all that is durable.
    bool is_current() const {
        return !is_shared || process->broker().ledger().head() == oracle.head();
    }
    bool is_reachable() const {
        return process != nullptr && process->is_up() && process->broker().is_ready();
    }
};

// One client's connection: made on first use, gone with the process.
class Connection {
public:
    Connection(World& world, Actor actor) : world_(world), actor_(std::move(actor)) {}

    LocalLink& link() {
        if (link_ == nullptr) {
            link_ = std::make_unique<LocalLink>(
                LocalLink::Wiring{world_.process->home(), world_.clock, world_.process->broker()},
                actor_);
        }
        return *link_;
    }
    void drop() { link_.reset(); }
    const Actor& actor() const { return actor_; }

private:
    World& world_;
    Actor actor_;
    std::unique_ptr<LocalLink> link_;
};

// Asks, waits, and after a crash asks again with the same key or waits again by id.
class Agent {
public:
    Agent(World& world, int number);

    void act();
    void process_died();
    // Everything that could be delivered has been: what is missing is lost.
    void check_delivered() const;
    void wait_if_owed();

private:
    bool may_ask();
    void ask();
    void wait();
    void withdraw();
    void stop_session();
    AskSpec make_spec();

    World& world_;
    const std::string name_;
    Connection connection_;
    std::string session_;
    bool had_token_ = false;
    int asked_ = 0;
    std::optional<AskSpec> asking_;  // sent, or to be sent again
    bool is_asking_ = false;         // a reply is outstanding
    std::optional<AskId> waiting_for_;
    LinkWait wait_;
    bool is_waiting_ = false;
};

// Makes tokens, uses and revokes them, one after the other. What was acknowledged holds, also after
// a crash; what was on its way then may have been done or not.
class Owner {
public:
    explicit Owner(World& world) : world_(world) {}

    void act();
    // It would not know which of two came last that it does at two nodes at once.
    bool is_at_work() const { return at_work_on_.has_value(); }
    void process_died();
    void check() const;

private:
    struct Promise {
        std::optional<std::string> hash;  // of the token that counts; none: it is revoked
    };

    void act_on_agent();
    void put(const std::string& name, bool replaces);
    void drop(const std::string& name);

    World& world_;
    std::set<std::string> revoked_;  // agents: none of that name comes again
    int made_ = 0;
    std::optional<std::string> at_work_on_;
    std::map<std::string, Promise> promised_;  // by the token's name
};

// Answers, dismisses, drafts and puts off whatever it finds, early, late, twice, wrong.
class Responder {
public:
    Responder(World& world, int number);

    void act();
    void process_died() { connection_.drop(); }

private:
    AskPtr choose();
    void answer(const AskPtr& ask);
    void answer_wrongly(const AskPtr& ask);
    void dismiss(const AskPtr& ask);
    void draft(const AskPtr& ask);
    void check_draft(const AskPtr& ask);
    void snooze(const AskPtr& ask);
    void told(AskId id, const Result<SettleReply>& reply);

    World& world_;
    Connection connection_;
    int said_ = 0;
    std::map<AskId, std::uint64_t> drafts_seen_;  // versions
};

// Reads events at its own pace, leaves and comes back by cursor.
class Watcher final : private FollowListener {
public:
    Watcher(World& world, int number);

    void act();
    void process_died();
    // Stays connected and reads all there is.
    void catch_up();
    void check_caught_up() const;

private:
    void on_frames(std::span<const Frame> frames) override;
    // A shared store that is away for a while ends no subscription.
    void on_state(State state, const std::optional<Error>& why) override {
        if (state == State::ended && world_.is_shared)
            throw Broken("a watcher was sent away: " + why->message);
    }
    void connect();
    void see(const Frame& frame);
    void see_event(const Event& event);
    void check_nothing_skipped(Cursor from, Cursor to) const;

    World& world_;
    Connection connection_;
    std::unique_ptr<Following> following_;
    std::optional<Cursor> seen_;
    std::set<AskId> prompts_;  // what this client shows as open
    std::map<AskId, Instant> snoozed_until_;
    bool is_in_snapshot_ = false;
};

}  // namespace parley::sim
