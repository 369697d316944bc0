// SPDX-License-Identifier: Apache-2.0
#include "broker/registries/interactive_waits.h"

#include "base/limits.h"

namespace parley {

InteractiveWaits::Number InteractiveWaits::register_wait(const InteractiveKey& key,
                                                         std::vector<Question> questions,
                                                         const Actor& agent, Done<AskPtr> settled) {
    const Number number = next_wait_++;
    waits_[number].settled = std::move(settled);
    AskRequest request{.spec = {.questions = std::move(questions)}, .session = key.session};
    request.spec.tool = ToolCall{.message_id = {}, .call_id = key.tool_use_id};
    wiring_.broker.ask(std::move(request), kOpenProfile, agent,
                       [this, alive = std::weak_ptr(alive_), number](Result<OpenedAsk> reply) {
                           if (!alive.expired()) opened(number, std::move(reply));
                       });
    return number;
}

void InteractiveWaits::opened(Number number, Result<OpenedAsk> reply) {
    const auto waiting = waits_.find(number);
    if (waiting == waits_.end()) return;
    if (!reply) {
        auto refused = waits_.extract(waiting);
        refused.mapped().settled(reject(std::move(reply).error()));
        return;
    }
    waiting->second.wait = wiring_.broker.wait(
        reply->ask->id, [this, alive = std::weak_ptr(alive_), number](Result<AskPtr> settled) {
            if (alive.expired()) return;
            auto told = waits_.extract(number);
            if (told) told.mapped().settled(std::move(settled));
        });
}

AskPtr InteractiveWaits::find_pending(const InteractiveKey& key) const {
    const Ledger& ledger = wiring_.broker.ledger();
    const auto id = SessionId::parse(key.session);
    const auto* session = id ? ledger.find_session(*id) : ledger.find_session(key.session);
    if (session == nullptr) return nullptr;
    for (const AskId pending : session->pending) {
        AskPtr ask = ledger.find_pending(pending);
        if (ask->spec->tool && ask->spec->tool->call_id == key.tool_use_id) return ask;
    }
    return nullptr;
}

void InteractiveWaits::resolve(const InteractiveKey& key, Answers answers, const Actor& responder,
                               Done<Resolution> done) {
    const AskPtr ask = find_pending(key);
    if (!ask) {
        wiring_.home.post([done = std::move(done)]() mutable { done(Resolution{}); });
        return;
    }
    wiring_.broker.answer(ask->id, std::move(answers), {}, responder,
                          [done = std::move(done)](Result<SettleReply> reply) mutable {
                              if (!reply) return done(reject(std::move(reply).error()));
                              done(Resolution{reply->is_yours, std::move(reply->ask)});
                          });
}

void InteractiveWaits::store_user_answer(const InteractiveKey& key, Answers answers) {
    take(key);
    if (stored_.size() >= limits::kStoredAnswersMax) take(expiries_.begin()->second.key);
    const std::uint64_t number = next_stored_++;
    stored_.emplace(key, Stored{std::move(answers), number});
    expiries_.emplace(number, Expiry{wiring_.clock.mono() + limits::kStoredAnswerLife, key});
    arm_timer();
}

std::optional<Answers> InteractiveWaits::pop_user_answer(const InteractiveKey& key) {
    drop_stale();
    return take(key);
}

std::optional<Answers> InteractiveWaits::take(const InteractiveKey& key) {
    auto stored = stored_.extract(key);
    if (!stored) return std::nullopt;
    expiries_.erase(stored.mapped().number);
    return std::move(stored.mapped().answers);
}

void InteractiveWaits::drop_stale() {
    const Mono now = wiring_.clock.mono();
    while (!expiries_.empty() && expiries_.begin()->second.when <= now) {
        stored_.erase(expiries_.begin()->second.key);
        expiries_.erase(expiries_.begin());
    }
}

void InteractiveWaits::arm_timer() {
    if (is_timer_armed_ || expiries_.empty()) return;
    is_timer_armed_ = true;
    wiring_.home.post_at(expiries_.begin()->second.when, [this, alive = std::weak_ptr(alive_)] {
        if (alive.expired()) return;
        is_timer_armed_ = false;
        drop_stale();
        arm_timer();
    });
}

}  // namespace parley
