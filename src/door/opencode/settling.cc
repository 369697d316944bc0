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
    const auto* entry = door.broker().ledger().find_session(session);
    if (entry == nullptr || !entry->pending.empty()) return;
    door.broker().abort(session.str(), who, [](const Result<SessionPtr>&) {});
}

void finish(Target target, SettleReply settled, Then then, const Actor& who) {
    // Only the first is told yes: also one who said the same before has nothing to answer here.
    if (!settled.is_yours || settled.is_repeat) return tell_missing(std::move(target));
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
    reply_no_session(exchange, generation, ref);
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

AskPtr Target::find_pending(std::string_view param) {
    const auto id = parse_ask(exchange.param(param));
    AskPtr ask = id ? door.broker().find_pending(*id, viewer(exchange)) : nullptr;
    if (!ask) return nullptr;
    const std::string_view session = exchange.param("sessionID");
    if (!session.empty()) {
        const auto named = door.broker().resolve(session, viewer(exchange));
        return named && *named == ask->session ? ask : nullptr;
    }
    const Session* live = find_live(door.broker(), ask->session);
    return is_seen_from(directory_of(exchange), live) ? ask : nullptr;
}

void with_pending(Target target, std::string_view param,
                  UniqueFunction<void(Target, const AskPtr&)> found) {
    if (const AskPtr ask = target.find_pending(param)) return found(std::move(target), ask);
    LoopBroker& broker = target.door.broker();
    broker.catch_up([target = std::move(target), param, found = std::move(found)]() mutable {
        if (const AskPtr ask = target.find_pending(param)) return found(std::move(target), ask);
        tell_missing(std::move(target));
    });
}

void tell_missing(Target target) {
    if (target.door.options().is_legacy) return reply_done(target.exchange, target.generation);
    const bool is_older_route = target.exchange.param(kRequest).empty();
    const std::string text(target.exchange.param(is_older_route ? "permissionID" : kRequest));
    const auto id = parse_ask(text);
    if (!id) return reply_missing(target.exchange, target.missing, text);
    LoopBroker& broker = target.door.broker();
    const Viewer who = viewer(target.exchange);
    broker.find_ask(
        *id, who, [target = std::move(target), text](const Result<AskPtr>& found) mutable {
            // While the store is away nobody knows whether there is such an ask.
            const bool is_unknown = !found && found.error().code != ErrorCode::not_found;
            if (is_unknown) return target.reply_error(found.error());
            reply_missing(target.exchange, target.missing, text, found ? found->get() : nullptr);
        });
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
