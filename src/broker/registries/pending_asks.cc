// SPDX-License-Identifier: Apache-2.0
#include "broker/registries/pending_asks.h"

#include <fmt/format.h>

#include <utility>

namespace parley {

namespace {

Error unknown_question() {
    return {ErrorCode::not_found, std::string(PendingAsks::kUnknownText)};
}

Done<SettleReply> first_only(Done<void> done) {
    return [done = std::move(done)](Result<SettleReply> reply) mutable {
        if (!reply) return done(reject(std::move(reply).error()));
        if (!reply->is_yours) return done(reject(unknown_question()));
        done({});
    };
}

}  // namespace

Result<Answers> PendingAsks::answers_of(const Ask& ask) {
    const Settlement& settlement = *ask.settlement;
    if (settlement.outcome == Outcome::answered) return settlement.answers;
    if (settlement.outcome == Outcome::timed_out)
        return parley::reject({ErrorCode::timed_out, std::string(PendingAsks::kTimeoutText)});
    std::string text = fmt::format("The question was {}", to_string(settlement.outcome));
    if (settlement.note) text += fmt::format(": {}", *settlement.note);
    return parley::reject({ErrorCode::conflict, std::move(text)});
}

void PendingAsks::ask(AskRequest request, const Actor& agent,
                      UniqueFunction<void(const AskPtr&)> opened, Done<Answers> done) {
    if (!request.spec.timeout) request.spec.timeout = timeout_;
    wiring_.broker.ask(std::move(request), kOpenProfile, agent,
                       alive_.guard([this, opened = std::move(opened),
                                     done = std::move(done)](Result<OpenedAsk> reply) mutable {
                           if (!reply) return done(parley::reject(std::move(reply).error()));
                           wait(reply->ask, std::move(done));
                           opened(reply->ask);
                       }));
}

void PendingAsks::wait(const AskPtr& ask, Done<Answers> done) {
    const std::uint64_t number = next_wait_++;
    Waiting& waiting = waits_[number];
    waiting.done = std::move(done);
    waiting.wait = wiring_.broker.wait(
        ask->id, kUnrestricted, alive_.guard([this, number](Result<AskPtr> settled) {
            auto told = waits_.extract(number);
            if (!settled) return told.mapped().done(parley::reject(std::move(settled).error()));
            told.mapped().done(answers_of(**settled));
        }));
}

std::optional<AskId> PendingAsks::find(std::string_view question_id, Done<void>& done) {
    const auto id = AskId::parse(question_id);
    if (id && wiring_.broker.ledger().find_pending(*id)) return id;
    wiring_.home.post(
        [done = std::move(done)]() mutable { done(parley::reject(unknown_question())); });
    return std::nullopt;
}

void PendingAsks::resolve(std::string_view question_id, Answers answers, const Actor& responder,
                          Done<void> done) {
    if (const auto id = find(question_id, done))
        wiring_.broker.answer(*id, std::move(answers), {}, responder, first_only(std::move(done)));
}

void PendingAsks::reject(std::string_view question_id, std::optional<std::string> reason,
                         const Actor& responder, Done<void> done) {
    if (const auto id = find(question_id, done))
        wiring_.broker.dismiss(*id, std::move(reason), responder, first_only(std::move(done)));
}

}  // namespace parley
