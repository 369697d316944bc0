// SPDX-License-Identifier: Apache-2.0
#include "broker/registries/interactive_waits.h"

#include "broker/limits.h"

namespace parley {

InteractiveWaits::Number InteractiveWaits::register_wait(const InteractiveKey& key,
                                                         std::vector<Question> questions,
                                                         const Actor& agent, Done<AskPtr> settled) {
    const Number number = next_wait_++;
    waits_[number].settled = std::move(settled);
    AskRequest request{.spec = {.questions = std::move(questions)}, .session = key.session};
    request.spec.tool = ToolCall{.message_id = {}, .call_id = key.tool_use_id};
    wiring_.broker.ask(std::move(request), kOpenProfile, agent,
                       alive_.guard([this, number](Result<OpenedAsk> reply) {
                           opened(number, std::move(reply));
                       }));
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
    waiting->second.wait = wiring_.broker.wait(reply->ask->id, kUnrestricted,
                                               alive_.guard([this, number](Result<AskPtr> settled) {
                                                   auto told = waits_.extract(number);
                                                   if (told)
                                                       told.mapped().settled(std::move(settled));
                                               }));
}

void InteractiveWaits::resolve(const InteractiveKey& key, Answers answers, const Actor& responder,
                               Done<Resolution> done) {
    resolve(
        key,
        [answers = std::move(answers)](const Ask&) mutable -> Result<Answers> {
            return std::move(answers);
        },
        responder, std::move(done));
}

void InteractiveWaits::resolve(const InteractiveKey& key, MakeAnswers make, const Actor& responder,
                               Done<Resolution> done) {
    const auto session = wiring_.broker.resolve(key.session, responder.viewer());
    if (!session) {
        wiring_.home.post([done = std::move(done)]() mutable { done(Resolution{}); });
        return;
    }
    find(*session, key.tool_use_id, responder.viewer(),
         alive_.guard([this, make = std::move(make), responder,
                       done = std::move(done)](Result<AskPtr> found) mutable {
             if (!found) return done(reject(std::move(found).error()));
             if (!*found || !(*found)->is_pending())
                 return done(Resolution{.is_resolved = false, .ask = std::move(*found)});
             answer(*found, std::move(make), responder, std::move(done));
         }));
}

void InteractiveWaits::find(SessionId session, const std::string& tool_use_id, const Viewer& viewer,
                            Done<AskPtr> done) {
    const auto id = AskId::parse(tool_use_id);
    if (!id) return wiring_.broker.find_ask_by_call(session, tool_use_id, viewer, std::move(done));
    wiring_.broker.find_ask(
        *id, viewer, [session, done = std::move(done)](Result<AskPtr> found) mutable {
            const bool is_unknown =
                found ? (*found)->session != session : found.error().code == ErrorCode::not_found;
            done(is_unknown ? Result<AskPtr>(nullptr) : std::move(found));
        });
}

void InteractiveWaits::answer(const AskPtr& ask, MakeAnswers make, const Actor& responder,
                              Done<Resolution> done) {
    auto answers = make(*ask);
    if (!answers) return done(reject(std::move(answers).error()));
    wiring_.broker.answer(ask->id, std::move(*answers), {Completeness::partial}, responder,
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
    wiring_.home.post_at(expiries_.begin()->second.when, alive_.guard([this] {
        is_timer_armed_ = false;
        drop_stale();
        arm_timer();
    }));
}

}  // namespace parley
