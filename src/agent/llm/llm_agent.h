// SPDX-License-Identifier: Apache-2.0
// A model behind an API as the agent of a session: a loop of ours that tells it what people say,
// shows what it says, asks what it wants to know and brings it the answers. Every step is kept
// before the next begins, so that a process that comes after a crash goes on where this one was.
// Lives on the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/driven_session.h"
#include "agent/driver.h"
#include "agent/llm/journal_file.h"
#include "agent/llm/model_asks.h"
#include "agent/llm/model_call.h"
#include "agent/llm/shown_parts.h"
#include "base/ids.h"
#include "dialect/llm/conversation.h"

namespace parley {

class LlmAgent final : public Driver,
                       private ModelCall::Listener,
                       private ModelAsks::Listener,
                       private DrivenSession::Program {
public:
    struct Options {
        DrivenSession::Options session;
        ModelServer::Options server;
        llm::ModelProfile profile;
        llm::ModelConversation conversation = {};  // so far
        JournalFile journal;
        RandomBits random;
        std::optional<std::string> prompt = {};
        bool ends_with_turn = false;
        std::optional<Millis> timeout = {};  // of the asks
    };

    LlmAgent(net::Loop& loop, Link& link, Options options, Onlooker& onlooker, Finished finished);
    ~LlmAgent() override;

    void start() override;
    void say(std::string text) override { session_.say(std::move(text)); }
    Interruption interrupt() override { return session_.interrupt(); }
    void quit() override;

private:
    // `starting` until the session is open, `quitting` when it was told to end.
    enum class Life : std::uint8_t { starting, running, quitting };

    // ModelCall::Listener
    std::string request_body() override;
    void model_says(llm::ResponseReader::Piece piece) override;
    void model_begins_again(std::string why) override;
    void model_said(llm::Response response) override;
    void model_failed(std::string why) override;
    // ModelAsks::Listener
    void asked(const AskRequest& request) override { onlooker_.show_asked(request); }
    void waits() override { onlooker_.show_waiting(); }
    void call_done(llm::CallDone done) override;
    void turn_stopped() override;  // and DrivenSession::Program
    void settled_late(AskPtr ask) override;
    bool has_left_open(AskId ask) const override { return conversation_.has_left_open(ask); }
    // DrivenSession::Program
    void session_opened(std::optional<std::string> own_name) override;
    bool is_ready() const override { return life_ == Life::running; }
    // Each is of a call that was kept.
    bool awaits(const AskId&) const override { return true; }
    void give(std::vector<std::string> texts, Task has_them) override;
    void session_ended(std::string why) override;

    // False: it cannot be kept, and all is over.
    bool keep(llm::Entry entry);
    bool keep_result(llm::CallDone done);
    void show_missing(const std::set<ShownParts::Key>& shown);
    void go_on();
    void listen();
    void request();
    void make_calls();
    void give_up_call(llm::CallDone cut);
    void show_left_open();
    void watch_left_open();
    void tell_late();
    void end_turn(Ending ending);
    void conclude(Ending ending);
    std::string part_id(std::size_t block) const;

    net::Loop& loop_;
    Link& link_;
    Options options_;
    Onlooker& onlooker_;
    llm::ModelConversation conversation_;
    std::unique_ptr<ModelServer> server_;
    std::unique_ptr<ModelCall> call_;    // while the model is asked
    std::unique_ptr<ShownParts> shown_;  // while the log is read
    ModelAsks asks_;
    Life life_ = Life::starting;
    std::set<std::size_t> texts_shown_;  // blocks of the reply that grows
    std::size_t left_out_ = 0;           // replies, of the last request
    std::size_t rounds_ = 0;             // requests of this turn
    std::vector<AskPtr> late_;           // settled, and not yet on their way to the model
    std::vector<AskId> telling_;         // on their way, with the next message
    std::optional<Ending> ending_;
    DrivenSession session_;
    Lifetime alive_;
};

}  // namespace parley
