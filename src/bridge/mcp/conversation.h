// SPDX-License-Identifier: Apache-2.0
// One MCP client's conversation with the broker, over whatever transport: takes its messages,
// answers them through the outlets that come along, and reaches the broker through a Link. Speaks
// both eras of the protocol, each request in the one that it names. Belongs to the loop's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "bridge/mcp/call.h"
#include "bridge/mcp/extras.h"
#include "bridge/mcp/forms.h"
#include "bridge/mcp/outlet.h"
#include "bridge/mcp/request_ids.h"
#include "bridge/mcp/round_state.h"
#include "bridge/mcp/task_news.h"
#include "client/link.h"
#include "dialect/mcp/client.h"
#include "wire/json_rpc.h"

namespace parley::mcp {

class PendingCall;

// Who is told that the server speaks the era of 2026-07-28. A client that is not goes on with the
// older one.
enum class EraRule : std::uint8_t {
    everybody,
    whom_it_serves,  // as the table of clients has it
    nobody,
};

struct ConversationOptions {
    ServerInfo info = {};
    // The session that asks belong to; empty: named after the client, where it works, and what
    // tells two of them there apart.
    std::string session = {};
    std::string place = {};  // " in my-project"
    std::string tag = {};    // unless the client names its conversation
    EraRule era = EraRule::everybody;
    // What the tool that asks is called; empty: as the client takes it.
    std::string ask_tool = {};
    // The deadline of asks that bring none of their own.
    std::optional<Millis> timeout = {};
    // How long a call waits for an answer before it says "pending"; zero is as long as it takes,
    // nullopt as long as the client is known to wait.
    std::optional<Millis> hold = {};
    // Forms are shown in the client: whoever sits there may answer.
    bool may_show_forms = true;
    Seal seal = {};
    Extras* extras = nullptr;  // outlives the session
};

class Conversation {
public:
    struct Wiring {
        Link& link;
        Executor& home;
        const Clock& clock;
        // Sends what belongs to no request that is still open.
        std::function<void(std::string)> send_aside;
        // Gives the address of a page on which a person answers this ask; empty: there is none.
        std::function<void(AskId, Done<std::string>)> find_page = {};
        // A modern client came back for an ask that this conversation did not expect it for: it
        // was told so elsewhere.
        std::function<void(AskId)> tell_round = {};
        // Whether the broker cannot use its store at the moment, where that is known.
        std::function<bool()> is_store_away = {};
    };

    Conversation(Wiring wiring, ConversationOptions options);
    // Ends everything without a word; what is asked stays asked.
    ~Conversation();
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    // A request gives its Call, for whoever can tell that the client has left it.
    std::shared_ptr<Call> take(wire::rpc::Message message, std::shared_ptr<Outlet> outlet);

    // The client is gone: takes back what its open calls have asked, then `done`.
    void leave(Task done);
    bool has_open_calls() const { return !calls_.empty(); }
    // As it introduced itself in `initialize`.
    const ClientInfo& client() const { return *client_; }
    // It did so elsewhere.
    void go_on_with(ClientInfo client);
    // Tells requests and streams of this conversation from those of the same one elsewhere.
    const std::string& mark() const { return request_ids_.mark(); }
    // Whether what is no request is about something that is open here.
    bool awaits(const wire::rpc::Message& message) const;
    // A client came back elsewhere.
    void round_came_elsewhere(AskId id) { rounds_.erase(id); }

    // The rest is for what works on calls.

    Link& link() { return wiring_.link; }
    Executor& home() { return wiring_.home; }
    const Clock& clock() const { return wiring_.clock; }
    const ConversationOptions& options() const { return options_; }
    Forms& forms() { return forms_; }
    TaskNews& task_news() { return task_news_; }
    bool is_store_away() const { return wiring_.is_store_away && wiring_.is_store_away(); }
    bool has_pages() const { return wiring_.find_page != nullptr; }
    void find_page(AskId id, Done<std::string> done) const {
        wiring_.find_page(id, std::move(done));
    }
    // With `call` while that is open.
    void send_with(Call& call, std::string message) const;
    void send_aside(std::string message) const { wiring_.send_aside(std::move(message)); }
    // Of asks of this client.
    std::string session_name(const Call& call) const;
    void give_notice(const Call& call, NoticeGiven notice);
    void withdraw(AskId id, std::string reason);
    // A client that leaves is not gone while something begun for it is under way.
    void begin_work() { ++at_work_; }
    void end_work();
    void retire(const PendingCall& run);
    // A modern client was told to come back for this ask; if it does not, the ask is taken back.
    void expect_round(AskId id);
    void round_came(AskId id);

    // Runs ask_user with these arguments, whatever the call says.
    void ask_user(const std::shared_ptr<Call>& call, const json::Value& arguments);

    // A request of ours to a legacy client, sent with `call` while that is open. The number takes
    // it back.
    std::uint64_t request(Call& call, std::string_view method, std::string_view params,
                          Done<json::Value> done);
    // A client may answer all the same: then `late` is called.
    void revoke_request(std::uint64_t number, Call& call, Done<json::Value> late);

private:
    std::shared_ptr<Call> take_request(wire::rpc::Request request, std::shared_ptr<Outlet> outlet);
    void take_notification(const wire::rpc::Notification& notification);
    void take_reply(const wire::rpc::Id& id, Result<json::Value> result);
    std::shared_ptr<Call> find_cancelled(const wire::rpc::Notification& notification) const;
    bool check_modern(Call& call);
    void dispatch(const std::shared_ptr<Call>& call);

    void initialize(const std::shared_ptr<Call>& call);
    void discover(Call& call) const;
    bool may_discover(const ClientInfo& client) const;
    std::string_view ask_tool(const ClientInfo& client) const;
    void list_tools(Call& call) const;
    void call_tool(const std::shared_ptr<Call>& call);
    void notify_user(const std::shared_ptr<Call>& call, const json::Value& arguments);
    PendingCall& start_run(const std::shared_ptr<Call>& call);

    // tasks.cc
    bool may_use_tasks(Call& call) const;
    void find_task(const std::shared_ptr<Call>& call, UniqueFunction<void(AskPtr)> use);
    void get_task(const std::shared_ptr<Call>& call);
    void update_task(const std::shared_ptr<Call>& call);
    void cancel_task(const std::shared_ptr<Call>& call);
    void give_task_result(const std::shared_ptr<Call>& call);
    void list_tasks(const std::shared_ptr<Call>& call);

    Wiring wiring_;
    ConversationOptions options_;
    RequestIds request_ids_;
    std::shared_ptr<const ClientInfo> client_ = std::make_shared<ClientInfo>();
    std::unordered_map<std::uint64_t, std::shared_ptr<Call>> calls_;
    std::unordered_map<const PendingCall*, std::shared_ptr<PendingCall>> runs_;
    std::map<AskId, std::uint64_t> rounds_;  // expected, and which expectation it is
    std::unordered_map<std::uint64_t, Done<json::Value>> requests_;
    std::deque<std::uint64_t> revoked_;  // of them
    std::uint64_t next_number_ = 1;
    std::size_t at_work_ = 0;
    Task left_;
    Forms forms_{*this};
    TaskNews task_news_{*this};
    Lifetime alive_;
};

}  // namespace parley::mcp
