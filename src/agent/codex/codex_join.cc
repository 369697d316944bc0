// SPDX-License-Identifier: Apache-2.0
#include "agent/codex/codex_join.h"

#include <fmt/format.h>

#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "agent/limits.h"
#include "core/json_fields.h"

namespace parley {

namespace {

constexpr std::string_view kNoLonger = "Codex asks this no longer";
constexpr std::string_view kCodexEnded = "Codex has ended";

// "parley/0.166.0 (Debian …": the version of Codex behind the name of its first client.
std::string version_in(const std::string& user_agent) {
    const std::size_t begin = user_agent.find('/') + 1;
    return user_agent.substr(begin, user_agent.find(' ', begin) - begin);
}

}  // namespace

std::filesystem::path CodexJoin::control_socket(const std::filesystem::path& codex_home) {
    return codex_home / "app-server-control" / "app-server-control.sock";
}

CodexJoin::CodexJoin(net::Loop& loop, Link& link, Options options, Tell tell)
    : loop_(loop),
      options_(std::move(options)),
      tell_(std::move(tell)),
      asks_({loop, loop.clock(), link}, {.key_prefix = "codex-join"}, *this) {}

CodexJoin::~CodexJoin() = default;

void CodexJoin::start() {
    asks_.adopt([this] { look(); });
}

void CodexJoin::stop(Task done) {
    is_stopping_ = true;
    socket_.reset();
    asks_.withdraw_all("parley join codex was stopped", std::move(done));
}

void CodexJoin::look() {
    if (is_stopping_) return;
    std::error_code error;
    const bool is_there = std::filesystem::exists(options_.socket, error);
    if (!is_there) {
        is_new_ = true;
        asks_.all_missing(kCodexEnded);
        return look_later();
    }
    // Codex names itself after its first client: its own window, which has just started it.
    if (std::exchange(is_new_, false)) return look_later();
    CodexSocket::Listener& listener = *this;
    socket_ = std::make_unique<CodexSocket>(loop_, options_.socket, listener);
}

void CodexJoin::look_later() {
    if (!std::exchange(is_told_, true))
        tell_(News::waiting, fmt::format("waiting for Codex at {}", options_.socket.string()));
    loop_.post_at(loop_.now() + limits::kCodexPoll, alive_.guard([this] { look(); }));
}

void CodexJoin::on_open() {
    request("initialize", codex::initialize_params(options_.version),
            [this](const codex::Reply& reply) { initialized(reply); });
}

void CodexJoin::initialized(const codex::Reply& reply) {
    if (!reply.error.empty())
        return trouble(fmt::format("Codex does not take us: {}", reply.error));
    socket_->send(codex::write_notification("initialized"));
    is_told_ = false;
    is_joined_ = true;
    tell_(News::joined,
          fmt::format("joined Codex {}", version_in(json::text_field(reply.result, "userAgent"))));
    request("thread/loaded/list", "{}", [this](const codex::Reply& list) { found_threads(list); });
}

void CodexJoin::found_threads(const codex::Reply& reply) {
    std::set<std::string> found;
    if (const json::Array* list = json::list_field(reply.result, "data"))
        for (const json::Value& id : *list)
            if (id.is_string()) found.emplace(view_of(id.get_string()));
    for (const std::string& thread : asks_.unseen_threads())
        if (!found.contains(thread)) asks_.missing(thread, kNoLonger);
    for (const std::string& thread : found) look_at(thread);
}

void CodexJoin::look_at(const std::string& thread) {
    request("thread/read", codex::thread_params(thread), [this, thread](const codex::Reply& reply) {
        const codex::Thread read = codex::read_thread(json::field(reply.result, "thread"));
        if (!read.is_active) return asks_.missing(thread, kNoLonger);
        threads_[thread].thread = read;
        join(thread);
    });
}

// Before its first turn a thread cannot be joined: the next change of its state tries again.
void CodexJoin::join(const std::string& thread) {
    Joined& entry = threads_[thread];
    if (entry.thread.is_side || std::exchange(entry.is_in, true)) return;
    request("thread/resume", codex::join_params(thread),
            [this, thread](const codex::Reply& reply) { joined(thread, reply); });
}

void CodexJoin::joined(const std::string& thread, const codex::Reply& reply) {
    Joined& entry = threads_[thread];
    if (!reply.error.empty()) {
        entry.is_in = false;
        return asks_.missing(thread, kNoLonger);
    }
    entry.thread = codex::read_thread(json::field(reply.result, "thread"));
    const json::Value& page = json::field(reply.result, "initialTurnsPage");
    if (const json::Array* turns = json::list_field(page, "data"))
        for (const json::Value& turn : *turns)
            if (const json::Array* items = json::list_field(turn, "items"))
                for (const json::Value& item : *items)
                    keep_edit(entry, json::text_field(item, "id"), item);
    if (!entry.thread.is_waiting) return asks_.missing(thread, kNoLonger);
    // What is open there comes now, and nothing says which is the last.
    loop_.post_at(loop_.now() + limits::kCodexResendPatience,
                  alive_.guard([this, thread] { asks_.missing(thread, kNoLonger); }));
}

void CodexJoin::on_end(const Error&) {
    socket_.reset();
    requests_.clear();
    threads_.clear();
    asks_.lost();
    // Lost once it may be there all the same; one that cannot be reached has ended.
    if (std::exchange(is_joined_, false)) return loop_.post(alive_.guard([this] { look(); }));
    is_new_ = true;
    asks_.all_missing(kCodexEnded);
    look_later();
}

void CodexJoin::on_message(std::string text) {
    auto message = codex::read_message(text);
    if (!message) return trouble(message.error().message);
    if (const auto* reply = std::get_if<codex::Reply>(&*message)) {
        const auto found = requests_.find(reply->id);
        if (found == requests_.end()) return;
        Answered done = std::move(found->second);
        requests_.erase(found);
        return done(*reply);
    }
    if (auto* wish = std::get_if<codex::ServerRequest>(&*message))
        return on_request(std::move(*wish));
    on_notification(std::get<codex::Notification>(*message));
}

void CodexJoin::on_notification(const codex::Notification& news) {
    const json::Value& params = news.params;
    const std::string thread = json::text_field(params, "threadId");
    if (news.method == "thread/started") {
        const codex::Thread begun = codex::read_thread(json::field(params, "thread"));
        threads_[begun.id].thread = begun;
    } else if (news.method == "thread/status/changed") {
        on_status(thread, params);
    } else if (news.method == "thread/name/updated") {
        threads_[thread].thread.name = json::text_field(params, "threadName");
    } else if (news.method == "thread/closed") {
        asks_.turn_ended(thread, false);
        threads_.erase(thread);
    } else if (news.method == "item/started") {
        const json::Value& item = json::field(params, "item");
        keep_edit(threads_[thread], json::text_field(item, "id"), item);
    } else if (news.method == "item/fileChange/patchUpdated") {
        keep_edit(threads_[thread], json::text_field(params, "itemId"), params);
    } else if (news.method == "serverRequest/resolved") {
        asks_.resolved(thread, json::serialize(json::field(params, "requestId")));
    } else if (news.method == "turn/completed") {
        const json::Value& turn = json::field(params, "turn");
        asks_.turn_ended(thread, json::text_field(turn, "status") == "interrupted");
        threads_[thread].edits.clear();
    }
}

void CodexJoin::on_status(const std::string& thread, const json::Value& params) {
    const codex::Thread now = codex::read_thread(params);
    if (now.is_active) join(thread);
}

void CodexJoin::keep_edit(Joined& joined, const std::string& item, const json::Value& edit) {
    if (json::list_field(edit, "changes") == nullptr) return;
    if (joined.edits.size() >= limits::kCodexEditsKept) joined.edits.clear();
    joined.edits[item] = edit;
}

void CodexJoin::on_request(codex::ServerRequest request) {
    codex::Wish wish = codex::read_wish(std::move(request));
    // Its own window serves what nobody decides, and Parley's tools ask by themselves.
    if (wish.kind == codex::Wish::Kind::other || codex::is_own(wish)) return;
    const Joined& entry = threads_[wish.thread];
    SessionRequest session{.name = wish.thread,
                           .title = codex::thread_title(entry.thread),
                           .agent = std::string(codex::kAgent)};
    if (!entry.thread.folder.empty()) session.directory = entry.thread.folder;
    codex::Surroundings surroundings;
    const auto edit = entry.edits.find(json::text_field(wish.params, "itemId"));
    if (edit != entry.edits.end()) surroundings.edit = edit->second;
    asks_.take(std::move(wish), std::move(session), std::move(surroundings));
}

void CodexJoin::request(std::string_view method, const std::string& params, Answered done) {
    if (!socket_) return;
    const std::uint64_t id = next_request_++;
    requests_[id] = std::move(done);
    socket_->send(codex::write_request(id, method, params));
}

void CodexJoin::reply(const codex::Wish& wish, std::string result) {
    if (socket_) socket_->send(codex::write_reply(wish.id, result));
}

void CodexJoin::say(const codex::Wish& wish, std::string words) {
    request("turn/steer", codex::steer_params(wish.thread, wish.turn, words),
            [this](const codex::Reply& reply) {
                if (!reply.error.empty())
                    trouble(fmt::format("Codex did not take the words beside a decision: {}",
                                        reply.error));
            });
}

void CodexJoin::stop_turn(const codex::Wish& wish) {
    request("turn/interrupt", codex::interrupt_params(wish.thread, wish.turn),
            [](const codex::Reply&) {});
}

void CodexJoin::trouble(std::string text) {
    tell_(News::trouble, text);
}

}  // namespace parley
