// SPDX-License-Identifier: Apache-2.0
#include "prompt/inbox_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/limits.h"
#include "core/display.h"

namespace parley {

namespace {

constexpr std::size_t kIdShown = 6;  // the last digits tell two sessions apart

std::string lower_ascii(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

bool matches(const InboxState& state, const Ask& ask, const std::string& wanted) {
    if (wanted.empty()) return true;
    const auto has = [&](std::string_view text) {
        return lower_ascii(text).find(wanted) != std::string::npos;
    };
    if (has(state.session_name(ask.session)) || has(ask.spec->agent.value_or(""))) return true;
    return std::ranges::any_of(ask.spec->questions, [&](const Question& question) {
        return has(question.text) || has(question.header);
    });
}

void add_settled(InboxState& state, const AskPtr& ask) {
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

void settle(InboxState& state, const AskPtr& ask, std::string (*shown_time)(Instant)) {
    state.pending.erase(ask->id);
    state.snoozed_until.erase(ask->id);
    add_settled(state, ask);
    const std::string when = shown_time(ask->settlement->at);
    if (state.opened != ask->id) {
        state.prompts.erase(ask->id);
        return;
    }
    // The reply to what was sent from here says the rest.
    if (state.has_decided) return;
    state.ended = settlement_phrase(*ask->settlement, when);
}

// Typed in another inbox of this person. What is open here is theirs to go on with.
void take_draft(InboxState& state, const DraftChanged& draft) {
    const auto known = state.prompts.find(draft.ask);
    if (known == state.prompts.end() || state.opened == draft.ask || !draft.answers) return;
    if (known->second.answers() == *draft.answers) return;
    known->second = PromptState(known->second.spec, known->second.options);
    known->second.restore(*draft.answers);
}

}  // namespace

std::vector<AskPtr> InboxState::rows(Instant now) const {
    std::vector<AskPtr> shown;
    const std::string wanted = lower_ascii(search);
    for (const auto& [id, ask] : pending) {
        if (!shows_snoozed && is_snoozed(id, now)) continue;
        if (matches(*this, *ask, wanted)) shown.push_back(ask);
    }
    // Ids ascend with age.
    std::ranges::sort(shown, [](const AskPtr& a, const AskPtr& b) {
        if (a->spec->urgency != b->spec->urgency) return a->spec->urgency > b->spec->urgency;
        return a->id < b->id;
    });
    return shown;
}

bool InboxState::is_snoozed(AskId id, Instant now) const {
    const auto found = snoozed_until.find(id);
    return found != snoozed_until.end() && found->second > now;
}

std::size_t InboxState::snoozed(Instant now) const {
    return static_cast<std::size_t>(std::ranges::count_if(snoozed_until, [&](const auto& each) {
        return each.second > now && pending.contains(each.first);
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

const PromptState* InboxState::prompt() const {
    return const_cast<InboxState*>(this)->prompt();
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
    prompts.try_emplace(ask->id, ask->spec, PromptState::Options{.closes_on_escape = true});
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
}

InboxNews take(InboxState& state, const Frame& frame, std::string (*shown_time)(Instant)) {
    InboxNews news;
    const auto add = [&](const AskPtr& ask) {
        if (state.pending.size() < limits::kInboxAsksMax || state.pending.contains(ask->id))
            state.pending[ask->id] = ask;
    };
    if (std::holds_alternative<Reset>(frame)) {
        state.pending.clear();
        state.has_snapshot = false;
    } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
        add(listed->ask);
    } else if (std::holds_alternative<SnapshotEnd>(frame)) {
        state.has_snapshot = true;
        if (state.opened && !state.opened_ask() && state.ended.empty() && !state.has_decided)
            state.ended = "settled while the connection was lost";
    } else if (const auto* event = std::get_if<EventPtr>(&frame)) {
        if (const auto* opened = std::get_if<AskOpened>(&(*event)->body)) {
            add(opened->ask);
            news.arrived.push_back(opened->ask);
        } else if (const auto* ended = std::get_if<AskSettled>(&(*event)->body)) {
            settle(state, ended->ask, shown_time);
        } else if (const auto* draft = std::get_if<DraftChanged>(&(*event)->body)) {
            take_draft(state, *draft);
        } else if (const auto* created = std::get_if<SessionCreated>(&(*event)->body)) {
            state.sessions[created->session->id] = created->session;
        } else if (const auto* changed = std::get_if<SessionChanged>(&(*event)->body)) {
            state.sessions[changed->session->id] = changed->session;
        }
    }
    return news;
}

void take_snoozes(InboxState& state, std::map<AskId, Instant> snoozed_until) {
    state.snoozed_until = std::move(snoozed_until);
}

void take_history(InboxState& state, const std::vector<AskPtr>& asks) {
    std::vector<AskPtr> all(state.settled.begin(), state.settled.end());
    for (const AskPtr& ask : asks) {
        const bool is_known =
            std::ranges::any_of(all, [&](const AskPtr& known) { return known->id == ask->id; });
        if (!ask->is_pending() && !is_known) all.push_back(ask);
    }
    std::ranges::sort(all, [](const AskPtr& a, const AskPtr& b) {
        if (a->settlement->at != b->settlement->at) return a->settlement->at > b->settlement->at;
        return a->id > b->id;
    });
    if (all.size() > limits::kInboxHistoryMax) all.resize(limits::kInboxHistoryMax);
    state.settled.assign(all.begin(), all.end());
}

}  // namespace parley
