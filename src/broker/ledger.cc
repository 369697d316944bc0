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

bool Ledger::reset(const Snapshot& snapshot) {
    *this = {};
    bool is_whole = true;
    for (const TokenPtr& token : snapshot.tokens) put_token(token->name, token);
    for (const MarkPtr& mark : snapshot.marks) put_mark(mark->key, mark);
    for (const SessionPtr& session : snapshot.sessions) {
        sessions_.emplace_hint(sessions_.end(), session->id, SessionEntry{session});
        bytes_ += weight_of(*session);
        use_session(session->owner);
        if (session->name) names_.emplace(live_name(*session), session->id);
    }
    for (const AskPtr& ask : snapshot.pending) is_whole = add(ask) && is_whole;
    for (const KeptDraft& draft : snapshot.drafts)
        put_draft(ByResponder(draft.ask, draft.principal), draft.draft);
    for (const Snooze& snooze : snapshot.snoozes)
        put_snooze(snooze.ask, snooze.principal, snooze.until);
    for (const QueuedMessage& queued : snapshot.messages)
        is_whole = add_message(queued) && is_whole;
    head_ = snapshot.head;
    return is_whole;
}

bool Ledger::apply(const Event& event) {
    ASSERT(event.cursor > head_);
    head_ = event.cursor;
    return std::visit(
        Overload{
            [this](const AskOpened& opened) { return add(opened.ask); },
            [this](const SessionChanged& changed) { return change_session(changed.session); },
            [this, &event](const MessageAdded& message) {
                return add_message({event.session, event.at, message});
            },
            [this, &event](const MessagesTaken& taken) {
                return take_messages_up_to(event.session, taken.up_to);
            },
            [this](const AskSettled& settled) {
                forget(settled.ask->id, settled.ask->session);
                return true;
            },
            [this](const DraftChanged& changed) {
                put_draft(ByResponder(changed.ask, changed.principal), changed.draft);
                return true;
            },
            [this](const SnoozeChanged& changed) {
                put_snooze(changed.ask, changed.principal, changed.until);
                return true;
            },
            [this](const SessionCreated& created) {
                const SessionPtr& session = created.session;
                sessions_.emplace(session->id, SessionEntry{session});
                if (session->name) names_[live_name(*session)] = session->id;
                bytes_ += weight_of(*session);
                use_session(session->owner);
                return true;
            },
            [this](const SessionEnded& ended) {
                end_session(*ended.session);
                return true;
            },
            [this](const AgentRevoked& revoked) {
                mark_asks_of(revoked.principal);
                return true;
            },
            [this](const TokenChanged& changed) {
                put_token(changed.name, changed.token);
                return true;
            },
            [this](const MarkChanged& changed) {
                put_mark(changed.key, changed.mark);
                return true;
            },
            [](const OneOf<PartAdded, NoticeGiven, ContentDeleted> auto&) { return true; },
        },
        event.body);
}

Ledger::SessionEntry* Ledger::find_entry(SessionId session) {
    const auto found = sessions_.find(session);
    return found == sessions_.end() ? nullptr : &found->second;
}

bool Ledger::change_session(const SessionPtr& changed) {
    SessionEntry* entry = find_entry(changed->id);
    if (entry == nullptr) return false;
    bytes_ -= weight_of(*entry->session);
    free_session(entry->session->owner);
    entry->session = changed;
    bytes_ += weight_of(*changed);
    use_session(changed->owner);
    return true;
}

bool Ledger::add_message(const QueuedMessage& queued) {
    SessionEntry* entry = find_entry(queued.session);
    if (entry == nullptr) return false;
    entry->messages.push_back(queued);
    bytes_ += weight_of(queued.message);
    return true;
}

bool Ledger::take_messages_up_to(SessionId session, MessageId up_to) {
    SessionEntry* entry = find_entry(session);
    if (entry == nullptr) return false;
    take_messages(*entry, [&](const QueuedMessage& queued) { return queued.message.id <= up_to; });
    return true;
}

bool Ledger::add(const AskPtr& ask) {
    SessionEntry* entry = find_entry(ask->session);
    if (entry == nullptr) return false;
    mark(pending_.emplace_hint(pending_.end(), ask->id, ask)->second);
    entry->pending.emplace_hint(entry->pending.end(), ask->id);
    const std::size_t weight = weight_of(*ask);
    bytes_ += weight;
    Usage& usage = usage_[ask->spec->asker];
    ++usage.asks;
    usage.bytes += weight;
    return true;
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

const Ask* Ledger::see_pending(AskId id) const {
    const auto found = pending_.find(id);
    return found == pending_.end() ? nullptr : found->second.get();
}

const Ledger::SessionEntry* Ledger::find_session(SessionId id) const {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : &found->second;
}

const Ledger::SessionEntry* Ledger::find_session(std::string_view name) const {
    const auto found = names_.find(name);
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

void Ledger::put_mark(const std::string& key, const MarkPtr& mark) {
    const std::string_view kind = std::string_view(key).substr(0, key.find('/') + 1);
    if (const MarkPtr before = find_mark(key)) {
        bytes_ -= weight_of(*before);
        marks_.erase(key);
        if (before->expires_at) expiring_.find(kind)->second.erase({*before->expires_at, key});
    }
    if (!mark) return;
    bytes_ += weight_of(*mark);
    marks_.emplace(key, mark);
    if (mark->expires_at) expiring_[std::string(kind)].emplace(*mark->expires_at, key);
}

const Ledger::Expiring& Ledger::expiring(std::string_view kind) const {
    static const Expiring kNone;
    const auto found = expiring_.find(kind);
    return found == expiring_.end() ? kNone : found->second;
}

MarkPtr Ledger::find_mark(std::string_view key) const {
    const auto found = marks_.find(key);
    return found == marks_.end() ? nullptr : found->second;
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

bool Ledger::is_revoked_by(const Event& event) const {
    return std::visit(
        Overload{
            [this](const TokenChanged& changed) { return revokes(changed); },
            [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                           SessionChanged, SessionEnded, PartAdded, MessageAdded, MessagesTaken,
                           NoticeGiven, AgentRevoked, MarkChanged, ContentDeleted> auto&) {
                return false;
            },
        },
        event.body);
}

bool Ledger::revokes(const TokenChanged& changed) const {
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
