// SPDX-License-Identifier: Apache-2.0
// GET /question, POST /question/{id}/reply and …/reject, and the same below /api.
#include <utility>

#include "core/permission.h"
#include "dialect/opencode/parts.h"
#include "dialect/opencode/questions.h"
#include "door/known_session.h"
#include "door/opencode/opencode_door.h"
#include "door/opencode/opencode_replies.h"
#include "door/opencode/pending_list.h"
#include "door/opencode/settling.h"

namespace parley {

namespace {

using opencode::Generation;

std::optional<std::string> write_question(const Ask& ask) {
    if (permission::has_usual_options(ask)) return std::nullopt;
    std::string text;
    json::Writer out(text);
    opencode::write_request(out, ask, opencode::shown_call(ask));
    return text;
}

net::Co<void> list_questions(OpenCodeDoor* door, net::Exchange exchange) {
    if (opencode::is_refused_workspace(exchange)) co_return;
    co_await opencode::list_pending(door, std::move(exchange), {.write = write_question});
}

net::Co<void> list_located(OpenCodeDoor* door, net::Exchange exchange) {
    const std::string directory =
        opencode::directory_of(exchange).value_or(door->options().directory);
    std::string text;
    json::Writer out(text);
    out.begin_object().field("directory", directory);
    out.key("project").begin_object().field("id", "global").field("directory", directory);
    out.end_object().end_object();
    co_await opencode::list_pending(door, std::move(exchange),
                                    {.write = write_question,
                                     .before = R"({"location":)" + text + R"(,"data":)",
                                     .after = "}"});
}

net::Co<void> list_of_session(OpenCodeDoor* door, net::Exchange exchange) {
    const auto session = opencode::path_session(*door, exchange, Generation::v2);
    if (!session) co_return;
    co_await opencode::list_pending(
        door, std::move(exchange),
        {.write = write_question, .session = *session, .before = R"({"data":)", .after = "}"});
}

// The texts of a reply; nothing if it was answered with 400.
std::optional<opencode::ReplyTexts> read_texts(net::Exchange& exchange, Generation generation) {
    auto body = opencode::read_body(exchange);
    if (!body) {
        opencode::reply_wrong(exchange, generation, opencode::Wrong::payload, body.error().message);
        return std::nullopt;
    }
    auto texts = opencode::read_reply(*body);
    if (texts) return std::move(*texts);
    opencode::reply_wrong(exchange, generation, opencode::Wrong::payload, texts.error().message);
    return std::nullopt;
}

// Whether the path can mean a question; the request is answered if not.
bool is_addressed(OpenCodeDoor& door, net::Exchange& exchange, Generation generation) {
    if (!opencode::has_question_id(door, exchange, generation)) return false;
    return generation == Generation::v1 || opencode::path_session(door, exchange, generation);
}

// The order of checks is OpenCode's: the id's form, the body, whether there is such a question.
void answer(OpenCodeDoor& door, net::Exchange exchange, Generation generation) {
    if (!is_addressed(door, exchange, generation)) return;
    auto texts = read_texts(exchange, generation);
    if (!texts) return;
    opencode::Target target{door, std::move(exchange), generation, opencode::kNoQuestion};
    opencode::with_pending(
        std::move(target),
        [texts = std::move(*texts)](opencode::Target found, const AskPtr& ask) mutable {
            auto answers = opencode::sort_reply(ask->spec->questions, std::move(texts));
            if (!answers) return found.reply_error(answers.error());
            opencode::answer(std::move(found), ask, std::move(*answers), opencode::Then::go_on);
        });
}

void reject_question(OpenCodeDoor& door, net::Exchange exchange, Generation generation) {
    if (!is_addressed(door, exchange, generation)) return;
    opencode::Target target{door, std::move(exchange), generation, opencode::kNoQuestion};
    opencode::with_pending(std::move(target), [](opencode::Target found, const AskPtr& ask) {
        opencode::dismiss(std::move(found), ask);
    });
}

}  // namespace

void OpenCodeDoor::add_question_routes(net::Router& router) {
    router.get(
        "/question",
        [this](net::Exchange exchange) { return list_questions(this, std::move(exchange)); },
        route(Needs::token));
    router.get(
        "/api/question/request",
        [this](net::Exchange exchange) { return list_located(this, std::move(exchange)); },
        route(Needs::token));
    router.get("/api/session/{sessionID}/question",
               knowing_session_co(broker(), "sessionID",
                                  [this](net::Exchange exchange) {
                                      return list_of_session(this, std::move(exchange));
                                  }),
               route(Needs::token));
    const auto add = [&](const std::string& prefix, Generation generation) {
        router.post(
            prefix + "/{requestID}/reply",
            [this, generation](net::Exchange exchange) {
                answer(*this, std::move(exchange), generation);
            },
            opencode::json_route(Needs::responder));
        // Its body, of whatever type, means nothing.
        router.post(
            prefix + "/{requestID}/reject",
            [this, generation](net::Exchange exchange) {
                reject_question(*this, std::move(exchange), generation);
            },
            route(Needs::responder));
    };
    add("/question", Generation::v1);
    add("/api/session/{sessionID}/question", Generation::v2);
}

}  // namespace parley
