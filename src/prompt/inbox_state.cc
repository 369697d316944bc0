// SPDX-License-Identifier: Apache-2.0
#include "prompt/inbox_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <utility>
#include <variant>

#include "base/overload.h"
#include "core/snooze.h"
#include "prompt/inbox_words.h"
#include "prompt/limits.h"
#include "text/fold.h"

namespace parley {

namespace {

constexpr std::size_t kIdShown = 6;  // the last digits tell two sessions apart

bool matches(const InboxState& state, const Ask& ask, const WordSearch& wanted) {
    std::string all = state.session_name(ask.session) + "\n" + ask.spec->agent.value_or("");
    for (const Question& question : ask.spec->questions)
        all += "\n" + question.header + "\n" + question.text;
    if (ask.spec->permission) all += "\n" + ask.spec->permission->summary;
    return wanted.finds_in(all);
}

void add_settled(InboxState& state, const AskPtr& ask) {
    const bool is_known = std::ranges::any_of(
        state.settled, [&](const AskPtr& known) { return known->id == ask->id; });
    if (is_known) return;
    state.settled.push_front(ask);
    if (state.settled.size() > limits::kInboxHistoryMax) state.settled.pop_back();
}

// What was typed into an ask is kept while it waits, for so many asks.
void bound_prompts(InboxState& state) {
    for (auto at = state.prompts.begin();
         at != state.prompts.end() && state.prompts.size() > limits::kInboxOpenMax;) {
        const bool is_needed = at->first == state.opened || at->second.is_touched();
        at = is_needed ? std::next(at) : state.prompts.erase(at);
    }
}

std::vector<AskId> ids_of(const std::vector<AskPtr>& rows) {
    std::vector<AskId> ids;
    for (const AskPtr& row : rows) ids.push_back(row->id);
    return ids;
}

// What was in hand is not in the list any more: its neighbour is, the next one or else the one
// before, and takes no key for a moment. `before` is the list as it was.
void keep_in_hand(InboxState& state, const std::vector<AskId>& before, const InboxNow& now) {
    const std::vector<AskPtr> rows = state.rows(now.wall);
    const auto is_there = [&](AskId id) {
        return std::ranges::any_of(rows, [&](const AskPtr& row) { return row->id == id; });
    };
    if (state.selected && is_there(*state.selected)) return;
    const auto was = state.selected ? std::ranges::find(before, *state.selected) : before.begin();
    const auto next = std::find_if(was, before.end(), is_there);
    const auto last = std::find_if(std::make_reverse_iterator(was), before.rend(), is_there);
    if (state.selected) state.guard.appeared(now.mono);
    if (next != before.end()) {
        state.selected = *next;
    } else if (last != before.rend()) {
        state.selected = *last;
    } else {
        state.selected.reset();
        if (!rows.empty()) state.selected = rows.front()->id;
    }
}

void add(std::map<AskId, AskPtr>& asks, const AskPtr& ask) {
    if (asks.size() < limits::kInboxAsksMax || asks.contains(ask->id)) asks[ask->id] = ask;
}

// What arrives takes nothing's place; only where nothing was in hand, it is.
void take_arrival(InboxState& state, const AskPtr& ask, const InboxNow& now) {
    const bool is_named = state.selected && !state.is_snoozed(*state.selected, now.wall);
    const bool is_looked_for = state.has_snapshot && !is_named;
    const std::vector<AskPtr> before = is_looked_for ? state.rows(now.wall) : std::vector<AskPtr>();
    if (!before.empty()) state.selected = before[state.selected_row(before)]->id;
    add(state.pending, ask);
    if (is_looked_for && before.empty()) keep_in_hand(state, {}, now);
}

void take_listed(InboxState& state, const SnapshotAsk& listed) {
    if (!state.incoming && !state.has_snapshot) state.incoming.emplace();
    add(state.incoming ? state.incoming->pending : state.pending, listed.ask);
    if (!listed.snoozed_until) return;
    auto& snoozes = state.incoming ? state.incoming->snoozed_until : state.snoozed_until;
    snoozes[listed.ask->id] = *listed.snoozed_until;
}

void mark_asks_of(InboxState& state, const std::string& principal) {
    for (auto& [id, ask] : state.pending) {
        if (ask->spec->asker != principal) continue;
        auto marked = std::make_shared<Ask>(*ask);
        marked->is_asker_revoked = true;
        ask = std::move(marked);
    }
}

void end_snapshot(InboxState& state, const InboxNow& now) {
    const std::vector<AskId> before = ids_of(state.rows(now.wall));
    if (auto all = std::exchange(state.incoming, std::nullopt)) {
        state.pending = std::move(all->pending);
        state.snoozed_until = std::move(all->snoozed_until);
    }
    state.has_snapshot = true;
    keep_in_hand(state, before, now);
    if (state.opened && !state.opened_ask() && state.ended.empty() && !state.has_decided)
        state.ended = kEndedUnseen;
}

InboxNews take_event(InboxState& state, const Event& event, ShownTime shown_time,
                     const InboxNow& now) {
    InboxNews news;
    std::visit(
        Overload{
            [&](const AskOpened& opened) {
                take_arrival(state, opened.ask, now);
                news.arrived.push_back(opened.ask);
            },
            [&](const AskSettled& ended) { take_settled(state, ended.ask, shown_time, now); },
            [&](const DraftChanged& changed) {
                take_draft(state, changed.ask, *changed.draft, now);
            },
            [&](const SnoozeChanged& changed) {
                take_snooze(state, changed.ask, changed.until, now);
            },
            [&](const AgentRevoked& revoked) { mark_asks_of(state, revoked.principal); },
            [&](const OneOf<SessionCreated, SessionChanged> auto& body) {
                state.sessions[body.session->id] = body.session;
            },
            [&](const NoticeGiven& said) {
                state.agent_notice = AgentNotice{.session = event.session,
                                                 .level = said.level,
                                                 .text = said.text,
                                                 .at = event.at};
            },
            [](const OneOf<SessionEnded, PartAdded, MessageAdded, MessagesTaken, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) {},
        },
        event.body);
    return news;
}

}  // namespace

std::vector<AskPtr> InboxState::rows(Instant now) const {
    std::vector<AskPtr> listed;
    const WordSearch wanted(search);
    for (const auto& [id, ask] : pending) {
        if (!shows_snoozed && is_snoozed(id, now)) continue;
        if (search.empty() || matches(*this, *ask, wanted)) listed.push_back(ask);
    }
    // Ids ascend with age.
    std::ranges::sort(listed, [](const AskPtr& a, const AskPtr& b) {
        if (a->spec->urgency != b->spec->urgency) return a->spec->urgency > b->spec->urgency;
        return a->id < b->id;
    });
    return listed;
}

bool InboxState::is_snoozed(AskId id, Instant now) const {
    const auto found = snoozed_until.find(id);
    return found != snoozed_until.end() && parley::is_snoozed(found->second, now);
}

std::size_t InboxState::snoozed(Instant now) const {
    return static_cast<std::size_t>(std::ranges::count_if(snoozed_until, [&](const auto& each) {
        return parley::is_snoozed(each.second, now) && pending.contains(each.first);
    }));
}

std::size_t InboxState::selected_row(const std::vector<AskPtr>& rows) const {
    const auto found = std::ranges::find_if(
        rows, [&](const AskPtr& ask) { return selected && ask->id == *selected; });
    return found == rows.end() ? 0 : static_cast<std::size_t>(found - rows.begin());
}

PromptState* InboxState::prompt() {
    const auto found = opened ? prompts.find(*opened) : prompts.end();
    return found == prompts.end() ? nullptr : &found->second;
}

AskPtr InboxState::opened_ask() const {
    const auto found = opened ? pending.find(*opened) : pending.end();
    return found == pending.end() ? nullptr : found->second;
}

std::string InboxState::session_name(SessionId id) const {
    const auto found = sessions.find(id);
    if (found != sessions.end()) {
        const Session& session = *found->second;
        if (session.title) return *session.title;
        if (session.name) return *session.name;
    }
    const std::string text = id.str();
    return text.substr(text.size() - std::min(kIdShown, text.size()));
}

void InboxState::open(const AskPtr& ask) {
    opened = ask->id;
    selected = ask->id;
    screen = InboxScreen::ask;
    ended.clear();
    has_decided = false;
    is_dismissing_from_list = false;
    const auto opened_prompt =
        prompts.try_emplace(ask->id, ask->spec, PromptState::Options{.closes_on_escape = true});
    PromptState& state = opened_prompt.first->second;
    state.shown.reset();
    const auto draft = drafts.find(ask->id);
    if (opened_prompt.second && draft != drafts.end()) state.restore(draft->second.answers);
    shown.reset();
    bound_prompts(*this);
}

void InboxState::close() {
    // What was typed into an ask that has ended is of no use any more.
    if (opened && !pending.contains(*opened)) prompts.erase(*opened);
    opened.reset();
    ended.clear();
    has_decided = false;
    is_dismissing_from_list = false;
    screen = InboxScreen::list;
    shown.reset();
}

void InboxState::was_shown(std::optional<AskId> ask) {
    shown = ask;
    if (screen == InboxScreen::ask && prompt() != nullptr) prompt()->was_shown();
}

void take_settled(InboxState& state, const AskPtr& ask, ShownTime shown_time, const InboxNow& now) {
    const bool was_in_hand = state.selected == ask->id;
    const std::vector<AskId> before =
        was_in_hand ? ids_of(state.rows(now.wall)) : std::vector<AskId>();
    state.pending.erase(ask->id);
    state.snoozed_until.erase(ask->id);
    state.drafts.erase(ask->id);
    add_settled(state, ask);
    // The opened one stays as it is, so that nothing takes its place under the person's fingers.
    if (was_in_hand) keep_in_hand(state, before, now);
    if (!state.has_decided || state.opened != ask->id) keep_unsent(state, *ask);
    if (state.opened != ask->id) {
        state.prompts.erase(ask->id);
        return;
    }
    // The reply to what was sent from here says the rest.
    if (!state.has_decided) state.ended = ended_phrase(*ask, shown_time);
}

InboxNews take(InboxState& state, const Frame& frame, ShownTime shown_time, const InboxNow& now) {
    InboxNews news;
    if (std::holds_alternative<Reset>(frame)) {
        state.incoming.emplace();
    } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
        take_listed(state, *listed);
    } else if (std::holds_alternative<SnapshotEnd>(frame)) {
        end_snapshot(state, now);
    } else if (const auto* event = std::get_if<EventPtr>(&frame)) {
        news = take_event(state, **event, shown_time, now);
    }
    return news;
}

void take_snooze(InboxState& state, AskId ask, std::optional<Instant> until, const InboxNow& now) {
    const std::vector<AskId> before = ids_of(state.rows(now.wall));
    if (until) {
        state.snoozed_until[ask] = *until;
    } else {
        state.snoozed_until.erase(ask);
    }
    if (state.has_snapshot) keep_in_hand(state, before, now);
}

// What the page does not hold was decided after it was read, or is older than all of it.
void take_history(InboxState& state, const std::vector<AskPtr>& asks) {
    // Of one millisecond, the broker's order is the order of the decisions.
    std::multimap<Instant, AskPtr, std::greater<>> all;
    for (const AskPtr& known : state.settled)
        if (std::ranges::none_of(asks, [&](const AskPtr& ask) { return ask->id == known->id; }))
            all.emplace(known->settlement->at, known);
    for (const AskPtr& ask : asks)
        if (!ask->is_pending()) all.emplace(ask->settlement->at, ask);
    state.settled.clear();
    for (const auto& [at, ask] : all | std::views::take(limits::kInboxHistoryMax))
        state.settled.push_back(ask);
}

}  // namespace parley
