// SPDX-License-Identifier: Apache-2.0
// Codex as the agent of a session: drives an app-server of its own over its standard streams, in
// the place of a window. Lives on the loop.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/codex/codex_asks.h"
#include "agent/codex/codex_calls.h"
#include "agent/line_driver.h"
#include "dialect/codex/edits.h"
#include "dialect/codex/stream.h"
#include "dialect/codex/threads.h"

namespace parley {

class CodexAgent final : public LineDriver, private CodexAsks::Listener {
public:
    struct Options {
        net::ChildOptions command;  // Codex and how it is started
        DrivenSession::Options session;
        codex::ThreadPlan thread;
        std::string mode = {};  // of its turns; empty: as it is
        std::string version;    // of ours, that it is told
        std::string run;        // tells this run from others
        std::optional<std::string> prompt = {};
        bool ends_with_turn = false;
        std::optional<Millis> timeout = {};  // of the asks
    };

    CodexAgent(Wiring wiring, Options options);
    ~CodexAgent() override;

private:
    // LineProcess::Listener
    bool on_line(const std::string& line) override;
    // LineDriver
    std::string advice(Fault fault) const override;
    std::vector<StreamItem> end_stream() override { return reader_.end_turn(); }
    void close_asks(const std::string& why, Task done) override;
    // DrivenSession::Program
    void session_opened(std::optional<std::string> own_name) override;
    void give(std::vector<std::string> texts, Task has_them) override;
    void turn_stopped() override;
    // CodexAsks::Listener
    void reply(const codex::Wish& wish, std::string result) override;
    void add_words(const codex::Wish& wish, std::string words) override;
    void stop_turn(const codex::Wish&) override { turn_stopped(); }
    void asked(const AskRequest& request) override { onlooker().show_asked(request); }
    void late(const AskPtr& ask) override { session().missed(ask); }
    void trouble(std::string text) override { session().warn(text); }

    void call(std::string_view method, const std::string& params, CodexCalls::Answered done);
    void initialized(const codex::Reply& reply);
    void find_thread();
    void found_thread(const codex::Reply& reply);
    void turn_given(const codex::Reply& reply);
    void stop_now();
    void take(codex::ServerRequest request);
    void take(const codex::Notification& news);
    void remark(const codex::Remark& remark);
    void turn_began(const json::Value& turn);
    void turn_completed(const codex::TurnEnd& end);
    void ask_about_plan();
    void plan_decided(bool is_wanted);
    void end_turn(Ending ending);
    void say_later(std::string words);

    Options options_;
    CodexAsks asks_;
    CodexCalls calls_;
    codex::StreamReader reader_;
    codex::Edits edits_;
    std::string thread_;                           // its own name of the session
    bool is_kept_ = false;                         // that name stood in our log
    std::string model_;                            // of the thread
    std::string turn_;                             // that runs; empty: it has not said which
    bool is_turn_stopped_ = false;                 // by us
    int words_given_ = 0;                          // to the turn, and not yet taken
    std::optional<codex::TurnEnd> turn_end_ = {};  // of one that ended meanwhile
    int plans_ = 0;
    std::optional<Ending> planned_ = {};  // of a turn whose plan is being decided
    std::optional<codex::Usage> usage_;
    Lifetime alive_;
};

}  // namespace parley
