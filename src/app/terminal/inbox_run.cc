// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/inbox_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/limits.h"
#include "app/terminal/local_time.h"
#include "core/display.h"
#include "core/limits.h"
#include "core/settlement_phrase.h"
#include "prompt/inbox_view.h"
#include "prompt/inbox_words.h"
#include "text/safe_text.h"
#include "text/width.h"

namespace parley::app {

void InboxRun::start() {
    const PlainStyle style = session_.context.console.out_style();
    auto screen =
        TerminalScreen::open(session_.loop,
                             {.in = Console::kIn,
                              .out = Console::kOut,
                              .place = Painter::Place::full_screen,
                              .colors = style.emphasis == Emphasis::ansi ? Painter::Colors::ansi
                                                                         : Painter::Colors::none},
                             *this);
    if (!screen) return session_.fail(screen.error());
    screen_ = std::move(*screen);
    last_key_ = session_.loop.now();
    state_.device = fmt::format("terminal-{}-{}", ::getpid(),
                                session_.loop.clock().wall().time_since_epoch().count());
    session_.on_interrupt(alive_.guard([this] { leave(ExitCode::interrupted); }));
    load_sessions();
    load_history();
    following_ = session_.link.follow({}, *this);
    tick();
}

Picture InboxRun::picture(TtySize size) {
    const InboxLook look{.columns = size.columns,
                         .rows = size.rows,
                         .charset = session_.context.console.out_style().charset,
                         .has_numbers = options_.has_numbers,
                         .shown_time = local_time};
    return draw_inbox(state_, look, session_.loop.clock().wall());
}

InboxNow InboxRun::moment() const {
    return {.mono = session_.loop.now(), .wall = session_.loop.clock().wall()};
}

void InboxRun::on_key(const Key& key) {
    if (key.is(Key::Code::focus_in) || key.is(Key::Code::focus_out))
        is_focused_ = key.is(Key::Code::focus_in);
    last_key_ = session_.loop.now();
    // What is typed on would not be kept; who will not wait leaves at once.
    if (leaving_with_ && !key.is_ctrl_char("c") && !key.is_char("q")) return;
    if (leaving_with_) return finish(*leaving_with_);
    const auto before = state_.opened;
    act(reduce(state_, key, moment()));
    for (const auto& ask : {before, state_.opened})
        if (ask && state_.unsaved(*ask)) saves_.touch(*ask, last_key_);
    save_when_due();
}

void InboxRun::act(InboxEffect effect) {
    const AskId id = effect.ask;
    switch (effect.kind) {
        case InboxEffect::Kind::none: return;
        case InboxEffect::Kind::quit: return leave(ExitCode::done);
        case InboxEffect::Kind::interrupt: return leave(ExitCode::interrupted);
        case InboxEffect::Kind::suspend: return screen_->suspend();
        case InboxEffect::Kind::answer:
            return session_.link.answer(
                id, std::move(effect.answers), {},
                alive_.guard([this, id](Result<SettleReply> reply) { settled(id, reply); }));
        case InboxEffect::Kind::dismiss:
            return session_.link.dismiss(
                id, {.reason = std::move(effect.reason)},
                alive_.guard([this, id](Result<SettleReply> reply) { settled(id, reply); }));
        case InboxEffect::Kind::snooze:
            return session_.link.snooze(
                id, effect.period,
                alive_.guard([this, id, before = effect.snoozed_before](Result<void> done) {
                    if (done) return;
                    take_snooze(state_, id, before, moment());
                    state_.notice = done.error().message;
                    redraw();
                }));
        case InboxEffect::Kind::keep_draft:
            saves_.touch(id, session_.loop.now());
            return saves_.hurry(session_.loop.now());
        case InboxEffect::Kind::open_editor: return edit(id, std::move(effect.text));
    }
}

void InboxRun::load_drafts() {
    session_.link.list_drafts(alive_.guard([this](Result<Link::Drafts> drafts) {
        if (!drafts) return;
        for (const auto& [id, draft] : *drafts) take_draft(state_, id, *draft, moment());
        redraw();
    }));
}

void InboxRun::save_when_due() {
    const auto due = saves_.due();
    if (!due || (saving_at_ && *saving_at_ <= *due)) return;
    saving_at_ = due;
    session_.loop.post_at(*due, alive_.guard([this, due] {
        if (saving_at_ != due) return;
        saving_at_.reset();
        save();
    }));
}

void InboxRun::save() {
    if (const auto id = saves_.next(session_.loop.now())) {
        auto draft = state_.unsaved(*id);
        if (!draft) {
            saves_.kept(session_.loop.now(), true);
            return save();
        }
        session_.link.put_draft(
            *id, std::move(*draft),
            alive_.guard([this, id = *id](Result<DraftReply> reply) { saved(id, reply); }));
    }
    save_when_due();
    if (leaving_with_ && is_all_saved()) finish(*leaving_with_);
}

void InboxRun::saved(AskId id, const Result<DraftReply>& reply) {
    const Mono now = session_.loop.now();
    if (reply) {
        take_draft(state_, id, *reply->draft, moment());
        saves_.kept(now, !state_.unsaved(id));
    } else if (reply.error().code == ErrorCode::unavailable ||
               reply.error().code == ErrorCode::overloaded) {
        saves_.failed(now);
    } else {
        // It will not be taken the next time either; what is typed after it may be.
        saves_.kept(now, true);
    }
    if (leaving_with_) saves_.hurry(now);
    save();
}

bool InboxRun::is_all_saved() const {
    return std::ranges::none_of(saves_.touched(),
                                [this](AskId id) { return state_.unsaved(id).has_value(); });
}

// Keeps what was typed; not for ever, where the broker does not reply, and then says it.
void InboxRun::leave(ExitCode code) {
    if (std::exchange(leaving_with_, code)) return finish(code);
    const Mono now = session_.loop.now();
    if (state_.opened) saves_.touch(*state_.opened, now);
    saves_.hurry(now);
    const bool is_connected = state_.link == State::connected;
    session_.loop.post_at(now + (is_connected ? limits::kDraftPatience : limits::kAwayPatience),
                          alive_.guard([this, code] { finish(code); }));
    state_.notice = "Keeping what you typed...";
    save();
    redraw();
}

void InboxRun::tell_unsent() {
    Console& console = session_.context.console;
    for (const UnsentText& each : state_.unsent)
        console.tell(shown_text(fmt::format("not sent to “{}”: {}\n", each.ask, each.text),
                                console.err_style().charset) +
                     "\n");
}

void InboxRun::settled(AskId id, Result<SettleReply> reply) {
    const bool is_open = state_.opened == id;
    if (!reply) {
        state_.has_decided = false;
        state_.is_dismissing_from_list = false;
        if (is_open && state_.prompt() != nullptr) state_.prompt()->refused(reply.error());
        return redraw();
    }
    const Settlement& settlement = *reply->ask->settlement;
    const std::string phrase = settlement_phrase(settlement, local_time(settlement.at));
    if (reply->is_yours) {
        take_settled(state_, reply->ask, local_time, moment());
        if (is_open) state_.close();
        const std::vector<std::string> lines = summary_lines(*reply->ask);
        state_.notice = lines.empty() ? phrase : fmt::format("✓ {}", lines.front());
    } else if (is_open) {
        state_.has_decided = false;
        take_settled(state_, reply->ask, local_time, moment());
        state_.ended = fmt::format("Not taken: {}", ended_phrase(*reply->ask, local_time));
    }
    redraw();
}

void InboxRun::edit(AskId id, std::string text) {
    screen_->edit(session_.context.environment, std::move(text),
                  alive_.guard([this, id](Result<std::string> edited) {
                      const auto prompt = state_.prompts.find(id);
                      if (prompt == state_.prompts.end()) return;
                      if (edited) {
                          prompt->second.edited(*edited);
                          saves_.touch(id, session_.loop.now());
                          return save_when_due();
                      }
                      prompt->second.notice = edited.error().message;
                  }));
}

void InboxRun::on_frames(std::span<const Frame> frames) {
    const bool had_snapshot = state_.has_snapshot;
    for (const Frame& frame : frames) {
        const InboxNews news = take(state_, frame, local_time, moment());
        for (const AskPtr& ask : news.arrived) tell_of(*ask);
    }
    if (!had_snapshot) name_all();
    // Until a snapshot is whole, nothing that is shown has changed.
    if (state_.has_snapshot && !state_.incoming) redraw();
}

void InboxRun::on_state(State state, const std::optional<Error>& why) {
    state_.link = state;
    if (state == State::connected) {
        load_drafts();
        saves_.connected(session_.loop.now());
        save_when_due();
    } else {
        saves_.lost();
    }
    if (state == State::ended && why) {
        screen_.reset();
        return session_.fail(*why);
    }
    redraw();
}

void InboxRun::tell_of(const Ask& ask) {
    const bool looks_away =
        is_focused_ ? !*is_focused_ : session_.loop.now() - last_key_ > limits::kLooksAway;
    if (options_.notice == InboxNotice::none || !looks_away || !screen_ || screen_->is_lent())
        return;
    const std::string words = cut_to_clusters(ask_title(*ask.spec), limits::kNoticeClusters);
    screen_->beep(options_.notice == InboxNotice::notification ? words : std::string());
}

void InboxRun::load_sessions() {
    ++session_pages_;
    session_.link.list_sessions({.after = std::exchange(more_sessions_, std::nullopt),
                                 .limit = limits::kListPageMax,
                                 .order = ListOrder::newest_first},
                                alive_.guard([this](Result<SessionPage> page) {
                                    if (!page) return;
                                    for (const SessionPtr& session : page->sessions)
                                        state_.sessions.try_emplace(session->id, session);
                                    if (page->has_more) more_sessions_ = page->sessions.back()->id;
                                    name_all();
                                    redraw();
                                }));
}

// Older sessions are asked for only where something waits in one of them.
void InboxRun::name_all() {
    if (!state_.has_snapshot || !more_sessions_ || session_pages_ >= limits::kInboxPages) return;
    const bool has_nameless = std::ranges::any_of(state_.pending, [this](const auto& each) {
        return !state_.sessions.contains(each.second->session);
    });
    if (has_nameless) load_sessions();
}

void InboxRun::load_history() {
    session_.link.list_asks(
        {.limit = limits::kInboxHistoryMax, .order = ListOrder::last_settled_first},
        alive_.guard([this](Result<AskPage> page) {
            if (!page) return;
            take_history(state_, page->asks);
            redraw();
        }));
}

void InboxRun::tick() {
    session_.loop.post_at(session_.loop.now() + std::chrono::seconds(1), alive_.guard([this] {
        if (!screen_) return;
        redraw();
        tick();
    }));
}

void InboxRun::finish(ExitCode code) {
    if (screen_) {
        screen_.reset();
        for (const AskId id : saves_.touched())
            if (state_.unsaved(id)) keep_unsent(state_, *state_.pending.at(id));
        tell_unsent();
    }
    following_.reset();
    session_.finish(code);
}

}  // namespace parley::app
