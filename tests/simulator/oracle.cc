// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <fmt/core.h>

#include <algorithm>

namespace parley::sim {

namespace {

void require(bool holds, const std::string& promise, AskId ask) {
    if (!holds) throw Broken(promise + ": " + ask.str());
}

}  // namespace

void Oracle::submitted(AskId ask, const std::string& principal, const Answers& answers) {
    facts_[ask].submissions.emplace_back(principal, answers);
}

void Oracle::dismissal_submitted(AskId ask, const std::string& principal) {
    facts_[ask].dismissals.insert(principal);
}

void Oracle::withdrawal_submitted(AskId ask) {
    facts_[ask].is_withdrawal_submitted = true;
}

void Oracle::session_stopped(SessionId session) {
    stopped_.insert(session);
}

void Oracle::ask_acknowledged(const Ask& ask) {
    facts_[ask.id].is_acknowledged = true;
}

void Oracle::settlement_told(const Ask& ask) {
    require(ask.settlement != nullptr, "a client was told of a settlement that is none", ask.id);
    auto& told = facts_[ask.id].told;
    if (told == nullptr) {
        told = ask.settlement;
    } else {
        require(*told == *ask.settlement, "two settlements were told of one ask", ask.id);
    }
}

void Oracle::draft_acknowledged(AskId ask, const std::string& principal, const Answers& answers) {
    drafts_[{ask, principal}] = answers;
}

void Oracle::process_starts() {
    for (auto& [id, facts] : facts_) {
        const auto known = durable_.find(id);
        if (known == durable_.end() || !known->second->deadline) continue;
        if (known->second->settlement) continue;
        facts.not_before = clock_.mono() + (*known->second->deadline - clock_.wall());
    }
}

void Oracle::check(Engine& durable) {
    read_new_events(durable);
    for (const auto& [id, facts] : facts_) {
        const auto known = durable_.find(id);
        if (facts.is_acknowledged)
            require(known != durable_.end(), "an acknowledged ask is not durable", id);
        if (!facts.told) continue;
        require(known != durable_.end() && known->second->settlement != nullptr,
                "a settlement was told before it was durable", id);
        require(*known->second->settlement == *facts.told, "what was told is not what is durable",
                id);
    }
}

// The durable log is the truth that everything else is held against.
void Oracle::read_new_events(Engine& durable) {
    if (!read_up_to_) return;
    while (true) {
        auto page = durable.list_events({.after = *read_up_to_});
        if (!page) return;
        if (page->has_gap) throw Broken("the durable log lost events that were there");
        for (const EventPtr& event : page->events) {
            if (event->cursor.value != read_up_to_->value + 1)
                throw Broken("cursors do not rise by one");
            read_up_to_ = event->cursor;
            events_.push_back(event);
            if (const auto* opened = std::get_if<AskOpened>(&event->body)) {
                const Ask& ask = *opened->ask;
                if (is_shared_) {
                    require(!durable_.contains(ask.id), "an id was used twice", ask.id);
                } else if (!durable_.empty()) {
                    require(ask.id.str() > durable_.rbegin()->first.str(), "ids do not ascend",
                            ask.id);
                }
                durable_[ask.id] = opened->ask;
                if (ask.spec->timeout)
                    facts_[ask.id].not_before =
                        clock_.mono() +
                        (is_shared_ ? *ask.deadline - clock_.wall() : *ask.spec->timeout);
            } else if (const auto* settled = std::get_if<AskSettled>(&event->body)) {
                note_settlement(*settled->ask);
                durable_[settled->ask->id] = settled->ask;
            }
        }
        if (!page->has_more) return;
    }
}

std::map<AskId, Instant> Oracle::durable_snoozes(const std::string& principal) const {
    std::map<AskId, Instant> snoozes;
    for (const EventPtr& event : events_) {
        if (const auto* settled = std::get_if<AskSettled>(&event->body))
            snoozes.erase(settled->ask->id);
        const auto* changed = std::get_if<SnoozeChanged>(&event->body);
        if (changed == nullptr || changed->principal != principal) continue;
        snoozes.erase(changed->ask);
        if (changed->until) snoozes.emplace(changed->ask, *changed->until);
    }
    return snoozes;
}

std::map<std::string, TokenPtr> Oracle::durable_tokens() const {
    std::map<std::string, TokenPtr> tokens;
    for (const EventPtr& event : events_) {
        const auto* changed = std::get_if<TokenChanged>(&event->body);
        if (changed == nullptr) continue;
        tokens.erase(changed->name);
        if (changed->token) tokens.emplace(changed->name, changed->token);
    }
    return tokens;
}

void Oracle::note_settlement(const Ask& ask) {
    const auto known = durable_.find(ask.id);
    require(known != durable_.end(), "an ask was settled that was never opened", ask.id);
    require(known->second->settlement == nullptr, "an ask was settled twice", ask.id);
    check_decider(ask, facts_[ask.id]);
}

// Silence is not consent: each outcome needs someone who caused it.
void Oracle::check_decider(const Ask& ask, const Facts& facts) {
    const Settlement& settlement = *ask.settlement;
    if (settlement.decider.kind == Decider::Kind::timer) {
        require(ask.spec->timeout.has_value(), "the timer settled an ask without a deadline",
                ask.id);
        require(facts.not_before && clock_.mono() >= *facts.not_before, "a deadline fired early",
                ask.id);
        const bool is_answered = settlement.outcome == Outcome::answered;
        require(is_answered == ask.spec->default_answers.has_value(),
                "the timer's outcome is not what the asker chose", ask.id);
        if (is_answered)
            require(settlement.answers == *ask.spec->default_answers,
                    "the timer answered something else", ask.id);
        return;
    }
    switch (settlement.outcome) {
        case Outcome::answered: {
            const bool is_real = std::any_of(
                facts.submissions.begin(), facts.submissions.end(), [&](const auto& submission) {
                    return submission.first == settlement.decider.principal &&
                           submission.second == settlement.answers;
                });
            require(is_real, "nobody gave the recorded answer", ask.id);
            break;
        }
        case Outcome::dismissed:
            require(ask.spec->dismissible, "an ask was dismissed that may not be", ask.id);
            require(facts.dismissals.contains(settlement.decider.principal),
                    "nobody dismissed the ask", ask.id);
            break;
        case Outcome::withdrawn:
            require(facts.is_withdrawal_submitted || stopped_.contains(ask.session),
                    "nobody withdrew the ask", ask.id);
            break;
        case Outcome::timed_out: require(false, "timed out, but not by the timer", ask.id);
    }
}

}  // namespace parley::sim
