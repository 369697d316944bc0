// SPDX-License-Identifier: Apache-2.0
// The inbox on a whole screen: follows the broker, shows what waits, settles what is decided. Lives
// on the loop, inside a ServerVisit, which it finishes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/reach/with_server.h"
#include "app/terminal/terminal_screen.h"
#include "base/lifetime.h"
#include "base/once_a_turn.h"
#include "prompt/draft_saves.h"
#include "prompt/inbox_state.h"

namespace parley::app {

// How a person who looks elsewhere is told of a new ask.
enum class InboxNotice : std::uint8_t { none, bell, notification };

class InboxRun final : private TerminalScreen::Owner, private FollowListener {
public:
    struct Options {
        bool has_numbers = true;
        InboxNotice notice = InboxNotice::bell;
    };

    InboxRun(ServerVisit& session, const Options& options)
        : session_(session), options_(options), picture_(session.loop, [this] {
              if (screen_) screen_->redraw();
          }) {}

    void start();

private:
    void on_key(const Key& key) override;
    Picture picture(TtySize size) override;
    void on_hang_up() override { leave(ExitCode::interrupted); }
    void on_frames(std::span<const Frame> frames) override;
    void on_state(State state, const std::optional<Error>& why) override;

    InboxNow moment() const;
    void load_sessions();
    void name_all();
    void load_history();
    void load_drafts();
    void settled(AskId id, Result<SettleReply> reply);
    void edit(AskId id, std::string text);
    void act(InboxEffect effect);
    // What is typed is kept by the broker.
    void save_when_due();
    void save();
    void saved(AskId id, const Result<DraftReply>& reply);
    bool is_all_saved() const;
    void leave(ExitCode code);
    void tell_unsent();
    void tell_of(const Ask& ask);
    void tick();
    void redraw() { picture_.ask(); }
    void finish(ExitCode code);

    ServerVisit& session_;
    const Options options_;
    InboxState state_;
    std::unique_ptr<TerminalScreen> screen_;
    OnceATurn picture_;
    std::unique_ptr<Following> following_;
    std::optional<bool> is_focused_;  // nullopt: the terminal does not tell
    Mono last_key_ = {};
    std::optional<SessionId> more_sessions_;  // older ones, which are not known yet, begin here
    int session_pages_ = 0;                   // that were loaded
    DraftSaves saves_;
    std::optional<Mono> saving_at_;         // looked at again then
    std::optional<ExitCode> leaving_with_;  // once the broker has what was typed
    Lifetime alive_;
};

}  // namespace parley::app
