// SPDX-License-Identifier: Apache-2.0
#include "door/opencode/settling.h"

#include <fmt/format.h>

#include <utility>

#include "dialect/opencode/permission.h"

namespace parley::opencode {

namespace {

constexpr std::string_view kRequest = "requestID";

// The ask of an id in either form, "que_…" or "per_…".
std::optional<AskId> parse_ask(std::string_view text) {
    if (const auto id = AskId::parse(text)) return id;
    return parse_permission_id(text);
}

void stop_turn(OpenCodeDoor& door, SessionId session, const Actor& who) {
    const Viewer viewer = who.viewer();
    const bool is_live = door.broker().find_live(session, viewer) != nullptr;
    if (!is_live || door.broker().pending_count(session, viewer) > 0) return;
    door.broker().abort(session.str(), who, [](const Result<SessionPtr>&) {});
}

// The id in the path, whatever the route calls it.
std::string requested(const Target& target) {
    const bool is_older_route = target.exchange.param(kRequest).empty();
    return std::string(target.exchange.param(is_older_route ? "permissionID" : kRequest));
}

void tell_missing(Target target, const Result<AskPtr>& found) {
    if (target.door.options().is_legacy) return reply_done(target.exchange, target.generation);
    // While the store is away nobody knows whether there is such an ask.
    const bool is_unknown = !found && found.error().code != ErrorCode::not_found;
    if (is_unknown) return target.reply_error(found.error());
    reply_missing(target.exchange, target.missing, requested(target),
                  found ? found->get() : nullptr);
}

void finish(Target target, SettleReply settled, Then then, const Actor& who) {
    // Only the first is told yes: also one who said the same before has nothing to answer here.
    if (!settled.is_yours || settled.is_repeat) return tell_missing(std::move(target), settled.ask);
    if (then == Then::stop) stop_turn(target.door, settled.ask->session, who);
    reply_done(target.exchange, target.generation);
}

Done<SettleReply> finishing(Target target, Then then, const Actor& who) {
    return [target = std::move(target), then, who](Result<SettleReply> settled) mutable {
        if (!settled) return target.reply_error(settled.error());
        finish(std::move(target), std::move(*settled), then, who);
    };
}

}  // namespace

std::optional<SessionId> path_session(OpenCodeDoor& door, net::Exchange& exchange,
                                      Generation generation) {
    const std::string_view ref = exchange.param("sessionID");
    const auto* live = door.broker().find_live(ref, viewer(exchange));
    if (live != nullptr) return live->session->id;
    const Error missing = door.broker().missing({});
    if (missing.code == ErrorCode::not_found)
        reply_no_session(exchange, generation, ref);
    else
        reply_error(exchange, generation, missing);
    return std::nullopt;
}

bool has_question_id(const OpenCodeDoor& door, net::Exchange& exchange, Generation generation) {
    const std::string_view id = exchange.param(kRequest);
    if (id.starts_with("que") || door.options().is_legacy) return true;
    reply_wrong(exchange, generation, Wrong::params,
                fmt::format("Expected a string starting with \"que\", got \"{}\"\n"
                            "  at [\"requestID\"]",
                            id));
    return false;
}

bool Target::is_meant(const Ask& ask) const {
    const std::string_view session = exchange.param("sessionID");
    if (!session.empty()) {
        const auto named = door.broker().resolve(session, viewer(exchange));
        return named && *named == ask.session;
    }
    return is_seen_from(directory_of(exchange),
                        find_live(door.broker(), ask.session, viewer(exchange)));
}

void with_pending(Target target, UniqueFunction<void(Target, const AskPtr&)> found) {
    const auto id = parse_ask(requested(target));
    if (!id) return tell_missing(std::move(target));
    LoopBroker& broker = target.door.broker();
    const Viewer who = viewer(target.exchange);
    const auto is_open = [](const Target& of, const Result<AskPtr>& ask) {
        return ask && *ask && (*ask)->is_pending() && of.is_meant(**ask);
    };
    const AskPtr known = broker.find_pending(*id, who);
    if (is_open(target, known)) return found(std::move(target), known);
    broker.find_ask(*id, who,
                    [target = std::move(target), is_open,
                     found = std::move(found)](const Result<AskPtr>& ask) mutable {
                        if (is_open(target, ask)) return found(std::move(target), *ask);
                        tell_missing(std::move(target), ask);
                    });
}

void tell_missing(Target target) {
    tell_missing(std::move(target), reject(ErrorCode::not_found, "it is not there"));
}

void answer(Target target, const AskPtr& ask, Answers answers, Then then) {
    const Actor who = actor(target.exchange);
    LoopBroker& broker = target.door.broker();
    broker.answer(ask->id, std::move(answers), {.completeness = Completeness::may_be_empty}, who,
                  finishing(std::move(target), then, who));
}

void dismiss(Target target, const AskPtr& ask) {
    const Actor who = actor(target.exchange);
    LoopBroker& broker = target.door.broker();
    broker.dismiss(ask->id, std::nullopt, who, finishing(std::move(target), Then::stop, who));
}

}  // namespace parley::opencode
