// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/procedures.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "core/door_names.h"
#include "core/text_rules.h"
#include "core/told_error.h"
#include "core/weight.h"
#include "dialect/trpc/asks.h"
#include "door/limits.h"

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

constexpr std::string_view kUnknownText = "Question not found or already answered";
constexpr std::string_view kSuccess = R"({"success":true})";

// A call that has begun; its callbacks hold it weakly, its transport keeps it.
struct OpenCall {
    CallDone done;
    bool is_agent = false;
    Wait wait = {};

    void finish(CallResult result) {
        if (done) std::exchange(done, nullptr)(std::move(result));
    }
    void fail(const Error& error) {
        finish(tl::unexpected(failure_of(is_agent ? told_to_agents(error) : error)));
    }
};

std::shared_ptr<OpenCall> begin(const Caller& caller, CallDone done) {
    auto call = std::make_shared<OpenCall>();
    call->done = std::move(done);
    call->is_agent = !caller.is_person();
    return call;
}

CallHandle refuse(CallDone done, Failure failure) {
    done(tl::unexpected(std::move(failure)));
    return nullptr;
}

Failure unknown_question() {
    return {.key = FailureKey::not_found, .message = std::string(kUnknownText)};
}

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

// The answer came too late: the key says why, the shape's data by whom and when.
Failure settled_before(AskPtr ask) {
    const bool is_late = ask->state() == AskState::timed_out;
    return {.key = is_late ? FailureKey::timeout : FailureKey::conflict,
            .message = std::string(kUnknownText),
            .settled = std::move(ask)};
}

void answer_pending(LoopBroker& broker, const Ask& ask, const Caller& caller,
                    const AnswerInput& given, const std::shared_ptr<OpenCall>& call) {
    const auto session = broker.resolve(given.session, caller.viewer());
    if (!session || *session != ask.session)
        return call->finish(tl::unexpected(unknown_question()));
    Faults faults;
    const json::Path root;
    Answers answers = read_answers(ask.spec->questions, *given.answers, root / "answers", faults);
    if (!faults.empty()) return call->fail(std::move(faults).reject().value());
    broker.answer(ask.id, std::move(answers), {}, actor_of(caller),
                  [weak = std::weak_ptr(call)](Result<SettleReply> reply) {
                      const auto self = weak.lock();
                      if (!self) return;
                      if (!reply) return self->fail(reply.error());
                      if (reply->is_yours && !reply->is_repeat)
                          return self->finish(std::string(kSuccess));
                      self->finish(tl::unexpected(settled_before(std::move(reply->ask))));
                  });
}

// The ask is settled: it counts as found only for one who names its session.
void answer_settled(LoopBroker& broker, AskPtr ask, const std::string& ref,
                    const std::shared_ptr<OpenCall>& call) {
    const SessionId session = ask->session;
    auto told = [weak = std::weak_ptr(call), ref,
                 ask = std::move(ask)](const Result<SessionPtr>& found) {
        const auto self = weak.lock();
        if (!self) return;
        if (!found) return self->fail(found.error());
        const bool is_named = (*found)->id.str() == ref || (*found)->name == ref;
        self->finish(tl::unexpected(is_named ? settled_before(ask) : unknown_question()));
    };
    broker.find_session(session.str(), kUnrestricted, std::move(told));
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

Actor actor_of(const Caller& caller) {
    return as_actor(caller, door_names::kTrpc);
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
    if (procedure.path == "message.answerAsk") return answer(caller, input, std::move(done));
    if (procedure.path == "message.pending") return pending(caller, input, std::move(done));
    if (procedure.path == "message.ask") return ask(caller, input, std::move(done));
    return abort(caller, input, std::move(done));
}

CallHandle Procedures::answer(const Caller& caller, const json::Value& input, CallDone done) {
    auto given = read_answer_ask(input);
    if (!given) return refuse(std::move(done), failure_of(given.error()));
    const auto id = AskId::parse(given->question_id);
    if (!id) return refuse(std::move(done), unknown_question());
    auto call = begin(caller, std::move(done));
    if (const AskPtr ask = broker_.find_pending(*id, caller.viewer())) {
        answer_pending(broker_, *ask, caller, *given, call);
        return call;
    }
    // The input may live in an arena that ends with this call.
    json::Value answers(*given->answers, boost::json::storage_ptr());
    auto told = [this, weak = std::weak_ptr(call), caller, given = std::move(*given),
                 answers = std::move(answers)](Result<AskPtr> found) mutable {
        const auto self = weak.lock();
        if (!self) return;
        if (!found) {
            const bool is_unknown = found.error().code == ErrorCode::not_found;
            self->finish(
                tl::unexpected(is_unknown ? unknown_question() : failure_of(found.error())));
        } else if ((*found)->is_pending()) {
            // It was being opened when it was answered.
            given.answers = &answers;
            answer_pending(broker_, **found, caller, given, self);
        } else {
            answer_settled(broker_, std::move(*found), given.session, self);
        }
    };
    broker_.find_ask(*id, caller.viewer(), std::move(told));
    return call;
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
