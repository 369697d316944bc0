// SPDX-License-Identifier: Apache-2.0
// All that the Codex of this user asks, in whichever of its windows: joins the app-server that they
// share, as one more client, and follows every thread that works. Waits for Codex to start, and for
// its next start. Lives on the loop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/codex/codex_asks.h"
#include "agent/codex/codex_calls.h"
#include "agent/codex/codex_socket.h"
#include "base/lifetime.h"
#include "client/link.h"
#include "dialect/codex/edits.h"
#include "dialect/codex/messages.h"
#include "net/loop.h"

namespace parley {

class CodexJoin final : private CodexSocket::Listener, private CodexAsks::Listener {
public:
    struct Options {
        std::filesystem::path socket;
        std::string version;  // of ours
    };
    enum class News : std::uint8_t { joined, waiting, trouble };
    using Tell = std::function<void(News, std::string_view)>;

    // The control socket in Codex's folder, where its windows find each other.
    static std::filesystem::path control_socket(const std::filesystem::path& codex_home);

    CodexJoin(net::Loop& loop, Link& link, Options options, Tell tell);
    ~CodexJoin() override;

    void start();
    // Takes back what was asked: nobody carries the answers any more.
    void stop(Task done);

private:
    struct Joined {
        codex::Thread thread;
        bool is_in = false;  // we are told what happens there, or will be
        // Wanted there, until we know what to call it.
        std::vector<codex::Wish> unnamed = {};
    };

    // CodexSocket::Listener
    void on_open() override;
    void on_message(std::string text) override;
    void on_end(const Error& why) override;
    // CodexAsks::Listener
    void reply(const codex::Wish& wish, std::string result) override;
    void add_words(const codex::Wish& wish, std::string words) override;
    void stop_turn(const codex::Wish& wish) override;
    void asked(const AskRequest&) override {}
    void late(const AskPtr&) override {}
    void trouble(std::string text) override;

    void look();
    void look_later();
    void request(std::string_view method, const std::string& params, CodexCalls::Answered done);
    void initialized(const codex::Reply& reply);
    void found_threads(const codex::Reply& reply);
    void look_at(const std::string& thread);
    void join(const std::string& thread);
    void joined(const std::string& thread, const codex::Reply& reply);
    void on_notification(const codex::Notification& news);
    void on_status(const std::string& thread, const json::Value& params);
    void on_request(codex::ServerRequest request);
    void name(const std::string& thread);
    void pass(const codex::Wish& wish);
    SessionRequest session_of(const std::string& thread);
    void ask(codex::Wish wish);
    void forget_unnamed(const std::string& thread, std::string_view request_id);

    net::Loop& loop_;
    Link& link_;
    Options options_;
    Tell tell_;
    CodexAsks asks_;
    std::unique_ptr<CodexSocket> socket_;
    std::string server_;  // which of Codex's servers that leads to
    std::map<std::string, Joined> threads_;
    codex::Edits edits_;
    CodexCalls calls_;
    bool is_new_ = false;     // it was not there when we looked last
    bool is_joined_ = false;  // and that was told
    bool is_told_ = false;    // that we wait
    bool is_stopping_ = false;
    Lifetime alive_;
};

}  // namespace parley
