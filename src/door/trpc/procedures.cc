// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/procedures.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "core/text_rules.h"
#include "core/weight.h"
#include "dialect/trpc/asks.h"
#include "door/limits.h"
#include "door/trpc/answer_procedure.h"
#include "door/trpc/open_call.h"

namespace parley::trpc {

namespace {

constexpr std::array kProcedures = {
    Procedure{"message.streamResponse", ProcedureKind::subscription, Needs::token},
    Procedure{"message.streamTracked", ProcedureKind::subscription, Needs::token, true},
    Procedure{"message.answerAsk", ProcedureKind::mutation, Needs::responder},
    Procedure{"message.pending", ProcedureKind::query, Needs::token},
    Procedure{"message.ask", ProcedureKind::mutation, Needs::asker},
    Procedure{"message.abort", ProcedureKind::mutation, Needs::token},
};

// What the asker of a settled ask is given.
Result<Answers> answers_of(const Ask& ask) {
    const Settlement& settlement = *ask.settlement;
    if (settlement.outcome == Outcome::answered) return settlement.answers;
    if (settlement.outcome == Outcome::timed_out)
        return reject(ErrorCode::timed_out, "Ask timeout");
    std::string text = fmt::format("The question was {}", to_string(settlement.outcome));
    if (settlement.note) text += fmt::format(": {}", *settlement.note);
    return reject({ErrorCode::conflict, std::move(text)});
}

Failure too_much(std::string_view session) {
    return {.key = FailureKey::payload_too_large,
            .message = fmt::format("the questions of {} are more than the {} bytes that one answer "
                                   "lists; read them page by page from /v1/asks?state=pending",
                                   quoted_excerpt(session), limits::kTrpcPendingBytes)};
}

}  // namespace

const Procedure* find_procedure(std::string_view path) {
    for (const Procedure& procedure : kProcedures)
        if (procedure.path == path) return &procedure;
    return nullptr;
}

std::string_view to_string(ProcedureKind kind) {
    switch (kind) {
        case ProcedureKind::query: return "query";
        case ProcedureKind::mutation: return "mutation";
        case ProcedureKind::subscription: return "subscription";
    }
    return "";
}

Failure batch_is_full() {
    return {.key = FailureKey::payload_too_large,
            .message = fmt::format("the answers of this batch are more than {} bytes already; ask "
                                   "for the rest by itself",
                                   limits::kTrpcBatchBytes)};
}

std::size_t counted_bytes(const CallResult& result) {
    if (result) return result->size();
    return result.error().key == FailureKey::payload_too_large ? limits::kTrpcPendingBytes : 0;
}

std::optional<Failure> check_role(const Caller& caller, Needs needs) {
    if (is_enough(caller.role, needs)) return std::nullopt;
    return Failure{
        .key = FailureKey::forbidden,
        .message = fmt::format("a token of role {} may not do this", to_string(caller.role))};
}

CallHandle Procedures::run(const Procedure& procedure, const Caller& caller,
                           const json::Value& input, CallDone done) {
    if (auto failure = check_role(caller, procedure.needs))
        return refuse(std::move(done), std::move(*failure));
    if (procedure.path == "message.answerAsk")
        return answer_ask(broker_, caller, input, std::move(done));
    if (procedure.path == "message.pending") return pending(caller, input, std::move(done));
    if (procedure.path == "message.ask") return ask(caller, input, std::move(done));
    return abort(caller, input, std::move(done));
}

CallHandle Procedures::pending(const Caller& caller, const json::Value& input, CallDone done) {
    const auto ref = read_session(input);
    if (!ref) return refuse(std::move(done), failure_of(ref.error()));
    const auto id = broker_.resolve(*ref, caller.viewer());
    const auto asks = id ? broker_.pending_in(*id, caller.viewer()) : std::vector<AskPtr>();
    std::size_t bytes = 0;
    for (const AskPtr& ask : asks) bytes += weight_of(*ask);
    if (bytes > limits::kTrpcPendingBytes) return refuse(std::move(done), too_much(*ref));
    done(pending_list(asks, *ref));
    return nullptr;
}

CallHandle Procedures::ask(const Caller& caller, const json::Value& input, CallDone done) {
    auto given = read_ask(input);
    if (!given) return refuse(std::move(done), failure_of(given.error()));
    AskSpec& spec = given->request.spec;
    if (!spec.timeout && !given->waits_for_ever && given->is_blocking)
        spec.timeout = settings_.ask_timeout;
    auto call = begin(caller, std::move(done));
    const auto settled = [weak = std::weak_ptr(call),
                          warnings =
                              std::move(given->request.warnings)](const Result<AskPtr>& ask) {
        const auto self = weak.lock();
        if (!self) return;
        if (!ask) return self->fail(ask.error());
        const auto answers = answers_of(**ask);
        if (!answers) {
            Failure failure = failure_of(answers.error());
            failure.settled = *ask;
            failure.warnings = warnings;
            return self->finish(tl::unexpected(std::move(failure)));
        }
        std::string text;
        json::Writer out(text);
        out.begin_object().field("questionId", (*ask)->id.str());
        write_answers(out.key("answers"), (*ask)->spec->questions, *answers);
        if (!warnings.empty()) write_faults(out.key("warnings"), warnings);
        out.end_object();
        self->finish(std::move(text));
    };
    broker_.ask(std::move(given->request), kOpenProfile, actor_of(caller),
                [this, weak = std::weak_ptr(call), settled, who = caller.viewer(),
                 is_blocking = given->is_blocking](Result<OpenedAsk> opened) {
                    const auto self = weak.lock();
                    if (!self) return;
                    if (!opened) return self->fail(opened.error());
                    if (!is_blocking && opened->ask->is_pending())
                        return self->finish(fmt::format(
                            R"({{"questionId":"{}","answers":{{}},"status":"pending"}})",
                            opened->ask->id.str()));
                    self->wait = broker_.wait(opened->ask->id, who, settled);
                });
    return call;
}

CallHandle Procedures::abort(const Caller& caller, const json::Value& input, CallDone done) {
    const auto ref = read_session(input);
    if (!ref) return refuse(std::move(done), failure_of(ref.error()));
    auto call = begin(caller, std::move(done));
    broker_.abort(*ref, actor_of(caller), [weak = std::weak_ptr(call)](Result<SessionPtr> stopped) {
        const auto self = weak.lock();
        if (!self) return;
        if (!stopped) return self->fail(stopped.error());
        self->finish(std::string(kSuccess));
    });
    return call;
}

}  // namespace parley::trpc
