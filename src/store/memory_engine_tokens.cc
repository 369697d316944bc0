// SPDX-License-Identifier: Apache-2.0
// Tokens, and the principals that they act for; marks.
#include <algorithm>
#include <memory>
#include <utility>

#include "store/memory_engine.h"

namespace parley {

bool MemoryEngine::is_person_taken(const std::string& person, const std::string& principal) const {
    return !person.empty() && std::ranges::any_of(tokens_, [&](const auto& entry) {
        return entry.second->person == person && entry.second->principal != principal;
    });
}

ChangeOutcome MemoryEngine::apply(const PutToken& change) {
    const Token& token = *change.token;
    if (const auto known = tokens_.find(token.name); known != tokens_.end()) {
        if (known->second->hash == token.hash) return {Verdict::existing};
        if (!change.replaces) return {Verdict::conflict};
    }
    if (is_person_taken(token.person, token.principal)) return {Verdict::conflict};
    tokens_.insert_or_assign(token.name, change.token);
    add_event(token.created_at, SessionId(), TokenChanged{token.name, change.token});
    return {Verdict::applied};
}

ChangeOutcome MemoryEngine::apply(const NamePerson& change) {
    if (is_person_taken(change.person, change.principal)) return {Verdict::conflict};
    Verdict verdict = Verdict::missing;
    for (auto& [name, token] : tokens_) {
        if (token->principal != change.principal) continue;
        if (verdict == Verdict::missing) verdict = Verdict::existing;
        if (token->person == change.person) continue;
        auto named = std::make_shared<Token>(*token);
        named->person = change.person;
        token = std::move(named);
        add_event(change.at, SessionId(), TokenChanged{name, token});
        verdict = Verdict::applied;
    }
    return {verdict};
}

ChangeOutcome MemoryEngine::apply(const TouchToken& change) {
    const auto found = tokens_.find(change.name);
    if (found == tokens_.end()) return {Verdict::missing};
    if (found->second->used_at >= change.used_at) return {Verdict::existing};
    auto used = std::make_shared<Token>(*found->second);
    used->used_at = change.used_at;
    found->second = std::move(used);
    add_event(change.used_at, SessionId(), TokenChanged{change.name, found->second});
    return {Verdict::applied};
}

ChangeOutcome MemoryEngine::apply(const DropToken& change) {
    const auto found = tokens_.find(change.name);
    if (found == tokens_.end()) return {Verdict::missing};
    const TokenPtr dropped = found->second;
    tokens_.erase(found);
    add_event(change.at, SessionId(), TokenChanged{change.name, nullptr});
    const bool is_last = std::ranges::none_of(
        tokens_, [&](const auto& entry) { return entry.second->principal == dropped->principal; });
    if (is_last && is_revocable_agent(*dropped))
        add_event(change.at, SessionId(), AgentRevoked{dropped->principal});
    return {Verdict::applied};
}

MarkPtr MemoryEngine::find_mark(const std::string& key) const {
    const auto found = marks_.find(key);
    return found == marks_.end() ? nullptr : found->second;
}

ChangeOutcome MemoryEngine::apply(const PutMark& change) {
    const Verdict verdict = verdict_on(change, find_mark(change.key));
    if (verdict != Verdict::applied) return {verdict};
    MarkPtr mark = marked_by(change);
    if (mark) {
        marks_.insert_or_assign(change.key, mark);
    } else {
        marks_.erase(change.key);
    }
    add_event(change.at, SessionId(), MarkChanged{change.key, std::move(mark)});
    return {verdict};
}

}  // namespace parley
