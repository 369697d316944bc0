// SPDX-License-Identifier: Apache-2.0
#include "agent/codex/codex_join.h"

#include <fmt/format.h>

#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "agent/limits.h"
#include "core/json_fields.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr std::string_view kNoLonger = "Codex asks this no longer";
constexpr std::string_view kCodexEnded = "Codex has ended";

// When the socket was made: each server makes its own.
std::string server_at(const std::filesystem::path& socket) {
    std::error_code error;
    const auto made = std::filesystem::last_write_time(socket, error);
    return error ? std::string() : fmt::format("s{}", made.time_since_epoch().count());
}

}  // namespace

std::filesystem::path CodexJoin::control_socket(const std::filesystem::path& codex_home) {
    return codex_home / "app-server-control" / "app-server-control.sock";
}

CodexJoin::CodexJoin(net::Loop& loop, Link& link, Options options, Tell tell)
    : loop_(loop),
      link_(link),
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
    server_ = server_at(options_.socket);
    socket_ = std::make_unique<CodexSocket>(loop_, options_.socket, listener);
}

void CodexJoin::look_later() {
    if (!std::exchange(is_told_, true))
        tell_(News::waiting, fmt::format("waiting for Codex at {}", options_.socket.string()));
    loop_.post_at(loop_.now() + limits::kCodexPoll, alive_.guard([this] { look(); }));
}

void CodexJoin::on_open() {
    request("initialize", codex::initialize_params(options_.version, codex::Hearing::asks),
            [this](const codex::Reply& reply) { initialized(reply); });
}

void CodexJoin::initialized(const codex::Reply& reply) {
    if (!reply.error.empty())
        return trouble(fmt::format("Codex does not take us: {}", reply.error));
    socket_->send(codex::write_notification("initialized"));
    is_told_ = false;
    is_joined_ = true;
    tell_(News::joined, fmt::format("joined Codex {}", codex::codex_version(reply.result)));
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
                for (const json::Value& item : *items) edits_.note_item(thread, item);
    if (!entry.thread.is_waiting) return asks_.missing(thread, kNoLonger);
    // What is open there comes now, and nothing says which is the last.
    loop_.post_at(loop_.now() + limits::kCodexResendPatience,
                  alive_.guard([this, thread] { asks_.missing(thread, kNoLonger); }));
}

void CodexJoin::on_end(const Error&) {
    socket_.reset();
    calls_.drop();
    threads_.clear();
    edits_.clear();
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
    if (const auto* reply = std::get_if<codex::Reply>(&*message)) return calls_.take(*reply);
    if (auto* wish = std::get_if<codex::ServerRequest>(&*message))
        return on_request(std::move(*wish));
    on_notification(std::get<codex::Notification>(*message));
}

void CodexJoin::on_notification(const codex::Notification& news) {
    const json::Value& params = news.params;
    const std::string thread = json::text_field(params, "threadId");
    edits_.note(news);
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
        edits_.forget(thread);
    } else if (news.method == "serverRequest/resolved") {
        const std::string id = json::serialize(json::field(params, "requestId"));
        forget_unnamed(thread, id);
        asks_.resolved(thread, id);
    } else if (news.method == "item/completed") {
        asks_.item_ended(thread, json::field(params, "item"));
    } else if (news.method == "turn/completed") {
        const json::Value& turn = json::field(params, "turn");
        forget_unnamed(thread, {});
        asks_.turn_ended(thread, json::text_field(turn, "status") == "interrupted");
    }
}

void CodexJoin::on_status(const std::string& thread, const json::Value& params) {
    const codex::Thread now = codex::read_thread(params);
    if (now.is_active) join(thread);
}

void CodexJoin::on_request(codex::ServerRequest request) {
    codex::Wish wish = codex::read_wish(std::move(request));
    // Its own window serves what nobody decides.
    if (wish.kind == codex::Wish::Kind::other) return;
    if (codex::is_own(wish)) return pass(wish);
    wish.server = server_;
    Joined& entry = threads_[wish.thread];
    if (codex::is_named(entry.thread) || entry.unnamed.size() == limits::kCodexAsksMax)
        return ask(std::move(wish));
    const std::string thread = wish.thread;
    entry.unnamed.push_back(std::move(wish));
    if (entry.unnamed.size() == 1) name(thread);
}

// Parley's own ask by themselves. A form of theirs stays in Codex's window, where it may be filled
// in; whether a tool may ask, nobody needs to be asked.
void CodexJoin::pass(const codex::Wish& wish) {
    if (wish.kind != codex::Wish::Kind::tool) return;
    std::string passed = codex::pass_result(wish);
    if (passed.empty()) return;
    reply(wish, std::move(passed));
    link_.open_session(session_of(wish.thread),
                       alive_.guard([this, thread = wish.thread,
                                     tool = codex::wanted_tool(wish)](const Result<SessionPtr>&) {
                           link_.give_notice(
                               thread,
                               {.text = fmt::format("{} passes by rule: it is Parley's own", tool)},
                               [](const Result<void>&) {});
                       }));
}

// Who heard of a thread before anybody spoke there does not know how it began; one that wants
// something does.
void CodexJoin::name(const std::string& thread) {
    request("thread/read", codex::thread_params(thread), [this, thread](const codex::Reply& reply) {
        const auto found = threads_.find(thread);
        if (found == threads_.end()) return;
        if (reply.error.empty())
            found->second.thread = codex::read_thread(json::field(reply.result, "thread"));
        for (codex::Wish& wish : std::exchange(found->second.unnamed, {})) ask(std::move(wish));
    });
}

void CodexJoin::forget_unnamed(const std::string& thread, std::string_view request_id) {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return;
    std::erase_if(found->second.unnamed, [&](const codex::Wish& wish) {
        return request_id.empty() || wish.id == request_id;
    });
}

SessionRequest CodexJoin::session_of(const std::string& id) {
    const codex::Thread& thread = threads_[id].thread;
    SessionRequest session{
        .name = id, .title = codex::thread_title(thread), .agent = std::string(codex::kAgent)};
    if (!thread.folder.empty()) session.directory = thread.folder;
    return session;
}

void CodexJoin::ask(codex::Wish wish) {
    SessionRequest session = session_of(wish.thread);
    json::Value edit = edits_.find(wish.thread, json::text_field(wish.params, "itemId"));
    asks_.take(std::move(wish), std::move(session), std::move(edit));
}

void CodexJoin::request(std::string_view method, const std::string& params,
                        CodexCalls::Answered done) {
    if (socket_) socket_->send(calls_.make(method, params, std::move(done)));
}

void CodexJoin::reply(const codex::Wish& wish, std::string result) {
    if (socket_) socket_->send(codex::write_reply(wish.id, result));
}

void CodexJoin::add_words(const codex::Wish& wish, std::string words) {
    const auto lost = [this, thread = wish.thread, words](const std::string& why) {
        link_.give_notice(
            thread,
            {.text = fmt::format("Codex did not get the words beside a decision ({}): {}", why,
                                 cut_to_clusters(words, limits::kLastWordsChars)),
             .level = NoticeGiven::Level::warning},
            [](const Result<void>&) {});
    };
    if (!socket_) return lost("it is not there any more");
    request("turn/steer", codex::steer_params(wish.thread, wish.turn, words),
            [lost](const codex::Reply& reply) {
                if (!reply.error.empty()) lost(reply.error);
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
