// SPDX-License-Identifier: Apache-2.0
#include "bridge/mcp/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bridge/mcp/limits.h"
#include "bridge/mcp/pending_call.h"
#include "dialect/mcp/known_clients.h"
#include "dialect/mcp/tools.h"
#include "text/json_object.h"

namespace parley::mcp {

namespace rpc = wire::rpc;

namespace {

std::optional<rpc::Id> cancelled_id(const json::Value& params) {
    const json::Value* id = member(params, "requestId");
    if (id == nullptr) return std::nullopt;
    if (id->is_int64()) return rpc::Id{id->get_int64()};
    if (id->is_string()) return rpc::Id{std::string(id->get_string())};
    return std::nullopt;
}

// A client that puts every task aside is offered none.
bool may_be_offered_tasks(const ClientInfo& client) {
    return !habits_of(client).puts_tasks_aside &&
           (client.era == Era::modern || client.is_at_least("2025-11-25"));
}

void write_capabilities(json::Writer& out, const ClientInfo& client, const Extras* extras) {
    out.key("capabilities").begin_object().key("tools").begin_object().end_object();
    const bool has_tasks = may_be_offered_tasks(client);
    if (has_tasks && client.era == Era::modern) {
        out.key("extensions").begin_object();
        out.key(kTasksExtension).begin_object().end_object().end_object();
    } else if (has_tasks) {
        out.key("tasks").begin_object();
        out.key("list").begin_object().end_object().key("cancel").begin_object().end_object();
        out.key("requests").begin_object().key("tools").begin_object();
        out.key("call").begin_object().end_object();
        out.end_object().end_object().end_object();
    }
    if (extras != nullptr) extras->write_capabilities(out, client);
    out.end_object();
}

// How long a list may be kept: it changes with the program only.
void write_cache(json::Writer& out) {
    out.field_int("ttlMs", 3'600'000).field("cacheScope", "public");
}

}  // namespace

Conversation::Conversation(Wiring wiring, ConversationOptions options)
    : wiring_(std::move(wiring)), options_(std::move(options)) {}

Conversation::~Conversation() = default;

void Conversation::go_on_with(ClientInfo client) {
    client_ = std::make_shared<ClientInfo>(std::move(client));
}

bool Conversation::awaits(const rpc::Message& message) const {
    if (const rpc::Id* id = replied_to(message)) {
        const auto number = request_ids_.number(*id);
        return number && requests_.contains(*number);
    }
    const auto* notification = std::get_if<rpc::Notification>(&message);
    return notification != nullptr && find_cancelled(*notification) != nullptr;
}

std::shared_ptr<Call> Conversation::take(rpc::Message message, std::shared_ptr<Outlet> outlet) {
    if (auto* request = std::get_if<rpc::Request>(&message))
        return take_request(std::move(*request), std::move(outlet));
    if (const auto* notification = std::get_if<rpc::Notification>(&message)) {
        take_notification(*notification);
    } else if (auto* response = std::get_if<rpc::Response>(&message)) {
        take_reply(response->id, std::move(response->result));
    } else if (auto* failure = std::get_if<rpc::Failure>(&message)) {
        take_reply(failure->id, reject(ErrorCode::internal, "{}", failure->message));
    } else if (const auto* malformed = std::get_if<rpc::Malformed>(&message)) {
        outlet->finish(rpc::write_failure(malformed->id, malformed->code, malformed->message),
                       malformed->code);
    }
    return nullptr;
}

std::shared_ptr<Call> Conversation::take_request(rpc::Request request,
                                                 std::shared_ptr<Outlet> outlet) {
    auto client = client_;
    std::optional<Error> fault;
    if (is_modern(request.params)) {
        auto modern = read_meta(request.params);
        if (!modern) {
            fault = std::move(modern).error();
            modern = ClientInfo{.era = Era::modern};
        }
        client = std::make_shared<ClientInfo>(*std::move(modern));
    }
    auto call = std::make_shared<Call>(std::move(request), std::move(client), std::move(outlet),
                                       options_.info);
    if (fault) {
        call->fail(rpc::kInvalidParams, fault->message);
    } else if (call->is_modern() && !check_modern(*call)) {
        return call;
    } else if (calls_.size() >= limits::kMcpCallsMax) {
        call->fail(kTooManyCalls,
                   fmt::format("{} calls of this client are at work, and more it may not have "
                               "(limit calls_at_work): wait until one ends, or cancel one, then "
                               "call again",
                               calls_.size()),
                   fmt::format(R"({{"limit":"calls_at_work","max":{}}})", limits::kMcpCallsMax));
    } else {
        const std::uint64_t number = next_number_++;
        calls_.emplace(number, call);
        call->on_over(alive_.guard([this, number] { calls_.erase(number); }));
        dispatch(call);
    }
    return call;
}

bool Conversation::check_modern(Call& call) {
    if (call.client().version == kModernVersion) return true;
    std::string data;
    json::Writer out(data);
    out.begin_object().key("supported").begin_array().string(kModernVersion).end_array();
    out.field("requested", call.client().version).end_object();
    call.fail(kUnsupportedVersion, "this protocol version is not supported", data);
    return false;
}

void Conversation::dispatch(const std::shared_ptr<Call>& call) {
    const std::string& method = call->method();
    if (options_.extras != nullptr && options_.extras->take(*this, call)) return;
    if (method == "tools/list") return list_tools(*call);
    if (method == "tools/call") return call_tool(call);
    if (method == "tasks/get") return get_task(call);
    if (method == "tasks/cancel") return cancel_task(call);
    if (call->is_modern()) {
        if (method == "server/discover" && may_discover(call->client())) return discover(*call);
        if (method == "subscriptions/listen") return task_news_.listen(call);
        if (method == "tasks/update") return update_task(call);
    } else {
        if (method == "initialize") return initialize(call);
        if (method == "ping") return call->complete([](json::Writer&) {});
        if (method == "tasks/result") return give_task_result(call);
        if (method == "tasks/list") return list_tasks(call);
    }
    call->fail(rpc::kMethodNotFound, fmt::format("there is no method {}", json::quoted(method)));
}

std::shared_ptr<Call> Conversation::find_cancelled(const rpc::Notification& notification) const {
    if (notification.method != kCancelled) return nullptr;
    const auto id = cancelled_id(notification.params);
    if (!id) return nullptr;
    const auto found =
        std::ranges::find_if(calls_, [&](const auto& open) { return open.second->id() == *id; });
    return found == calls_.end() ? nullptr : found->second;
}

// A call that is cancelled leaves the list, and takes its place in it with it.
void Conversation::take_notification(const rpc::Notification& notification) {
    if (const auto call = find_cancelled(notification)) call->cancel();
}

void Conversation::take_reply(const rpc::Id& id, Result<json::Value> result) {
    const auto number = request_ids_.number(id);
    const auto found = number ? requests_.find(*number) : requests_.end();
    if (found == requests_.end()) return;
    auto done = std::move(found->second);
    requests_.erase(found);
    done(std::move(result));
}

std::uint64_t Conversation::request(Call& call, std::string_view method, std::string_view params,
                                    Done<json::Value> done) {
    const std::uint64_t number = next_number_++;
    requests_.emplace(number, std::move(done));
    send_with(call, rpc::write_request(request_ids_.id(number), method, params));
    return number;
}

void Conversation::send_with(Call& call, std::string message) const {
    if (call.is_over()) {
        send_aside(std::move(message));
    } else {
        call.send(std::move(message));
    }
}

void Conversation::revoke_request(std::uint64_t number, Call& call, Done<json::Value> late) {
    const auto found = requests_.find(number);
    if (found == requests_.end()) return;
    found->second = std::move(late);
    revoked_.push_back(number);
    if (revoked_.size() > limits::kMcpRevokedForms) {
        requests_.erase(revoked_.front());
        revoked_.pop_front();
    }
    send_with(call, rpc::write_notification(
                        "notifications/cancelled", json::object_text([&](json::Writer& out) {
                            rpc::write_id(out.key("requestId"), request_ids_.id(number));
                            out.field("reason", "the question was settled elsewhere");
                        })));
}

void Conversation::initialize(const std::shared_ptr<Call>& call) {
    auto client = read_initialize(call->params());
    if (!client) return call->fail(rpc::kInvalidParams, client.error().message);
    client_ = std::make_shared<ClientInfo>(*std::move(client));
    call->complete([&](json::Writer& out) {
        out.field("protocolVersion", client_->version);
        write_capabilities(out, *client_, options_.extras);
        write_server_info(out.key("serverInfo"), options_.info);
        out.field("instructions", instructions(ask_tool(*client_)));
    });
}

bool Conversation::may_discover(const ClientInfo& client) const {
    switch (options_.era) {
        case EraRule::everybody: return true;
        case EraRule::whom_it_serves: return !habits_of(client).is_better_off_legacy;
        case EraRule::nobody: break;
    }
    return false;
}

std::string_view Conversation::ask_tool(const ClientInfo& client) const {
    if (!options_.ask_tool.empty()) return options_.ask_tool;
    const std::string_view habitual = habits_of(client).ask_tool;
    return habitual.empty() ? kAskUser : habitual;
}

void Conversation::discover(Call& call) const {
    call.complete([&](json::Writer& out) {
        out.key("supportedVersions").begin_array().string(kModernVersion).end_array();
        write_capabilities(out, call.client(), options_.extras);
        out.field("instructions", instructions(ask_tool(call.client())));
        write_cache(out);
    });
}

void Conversation::list_tools(Call& call) const {
    const bool is_modern = call.is_modern();
    const ToolListing listing{.ask_tool = ask_tool(call.client()),
                              .may_be_tasks = !is_modern && may_be_offered_tasks(call.client()),
                              .has_output_schemas = call.client().name != kClaudeCode};
    call.complete([&](json::Writer& out) {
        out.key("tools").begin_array();
        write_tools(out, listing);
        if (options_.extras != nullptr) options_.extras->write_tools(out, call.client());
        out.end_array();
        if (is_modern) write_cache(out);
    });
}

void Conversation::call_tool(const std::shared_ptr<Call>& call) {
    const auto name = text_member(call->params(), "name");
    if (!name) return call->fail(rpc::kInvalidParams, "\"name\" must name a tool");
    static const json::Value kNone{json::Object()};
    const json::Value* given = member(call->params(), "arguments");
    const json::Value& arguments = given == nullptr ? kNone : *given;
    // By either name: a model may know the other one from elsewhere.
    if (*name == ask_tool(call->client()) || *name == kAskUser || *name == kAskPerson)
        return ask_user(call, arguments);
    if (*name == kNotifyUser) return notify_user(call, arguments);
    if (*name != kWaitAnswer) {
        return call->fail(rpc::kInvalidParams,
                          fmt::format("there is no tool {}", json::quoted(*name)));
    }
    const auto id = read_wait_answer(arguments);
    if (!id) return call->complete([&](json::Writer& out) { write_error_result(out, id.error()); });
    start_run(call).wait_for(*id, PendingCall::Bound::held);
}

void Conversation::ask_user(const std::shared_ptr<Call>& call, const json::Value& arguments) {
    start_run(call).ask_user(arguments);
}

PendingCall& Conversation::start_run(const std::shared_ptr<Call>& call) {
    auto run = std::make_shared<PendingCall>(*this, call);
    PendingCall& started = *run;
    call->on_cancelled([weak = std::weak_ptr(run)](Call::Leaving how) {
        if (const auto self = weak.lock()) self->cancel(how);
    });
    runs_.emplace(&started, std::move(run));
    return started;
}

void Conversation::retire(const PendingCall& run) {
    const auto found = runs_.find(&run);
    if (found == runs_.end()) return;
    // It may be at work right now.
    wiring_.home.post([finished = std::move(found->second)] {});
    runs_.erase(found);
}

void Conversation::notify_user(const std::shared_ptr<Call>& call, const json::Value& arguments) {
    auto notice = read_notify_user(arguments);
    if (!notice) {
        return call->complete([&](json::Writer& out) { write_error_result(out, notice.error()); });
    }
    wiring_.link.give_notice(
        session_name(*call), *std::move(notice), [call](const Result<void>& given) {
            if (!given) return call->fail(rpc::kInternalError, given.error().message);
            call->complete(
                [](json::Writer& out) { write_text_result(out, "The user has been told."); });
        });
}

void Conversation::give_notice(const Call& call, NoticeGiven notice) {
    wiring_.link.give_notice(session_name(call), std::move(notice), [](const Result<void>&) {});
}

std::string Conversation::session_name(const Call& call) const {
    if (!options_.session.empty()) return options_.session;
    const std::string& name = call.client().name;
    const std::string own = conversation_tag(call.params());
    const std::string& tag = own.empty() ? options_.tag : own;
    return fmt::format("{}{}{}{}", name.empty() ? "mcp" : name, options_.place,
                       tag.empty() ? "" : " #", tag);
}

void Conversation::withdraw(AskId id, std::string reason) {
    begin_work();
    wiring_.link.withdraw(id, std::move(reason),
                          alive_.guard([this](const Result<SettleReply>&) { end_work(); }));
}

void Conversation::end_work() {
    if (--at_work_ == 0 && left_) std::exchange(left_, nullptr)();
}

void Conversation::round_came(AskId id) {
    if (rounds_.erase(id) == 0 && wiring_.tell_round) wiring_.tell_round(id);
}

void Conversation::expect_round(AskId id) {
    const std::uint64_t number = next_number_++;
    rounds_[id] = number;
    wiring_.home.post_at(wiring_.clock.mono() + limits::kMcpNextRound,
                         alive_.guard([this, id, number] {
                             const auto found = rounds_.find(id);
                             if (found == rounds_.end() || found->second != number) return;
                             rounds_.erase(found);
                             withdraw(id, "the agent did not come back for the answer");
                         }));
}

void Conversation::leave(Task done) {
    left_ = std::move(done);
    begin_work();
    for (const auto& [id, number] : std::exchange(rounds_, {})) withdraw(id, "the agent has left");
    std::vector<std::shared_ptr<Call>> open;
    for (const auto& [number, call] : calls_) open.push_back(call);
    for (const auto& call : open) call->cancel();
    end_work();
}

}  // namespace parley::mcp
