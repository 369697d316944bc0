// SPDX-License-Identifier: Apache-2.0
#include "broker/ledger.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "base/assert.h"
#include "base/block_cache.h"
#include "base/overload.h"
#include "broker/limits.h"
#include "core/viewer.h"
#include "core/weight.h"

namespace parley {

void Ledger::reset(const Snapshot& snapshot) {
    *this = {};
    for (const TokenPtr& token : snapshot.tokens) put_token(token->name, token);
    for (const SessionPtr& session : snapshot.sessions) {
        sessions_.emplace_hint(sessions_.end(), session->id, SessionEntry{session});
        bytes_ += weight_of(*session);
        use_session(session->owner);
        if (session->name) names_.emplace(live_name(*session), session->id);
    }
    for (const AskPtr& ask : snapshot.pending) {
        add(ask);
    }
    for (const KeptDraft& draft : snapshot.drafts)
        put_draft(ByResponder(draft.ask, draft.principal), draft.draft);
    for (const Snooze& snooze : snapshot.snoozes)
        put_snooze(snooze.ask, snooze.principal, snooze.until);
    for (const QueuedMessage& queued : snapshot.messages) {
        sessions_.at(queued.session).messages.push_back(queued);
        bytes_ += weight_of(queued.message);
    }
    head_ = snapshot.head;
}

void Ledger::apply(const Event& event) {
    ASSERT(event.cursor > head_);
    head_ = event.cursor;
    std::visit(
        Overload{
            [this](const AskOpened& opened) { add(opened.ask); },
            [this](const AskSettled& settled) { forget(settled.ask->id, settled.ask->session); },
            [this](const DraftChanged& changed) {
                put_draft(ByResponder(changed.ask, changed.principal), changed.draft);
            },
            [this](const SnoozeChanged& changed) {
                put_snooze(changed.ask, changed.principal, changed.until);
            },
            [this](const SessionCreated& created) {
                const SessionPtr& session = created.session;
                sessions_.emplace(session->id, SessionEntry{session});
                if (session->name) names_[live_name(*session)] = session->id;
                bytes_ += weight_of(*session);
                use_session(session->owner);
            },
            [this](const SessionChanged& changed) {
                SessionPtr& session = sessions_.at(changed.session->id).session;
                bytes_ -= weight_of(*session);
                free_session(session->owner);
                session = changed.session;
                bytes_ += weight_of(*session);
                use_session(session->owner);
            },
            [this](const SessionEnded& ended) { end_session(*ended.session); },
            [this, &event](const MessageAdded& message) {
                sessions_.at(event.session).messages.push_back({event.session, event.at, message});
                bytes_ += weight_of(message);
            },
            [this, &event](const MessagesTaken& taken) {
                take_messages(sessions_.at(event.session), [&](const QueuedMessage& queued) {
                    return queued.message.id <= taken.up_to;
                });
            },
            [](const OneOf<PartAdded, NoticeGiven> auto&) {},
            [this](const AgentRevoked& revoked) { mark_asks_of(revoked.principal); },
            [this](const TokenChanged& changed) { put_token(changed.name, changed.token); },
        },
        event.body);
}

void Ledger::add(const AskPtr& ask) {
    mark(pending_.emplace_hint(pending_.end(), ask->id, ask)->second);
    auto& mine = sessions_.at(ask->session).pending;
    mine.emplace_hint(mine.end(), ask->id);
    const std::size_t weight = weight_of(*ask);
    bytes_ += weight;
    Usage& usage = usage_[ask->spec->asker];
    ++usage.asks;
    usage.bytes += weight;
}

Ledger::Usage Ledger::usage_of(std::string_view principal) const {
    const auto found = usage_.find(principal);
    return found == usage_.end() ? Usage{} : found->second;
}

void Ledger::use_session(const std::string& owner) {
    if (!owner.empty()) ++usage_[owner].sessions;
}

void Ledger::free_session(const std::string& owner) {
    const auto usage = usage_.find(owner);
    if (usage == usage_.end()) return;
    --usage->second.sessions;
    forget_idle(usage);
}

void Ledger::forget_idle(UsageMap::iterator usage) {
    if (usage->second.asks == 0 && usage->second.sessions == 0) usage_.erase(usage);
}

void Ledger::put_draft(const ByResponder& key, DraftPtr draft) {
    DraftPtr& kept = drafts_[key];
    if (kept) forget_weight(key.second, *kept);
    bytes_ += weight_of(*draft);
    draft_bytes_[key.second] += weight_of(*draft);
    kept = std::move(draft);
}

void Ledger::forget_weight(const std::string& principal, const Draft& draft) {
    const std::size_t weight = weight_of(draft);
    bytes_ -= weight;
    const auto held = draft_bytes_.find(principal);
    held->second -= weight;
    if (held->second == 0) draft_bytes_.erase(held);
}

void Ledger::end_session(const Session& session) {
    if (session.name) {
        names_.erase(live_name(session));
        ended_names_.emplace(session.id, *session.name);
        if (ended_names_.size() > limits::kEndedNamesKept) ended_names_.erase(ended_names_.begin());
    }
    const auto found = sessions_.find(session.id);
    if (found == sessions_.end()) return;
    take_messages(found->second, [](const QueuedMessage&) { return true; });
    bytes_ -= weight_of(*found->second.session);
    free_session(session.owner);
    sessions_.erase(found);
}

template <class Gone>
void Ledger::take_messages(SessionEntry& entry, Gone is_gone) {
    std::erase_if(entry.messages, [&](const QueuedMessage& queued) {
        if (!is_gone(queued)) return false;
        bytes_ -= weight_of(queued.message);
        return true;
    });
}

void Ledger::forget(AskId id, SessionId session) {
    if (const auto found = pending_.find(id); found != pending_.end()) {
        const std::size_t weight = weight_of(*found->second);
        bytes_ -= weight;
        const auto usage = usage_.find(found->second->spec->asker);
        usage->second.bytes -= weight;
        --usage->second.asks;
        forget_idle(usage);
        pending_.erase(found);
    }
    const auto entry = sessions_.find(session);
    if (entry != sessions_.end()) entry->second.pending.erase(id);
    auto draft = drafts_.lower_bound(ByResponder(id, std::string()));
    while (draft != drafts_.end() && draft->first.first == id) {
        forget_weight(draft->first.second, *draft->second);
        draft = drafts_.erase(draft);
    }
    for (auto snoozes = snoozes_.begin(); snoozes != snoozes_.end();) {
        snoozes->second.erase(id);
        snoozes = snoozes->second.empty() ? snoozes_.erase(snoozes) : std::next(snoozes);
    }
}

std::string_view Ledger::session_name(SessionId id) const {
    if (const SessionEntry* entry = find_session(id))
        return entry->session->name ? std::string_view(*entry->session->name) : std::string_view();
    const auto ended = ended_names_.find(id);
    return ended == ended_names_.end() ? std::string_view() : ended->second;
}

AskPtr Ledger::find_pending(AskId id) const {
    const auto found = pending_.find(id);
    return found == pending_.end() ? nullptr : found->second;
}

const Ledger::SessionEntry* Ledger::find_session(SessionId id) const {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : &found->second;
}

const Ledger::SessionEntry* Ledger::find_session(std::string_view name) const {
    const auto found = names_.find(std::string(name));
    return found == names_.end() ? nullptr : find_session(found->second);
}

const Ledger::Snoozes* Ledger::find_snoozes(const std::string& principal) const {
    const auto found = snoozes_.find(principal);
    return found == snoozes_.end() ? nullptr : &found->second;
}

void Ledger::put_snooze(AskId ask, const std::string& principal, std::optional<Instant> until) {
    if (until) {
        snoozes_[principal][ask] = *until;
    } else if (const auto found = snoozes_.find(principal); found != snoozes_.end()) {
        found->second.erase(ask);
        if (found->second.empty()) snoozes_.erase(found);
    }
}

void Ledger::put_token(const std::string& name, const TokenPtr& token) {
    if (const auto known = tokens_.find(name); known != tokens_.end()) {
        const auto count = tokens_of_.find(known->second->principal);
        if (--count->second == 0) tokens_of_.erase(count);
        tokens_.erase(known);
    }
    if (!token) return;
    tokens_.emplace(name, token);
    ++tokens_of_[token->principal];
}

// Only what its agent asked while it could is marked here: what is opened later, add() marks.
void Ledger::mark_asks_of(const std::string& principal) {
    if (usage_of(principal).asks == 0) return;
    for (auto& [id, ask] : pending_)
        if (ask->spec->asker == principal) mark(ask);
}

void Ledger::mark(AskPtr& ask) const {
    const std::string& asker = ask->spec->asker;
    if (!lives_by_tokens(asker) || tokens_of_.contains(asker)) return;
    auto marked = make_shared_block<Ask>(*ask);
    marked->is_asker_revoked = true;
    ask = std::move(marked);
}

bool Ledger::is_revoked_by(const TokenChanged& changed) const {
    const auto known = tokens_.find(changed.name);
    if (known == tokens_.end()) return false;
    if (!changed.token) return true;
    const Token& before = *known->second;
    const Token& after = *changed.token;
    return after.hash != before.hash || after.role != before.role ||
           after.principal != before.principal || after.session != before.session ||
           after.expires_at != before.expires_at;
}

DraftPtr Ledger::find_draft(AskId ask, const std::string& principal) const {
    const auto found = drafts_.find(ByResponder(ask, principal));
    return found == drafts_.end() || found->second->is_dropped() ? nullptr : found->second;
}

std::size_t Ledger::draft_bytes(const std::string& principal) const {
    const auto held = draft_bytes_.find(principal);
    return held == draft_bytes_.end() ? 0 : held->second;
}

Ledger::Drafts Ledger::find_drafts(const std::string& principal) const {
    Drafts found;
    for (const auto& [key, draft] : drafts_)
        if (key.second == principal && !draft->is_dropped()) found.emplace(key.first, draft);
    return found;
}

}  // namespace parley
