// SPDX-License-Identifier: Apache-2.0
// For the tests of doors: a broker over the memory store, served by the native door on loopback and
// on a local socket, in a thread of its own; callers of every role; time that moves when a test
// says so.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "broker/broker.h"
#include "broker/store_keeper.h"
#include "door/access.h"
#include "door/native/native_door.h"
#include "door/operations.h"
#include "door/sign_in.h"
#include "door/trpc/trpc_door.h"
#include "net/test_support.h"
#include "store/memory_engine.h"
#include "text/json.h"

namespace parley::door_testing {

using net::testing::RawClient;

// The body of an answer to whoever asked for tea or something else.
inline constexpr std::string_view kTea = R"({"answers":[{"selected":["Tea"]}]})";

// The real time and what the test adds to it; timers fire when the test adds, not before.
class TestTime final : public Clock, public Executor {
public:
    explicit TestTime(net::Loop& loop) : loop_(loop) {}

    Instant wall() const override;
    Mono mono() const override { return loop_.now() + added_; }
    void post(Task task) override { loop_.post(std::move(task)); }
    void post_at(Mono when, Task task) override { timers_.emplace(when, std::move(task)); }

    // On the loop's thread.
    void advance(Millis by);

private:
    net::Loop& loop_;
    Millis added_{};
    std::multimap<Mono, Task> timers_;
};

// The memory store, which can be neither written nor opened while `is_broken`.
class BreakableEngine final : public Engine {
public:
    BreakableEngine(const Clock& clock, const std::atomic<bool>& is_broken, bool is_shared)
        : memory_(clock), is_broken_(is_broken), is_shared_(is_shared) {}

    Result<Snapshot> open() override {
        return run([&]() -> Result<Snapshot> {
            TRY(snapshot, memory_.open());
            snapshot.is_shared = is_shared_;
            return snapshot;
        });
    }
    void close() noexcept override { memory_.close(); }
    Result<CommitReport> commit(std::span<const Change> changes) override {
        return run([&] { return memory_.commit(changes); });
    }
    Result<AskPtr> find_ask(AskId id) override { return memory_.find_ask(id); }
    Result<AskPtr> find_ask_by_call(SessionId session, std::string_view call_id) override {
        return memory_.find_ask_by_call(session, call_id);
    }
    Result<SessionPtr> find_session(SessionId id) override { return memory_.find_session(id); }
    Result<AskPage> list_asks(const AskQuery& query) override { return memory_.list_asks(query); }
    Result<SessionPage> list_sessions(const SessionQuery& query) override {
        return memory_.list_sessions(query);
    }
    Result<EventPage> list_events(const EventQuery& query) override {
        return memory_.list_events(query);
    }
    Result<bool> tidy_up() override { return false; }

private:
    template <class F>
    auto run(F action) -> decltype(action()) {
        if (is_broken_) return reject(ErrorCode::unavailable, "the disk is full");
        return action();
    }

    MemoryEngine memory_;
    const std::atomic<bool>& is_broken_;
    bool is_shared_;
};

struct Reply {
    wire::ResponseHead head;
    std::string body;

    int status() const { return head.status; }
    std::string_view header(std::string_view name) const { return head.fields.get(name); }
    // The body as JSON; null when it is none, which no expectation takes for something else.
    json::Value json() const { return json::parse(body).value_or(json::Value()); }
    // One string of it, by JSON pointer; "" if it is not there or no string.
    std::string text(std::string_view pointer) const;
};

std::string text_at(const json::Value& document, std::string_view pointer);

// One who calls, with a connection of its own for each call.
class Api {
public:
    Api(UniqueFunction<RawClient()> connect, std::string lines)
        : connect_(std::move(connect)), lines_(std::move(lines)) {}

    Reply get(std::string_view target, std::string_view lines = {}) {
        return call("GET", target, {}, lines);
    }
    Reply post(std::string_view target, std::string_view body, std::string_view lines = {}) {
        return call("POST", target, body, lines);
    }
    Reply put(std::string_view target, std::string_view body) { return call("PUT", target, body); }
    Reply del(std::string_view target) { return call("DELETE", target, {}); }
    Reply call(std::string_view method, std::string_view target, std::string_view body,
               std::string_view lines = {});

    // The bytes of a request, and a connection to send them by.
    std::string encode(std::string_view method, std::string_view target, std::string_view body = {},
                       std::string_view lines = {}) const;
    RawClient connect() { return connect_(); }

    // Asks one question with the options Tea and Coffee; gives the ask's id.
    std::string ask(std::string_view session = "chat");

private:
    UniqueFunction<RawClient()> connect_;
    std::string lines_;  // Host and who calls
};

struct StreamedEvent {
    std::string type;
    std::string id;  // "" if it has none
    json::Value data;

    std::string text(std::string_view pointer) const { return text_at(data, pointer); }
};

// An open GET /v1/events.
class EventReader {
public:
    EventReader(Api& api, std::string_view query, std::string_view last_event_id = {});

    const wire::ResponseHead& head() const { return head_; }
    // The next event, heartbeats left out; nothing when the stream breaks off.
    std::optional<StreamedEvent> next();
    // All up to and with the first of that type.
    std::vector<StreamedEvent> read_to(std::string_view type);
    const std::string& last_id() const { return last_id_; }
    RawClient& client() { return client_; }

private:
    RawClient client_;
    wire::ResponseHead head_;
    std::string last_id_;
};

struct FixtureOptions {
    GateOptions access = {};  // its hosts are filled in
    net::ServerLimits limits = {};
    bool has_front_page = false;  // `/` and signing in, which the API's document leaves out
    bool has_trpc = false;
    bool is_shared = false;  // the store says that other nodes have it too
};

// Tokens: "owner", "ada" and "bob" (responders), "bot" and "rival" (agents); the secret of each is
// its name and "-secret".
class DoorFixture {
public:
    explicit DoorFixture(const FixtureOptions& options = {});
    ~DoorFixture();

    Api as(std::string_view token);
    Api with_lines(std::string lines);  // over TCP, with no token of its own
    Api local();                        // through the socket
    std::string host() const;

    template <class F>
    auto on_loop(F task) {
        std::promise<std::invoke_result_t<F>> promise;
        auto future = promise.get_future();
        loop_.post([&] {
            if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
                task();
                promise.set_value();
            } else {
                promise.set_value(task());
            }
        });
        return future.get();
    }
    // Waits, without a limit of its own, until the loop sees `condition` true.
    void wait_until(const std::function<bool()>& condition);
    void advance(Millis by);
    void break_store(bool is_broken) { is_broken_ = is_broken; }
    // Until the broker knows that it is away.
    void lose_store();
    // Its secret is as the others' are. Another node may have made it.
    void make_token(std::string_view name, Role role);
    // Begins to stop the server; its connections may go on.
    void begin_drain();

    // On the loop's thread.
    LoopBroker& broker() { return broker_; }
    Access& access() { return access_; }
    const net::Router& router() const { return router_; }
    const net::ServerCounts& counts() const { return server_->counts(); }
    std::size_t waiting() const { return native_.held_requests(); }

    // What the after-hook saw: everything in it that is text, one line for each request.
    std::vector<std::string> records();
    // Everything that the server reported as its own trouble.
    std::vector<std::string> troubles();

private:
    void add_routes();
    void start();

    net::Loop loop_;
    TestTime time_{loop_};
    std::atomic<bool> is_broken_ = false;
    const bool is_shared_;
    Store store_{std::make_unique<BreakableEngine>(loop_.clock(), is_broken_, is_shared_),
                 {loop_, time_, time_}};
    LoopBroker broker_{{time_, time_, store_, system_random()}};
    Access access_;
    StoreKeeper keeper_{{time_, time_, store_, system_random(), "memory:"}, {}};
    NativeDoor native_{{broker_, time_, time_, access_, &keeper_}};
    TrpcDoor trpc_{{broker_, access_, time_, time_}};
    Operations operations_{
        {broker_, access_, time_, "test", [this] { return "http://" + host() + "/"; }}};
    SignIn sign_in_{{broker_, access_, time_, "key", [this] { return "http://" + host(); }}};
    net::Router router_;
    std::unique_ptr<net::HttpServer> server_;
    std::uint16_t port_ = 0;
    std::string socket_path_;
    std::vector<std::string> records_;
    std::vector<std::string> troubles_;
    std::thread thread_;
};

}  // namespace parley::door_testing
