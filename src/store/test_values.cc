// SPDX-License-Identifier: Apache-2.0
#include "store/test_values.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "core/record.h"

namespace parley {

// splitmix64: good enough to vary tests, and the same everywhere.
std::uint64_t TestValues::next_random(std::uint64_t& state) {
    std::uint64_t mixed = (state += 0x9e3779b97f4a7c15U);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

TestValues::TestValues(std::uint64_t seed, Instant start)
    : state_(seed), now_(start), ids_([state = seed]() mutable { return next_random(state); }) {}

SessionPtr TestValues::session(std::optional<std::string> name) {
    auto session = std::make_shared<Session>();
    session->id = session_id();
    session->name = std::move(name);
    session->agent = "scripted";
    session->created_at = now_;
    return session;
}

AskPtr TestValues::ask(SessionId session, AskNames names, std::string text) {
    auto spec = std::make_shared<AskSpec>();
    spec->questions = {{.text = std::move(text),
                        .header = "DB",
                        .options = {{"PostgreSQL", "the one you have"}, {"SQLite", "a file"}}}};
    spec->key = std::move(names.key);
    if (names.call_id) spec->tool = ToolCall{"msg-1", std::move(*names.call_id)};
    spec->asker = std::move(names.asker);
    auto ask = std::make_shared<Ask>();
    ask->id = ask_id();
    ask->session = session;
    ask->spec = std::move(spec);
    ask->created_at = now_;
    if (random() % 2 == 0) ask->deadline = now_ + Millis(60'000);
    return ask;
}

TestValues::SettlementPtr TestValues::settlement(Outcome outcome, std::string principal) {
    auto settlement = std::make_shared<Settlement>();
    settlement->outcome = outcome;
    if (outcome == Outcome::answered) {
        settlement->answers = {{.selected = {"SQLite"}, .note = fmt::format("{:x}", random())}};
    } else {
        settlement->note = fmt::format("{:x}", random());
    }
    settlement->decider = {.kind = Decider::Kind::person, .principal = std::move(principal)};
    settlement->door = "native";
    settlement->at = tick();
    return settlement;
}

EndSession TestValues::end(SessionId session, std::optional<std::string> reason) {
    return {session, tick(), std::move(reason), settlement(Outcome::withdrawn, "agent")};
}

AddMessage TestValues::message(SessionId session, std::string text) {
    const Decider by = {.kind = Decider::Kind::person, .principal = "ada"};
    return {session, tick(), {ids_.next<MessageKind>(now_), std::move(text), by}};
}

AddPart TestValues::part(SessionId session, std::string body) {
    const Part part = {.part_id = "p1", .body = std::move(body)};
    return {session, tick(), std::make_shared<const Part>(part)};
}

GiveNotice TestValues::notice(SessionId session, std::string text) {
    return {session, tick(), {std::move(text), NoticeGiven::Level::warning}};
}

PutDraft TestValues::draft(AskId ask, std::string text, std::string principal) {
    const Answers answers = {{.other = std::move(text)}};
    return {ask, tick(), std::move(principal), {.answers = answers, .device = "laptop"}};
}

TokenPtr TestValues::token(std::string name, std::string hash) {
    return std::make_shared<const Token>(
        Token{.name = std::move(name), .hash = std::move(hash), .created_at = tick()});
}

std::string describe(const AskPtr& ask) {
    if (!ask) return "no ask";
    const auto deadline = ask->deadline ? ask->deadline->time_since_epoch().count() : -1;
    return fmt::format("{} of {} at {} until {}: {} -> {}", ask->id.str(), ask->session.str(),
                       ask->created_at.time_since_epoch().count(), deadline, to_record(*ask->spec),
                       ask->settlement ? to_record(*ask->settlement) : "pending");
}

std::string describe(const SessionPtr& session) {
    return session ? to_record(*session) : "no session";
}

std::string describe(const TokenPtr& token) {
    if (!token) return "revoked";
    const auto count = [](const std::optional<Instant>& at) {
        return at ? at->time_since_epoch().count() : -1;
    };
    return fmt::format("{} {} {} {} {} {} {} {} {} {}", token->name, to_string(token->role),
                       token->hash, count(token->created_at), count(token->expires_at),
                       token->principal, token->person, token->device, count(token->used_at),
                       token->session ? token->session->str() : "");
}

std::string describe(const MarkPtr& mark) {
    if (!mark) return "dropped";
    return fmt::format("{} {} {} {}", mark->key, mark->value, mark->at.time_since_epoch().count(),
                       mark->expires_at ? mark->expires_at->time_since_epoch().count() : -1);
}

std::string describe(const Event& event, Detail detail) {
    struct Describer {
        Detail detail;

        std::string operator()(const AskOpened& body) { return "opened " + describe(body.ask); }
        std::string operator()(const AskSettled& body) { return "settled " + describe(body.ask); }
        std::string operator()(const ContentDeleted& body) {
            return fmt::format("content deleted {} {}", body.ask.str(), body.asker);
        }
        std::string operator()(const DraftChanged& body) {
            const bool is_shown = detail == Detail::as_then;
            return fmt::format("draft {} {} {}", body.ask.str(), body.principal,
                               is_shown ? to_record(*body.draft) : "…");
        }
        std::string operator()(const SnoozeChanged& body) {
            return fmt::format("snooze {} {}", body.ask.str(), to_record(body));
        }
        std::string operator()(const SessionCreated& body) {
            return "created " + describe(body.session);
        }
        std::string operator()(const SessionChanged& body) {
            return "changed " + describe(body.session);
        }
        std::string operator()(const SessionEnded& body) {
            return fmt::format("ended {} because {}", describe(body.session),
                               body.reason.value_or("(no reason)"));
        }
        std::string operator()(const PartAdded& body) { return "part " + to_record(*body.part); }
        std::string operator()(const MessageAdded& body) { return "message " + to_record(body); }
        std::string operator()(const MessagesTaken& body) { return "taken " + body.up_to.str(); }
        std::string operator()(const NoticeGiven& body) { return "notice " + to_record(body); }
        std::string operator()(const AgentRevoked& body) { return "revoked " + body.principal; }
        std::string operator()(const TokenChanged& body) {
            const bool is_shown = detail == Detail::as_then;
            return fmt::format("token {} {}", body.name, is_shown ? describe(body.token) : "…");
        }
        std::string operator()(const MarkChanged& body) {
            const bool is_shown = detail == Detail::as_then;
            return fmt::format("mark {} {}", body.key, is_shown ? describe(body.mark) : "…");
        }
    };
    return fmt::format("{} at {} in {}: {}", event.cursor.value,
                       event.at.time_since_epoch().count(), event.session.str(),
                       std::visit(Describer{detail}, event.body));
}

std::string describe(const std::vector<EventPtr>& events, Detail detail) {
    std::string text;
    for (const EventPtr& event : events) text += describe(*event, detail) + '\n';
    return text;
}

std::string describe(const Snapshot& snapshot) {
    std::string text =
        fmt::format("head {} oldest {} top {} {} {}\n", snapshot.head.value, snapshot.oldest.value,
                    snapshot.top_ask.str(), snapshot.top_session.str(), snapshot.top_message.str());
    for (const AskPtr& ask : snapshot.pending) text += describe(ask) + '\n';
    for (const SessionPtr& session : snapshot.sessions) text += describe(session) + '\n';
    for (const KeptDraft& draft : snapshot.drafts) {
        text += fmt::format("draft {} {} {}\n", draft.ask.str(), draft.principal,
                            to_record(*draft.draft));
    }
    for (const Snooze& snooze : snapshot.snoozes) {
        text += fmt::format("snooze {} {} {}\n", snooze.ask.str(), snooze.principal,
                            snooze.until.time_since_epoch().count());
    }
    for (const QueuedMessage& queued : snapshot.messages) {
        text += fmt::format("message {} {} {}\n", queued.session.str(),
                            queued.at.time_since_epoch().count(), to_record(queued.message));
    }
    for (const TokenPtr& token : snapshot.tokens) text += "token " + describe(token) + '\n';
    for (const MarkPtr& mark : snapshot.marks) text += "mark " + describe(mark) + '\n';
    return text;
}

std::string describe(const std::vector<ChangeOutcome>& outcomes) {
    std::string text;
    for (const ChangeOutcome& outcome : outcomes)
        text += fmt::format("{} {} {} {}\n", to_string(outcome.verdict), describe(outcome.ask),
                            describe(outcome.session),
                            outcome.draft ? to_record(*outcome.draft) : "no draft");
    return text;
}

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::applied: return "applied";
        case Verdict::existing: return "existing";
        case Verdict::conflict: return "conflict";
        case Verdict::missing: return "missing";
        case Verdict::refused: return "refused";
    }
    return "?";
}

std::string describe_lists(const std::vector<SessionPtr>& sessions,
                           const std::function<AskPage(const AskQuery&)>& list) {
    std::string text;
    const auto add = [&](const AskQuery& query) {
        text +=
            fmt::format("order {}, state {}, session {}, asker {}\n", static_cast<int>(query.order),
                        query.state ? static_cast<int>(*query.state) : -1,
                        query.session ? query.session->str() : "any", query.asker.value_or("any"));
        for (const AskPtr& ask : list(query).asks) text += describe(ask) + "\n";
    };
    for (const auto order :
         {ListOrder::oldest_first, ListOrder::newest_first, ListOrder::last_settled_first}) {
        add({.asker = "ada", .order = order});
        for (int state = -1; state <= static_cast<int>(AskState::withdrawn); ++state) {
            AskQuery query{.order = order};
            if (state >= 0) query.state = static_cast<AskState>(state);
            add(query);
            // What is settled is looked through alike for every session.
            if (order == ListOrder::last_settled_first) continue;
            for (const SessionPtr& session : sessions) {
                query.session = session->id;
                add(query);
            }
        }
    }
    return text;
}

}  // namespace parley
