// SPDX-License-Identifier: Apache-2.0
#include "door/tool_result/tool_result_door.h"

#include <algorithm>
#include <utility>

#include "core/door_names.h"
#include "dialect/native/problem.h"
#include "door/access.h"
#include "door/known_session.h"
#include "door/native/native_replies.h"
#include "door/tool_result/answer_call.h"
#include "door/tool_result/ui_stream.h"

namespace parley {

namespace {

constexpr AnswerRules kRules = {.completeness = Completeness::partial};

Actor actor_of(const net::Exchange& exchange) {
    return as_actor(native::caller(exchange), door_names::kToolResult);
}

void refuse(net::Exchange& exchange, int status, std::string_view message) {
    native::reply(exchange, status, ai_sdk::error_document(message));
}

void refuse(net::Exchange& exchange, const Error& error) {
    native::reply(exchange, native::http_status(error.code),
                  ai_sdk::error_document(error.message, error.faults));
}

// A page that names no session of its own is told no more.
void refuse_session(net::Exchange& exchange, const Error& error) {
    if (error.code == ErrorCode::not_found) return refuse(exchange, 403, "Forbidden");
    refuse(exchange, error);
}

net::Response shape_refusal(const net::Refusal& refusal) {
    const std::string_view message = refusal.status == 401   ? "Unauthorized"
                                     : refusal.status == 403 ? "Forbidden"
                                                             : std::string_view(refusal.detail);
    return {.status = refusal.status,
            .content_type = net::kJson,
            .headers = refusal.headers,
            .body = net::Body(ai_sdk::error_document(message))};
}

}  // namespace

void ToolResultDoor::add_routes(net::Router& router) {
    router.set_shape("/api/chat", [](const net::Refusal& refusal, const wire::Request*) {
        return shape_refusal(refusal);
    });
    router.post(
        "/api/chat/tool-result",
        [this](net::Exchange exchange) { take_result(std::move(exchange)); },
        native::json_route(Needs::responder));
    router.post(
        "/api/chat", [this](net::Exchange exchange) { return chat(this, std::move(exchange)); },
        native::json_route(Needs::responder));
    router.get(
        "/api/chat/{id}/stream", [this](net::Exchange exchange) { resume(std::move(exchange)); },
        route(Needs::responder));
}

void ToolResultDoor::take_result(net::Exchange exchange) {
    auto body = ai_sdk::read_tool_result(exchange.body());
    if (!body) return refuse(exchange, body.error());
    const std::string name = body->session;
    const Viewer who = viewer(exchange);
    auto take = [this, body = std::move(*body), exchange = std::move(exchange)]() mutable {
        take_known(std::move(body), std::move(exchange));
    };
    hear_of_session(wiring_.broker, name, who, std::move(take));
}

void ToolResultDoor::take_known(ai_sdk::ToolAnswers body, net::Exchange exchange) {
    const Actor actor = actor_of(exchange);
    const std::string name = body.session;
    const auto known = wiring_.broker.resolve(name, actor.viewer());
    if (!known) return refuse_session(exchange, known.error());
    // An id may be of a session that never was; one that has ended is still known by its id.
    wiring_.broker.find_session(
        name, actor.viewer(),
        [this, body = std::move(body), actor,
         exchange = std::move(exchange)](const Result<SessionPtr>& session) mutable {
            if (!session) return refuse_session(exchange, session.error());
            answer_call(
                wiring_.broker, (*session)->id, body.tool_use_id,
                [answers = std::move(body.answers)](const Ask& ask) {
                    return ai_sdk::read_answers(ask.spec->questions, answers);
                },
                actor,
                [exchange = std::move(exchange)](const Result<CallResolution>& resolution) mutable {
                    if (!resolution) return refuse(exchange, resolution.error());
                    native::reply(
                        exchange, 200,
                        ai_sdk::resolution(resolution->is_resolved, resolution->ask.get()));
                });
        });
}

void ToolResultDoor::resume(net::Exchange exchange) {
    const auto session = wiring_.broker.resolve(exchange.param("id"), viewer(exchange));
    const UiTurns::Turn* turn = session ? turns_.find(*session) : nullptr;
    // The SDK's word for "nothing to resume".
    if (turn == nullptr) return exchange.respond({.status = 204});
    UiStream::serve({wiring_.broker, wiring_.clock}, std::move(exchange),
                    {.session = *session, .after = turn->after, .message_id = turn->message_id});
}

net::Co<void> ToolResultDoor::chat(ToolResultDoor* door, net::Exchange exchange) {
    LoopBroker& broker = door->wiring_.broker;
    auto request = ai_sdk::read_chat(exchange.body());
    if (!request) {
        refuse(exchange, request.error());
        co_return;
    }
    const auto session = co_await net::await_callback<Result<SessionPtr>>(
        [&broker, name = request->session, who = viewer(exchange)](Done<SessionPtr> done) {
            broker.enter_session(name, who, std::move(done));
        });
    if (!session) {
        refuse(exchange, session.error());
        co_return;
    }
    UiStream::Request stream{.session = (*session)->id,
                             .after = broker.head(),
                             .message_id = request->message_id,
                             .known_calls = std::move(request->calls),
                             .finishes_on_ask = request->finishes_on_ask};
    const Actor actor = actor_of(exchange);
    const auto settled =
        co_await settle_outputs(door, stream.session, std::move(request->outputs), actor);
    if (!settled) {
        refuse(exchange, settled.error());
        co_return;
    }
    if (request->said) {
        const auto said = co_await net::await_callback<Result<Said>>(
            [&broker, id = stream.session, text = *request->said, actor](Done<Said> done) {
                broker.say(id.str(), text, actor, std::move(done));
            });
        if (!said) {
            refuse(exchange, said.error());
            co_return;
        }
        const UiTurns::Turn* turn = door->turns_.find(stream.session);
        if (turn != nullptr && turn->by == said->id) stream.message_id = turn->message_id;
        if (said->is_queued) stream.queued = *said;
    }
    for (AskPtr& ask : broker.pending_in(stream.session, actor.viewer()))
        if (!stream.known_calls.contains(ai_sdk::call_of(*ask)))
            stream.shown_first.push_back(std::move(ask));
    UiStream::serve({broker, door->wiring_.clock}, std::move(exchange), std::move(stream));
}

// Outputs of calls that nobody asks by, or that were settled before, are history.
net::Co<Result<void>> ToolResultDoor::settle_outputs(ToolResultDoor* door, SessionId session,
                                                     std::vector<ai_sdk::ToolOutput> outputs,
                                                     Actor actor) {
    LoopBroker& broker = door->wiring_.broker;
    for (const ai_sdk::ToolOutput& output : outputs) {
        const auto pending = broker.pending_in(session, actor.viewer());
        const auto found = std::find_if(pending.begin(), pending.end(), [&](const AskPtr& ask) {
            return ai_sdk::call_of(*ask) == output.call_id;
        });
        if (found == pending.end()) continue;
        const AskPtr ask = *found;
        Result<Answers> answers = Answers();
        if (!output.error) answers = ai_sdk::read_output(ask->spec->questions, output.output);
        if (!answers) co_return reject(std::move(answers).error());
        const auto settled = co_await net::await_callback<Result<SettleReply>>(
            [&broker, id = ask->id, error = output.error, given = std::move(*answers),
             actor](Done<SettleReply> done) mutable {
                if (error) return broker.dismiss(id, error, actor, std::move(done));
                broker.answer(id, std::move(given), kRules, actor, std::move(done));
            });
        if (!settled) co_return reject(settled.error());
    }
    co_return Result<void>{};
}

}  // namespace parley
