// SPDX-License-Identifier: Apache-2.0
#include "clients.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/profile.h"
#include "core/viewer.h"

namespace parley::sim {

namespace {

using namespace std::chrono_literals;

Answers whole_answer(const Ask& ask, int number) {
    Answers answers;
    for (std::size_t i = 0; i < ask.spec->questions.size(); ++i)
        answers.push_back({.other = fmt::format("text {}", number)});
    return answers;
}

}  // namespace

Agent::Agent(World& world, int number)
    : world_(world),
      name_(fmt::format("agent-{}", number)),
      connection_(world, unrestricted_actor((world.revokes ? "prn_" : "") + name_, "sim")),
      // Two agents share a session name, so that session openings race too.
      session_(fmt::format("session-{}", number / 2)) {}

AskSpec Agent::make_spec() {
    Random& random = world_.random;
    AskSpec spec;
    const std::size_t questions = 1 + random.below(2);
    for (std::size_t i = 0; i < questions; ++i) {
        spec.questions.push_back({.text = fmt::format("Question {} of ask {} by {}?", i, asked_,
                                                      connection_.actor().principal),
                                  .header = "Sim",
                                  .options = {{"Yes", ""}, {"No", ""}}});
    }
    ++asked_;
    if (random.chance(70)) spec.key = fmt::format("{}-{}", connection_.actor().principal, asked_);
    if (random.chance(40)) spec.timeout = Millis(1 + random.below(20'000));
    if (spec.timeout && random.chance(30)) {
        spec.default_answers = Answers(questions, Answer{.selected = {"Yes"}});
    }
    spec.dismissible = random.chance(80);
    return spec;
}

void Agent::act() {
    if (!world_.is_reachable()) return;
    if (!is_asking_ && !waiting_for_) {
        if (!may_ask()) return;
        if (!asking_) asking_ = make_spec();
        ask();
    } else if (waiting_for_ && !is_waiting_) {
        wait();
    } else if (waiting_for_ && world_.random.chance(10)) {
        // The client goes away; it comes back and waits again by id.
        wait_.cancel();
        is_waiting_ = false;
    } else if (waiting_for_ && world_.random.chance(8)) {
        withdraw();
    } else if (world_.random.chance(3)) {
        stop_session();
    }
}

// A door lets nobody in before it has a token. What was let in may come after it lost that.
bool Agent::may_ask() {
    if (!had_token_) had_token_ = world_.process->broker().tokens().contains(name_);
    return had_token_ || !world_.revokes;
}

void Agent::ask() {
    is_asking_ = true;
    connection_.link().ask({*asking_, session_}, [this](Result<OpenedAsk> opened) {
        is_asking_ = false;
        if (!opened) {
            // Unknown or refused: with a key the same ask is tried again, without one the
            // agent lets it be.
            if (!asking_->key) asking_.reset();
            return;
        }
        world_.oracle.ask_acknowledged(*opened->ask);
        waiting_for_ = opened->ask->id;
        asking_.reset();
    });
}

void Agent::wait() {
    is_waiting_ = true;
    wait_ = connection_.link().wait(*waiting_for_, [this](Result<AskPtr> settled) {
        is_waiting_ = false;
        if (!settled) {
            if (settled.error().code == ErrorCode::not_found)
                throw Broken("an acknowledged ask is not known: " + waiting_for_->str());
            return;
        }
        if ((*settled)->id != *waiting_for_) throw Broken("a wait got another ask's settlement");
        world_.oracle.settlement_told(**settled);
        waiting_for_.reset();
    });
}

void Agent::withdraw() {
    world_.oracle.withdrawal_submitted(*waiting_for_);
    connection_.link().withdraw(*waiting_for_, "no longer needed",
                                [this](Result<SettleReply> reply) {
                                    if (reply) world_.oracle.settlement_told(*reply->ask);
                                });
}

void Agent::stop_session() {
    const auto* entry = world_.process->broker().ledger().find_session(std::string_view(session_));
    if (entry == nullptr) return;
    world_.oracle.session_stopped(entry->session->id);
    if (world_.random.chance(50)) {
        connection_.link().abort(session_, [](Result<SessionPtr>) {});
    } else {
        connection_.link().end_session(session_, "done", [](Result<SessionPtr>) {});
    }
}

void Agent::wait_if_owed() {
    if (waiting_for_ && !is_waiting_) wait();
}

void Agent::process_died() {
    wait_ = {};
    connection_.drop();
    is_waiting_ = false;
    is_asking_ = false;
    if (asking_ && !asking_->key) asking_.reset();
}

void Agent::check_delivered() const {
    if (!waiting_for_) return;
    const auto& durable = world_.oracle.durable_asks();
    const auto ask = durable.find(*waiting_for_);
    if (ask != durable.end() && ask->second->settlement)
        throw Broken("a settlement never reached its agent: " + waiting_for_->str());
}

Responder::Responder(World& world, int number)
    : world_(world),
      connection_(world, unrestricted_actor(fmt::format("person-{}", number), "sim")) {}

void Responder::act() {
    if (!world_.is_reachable()) return;
    const AskPtr ask = choose();
    if (ask == nullptr) return;
    switch (world_.random.below(9)) {
        case 8: snooze(ask); break;
        case 0: answer_wrongly(ask); break;
        case 1: dismiss(ask); break;
        case 2: draft(ask); break;
        case 3: check_draft(ask); break;
        default: answer(ask); break;
    }
}

// Mostly what is pending; now and then something settled, as a late client would.
AskPtr Responder::choose() {
    const auto& pending = world_.process->broker().ledger().pending();
    const auto& all = world_.oracle.durable_asks();
    if (!all.empty() && (pending.empty() || world_.random.chance(15))) {
        auto late = all.begin();
        std::advance(late, world_.random.below(all.size()));
        return late->second;
    }
    if (pending.empty()) return nullptr;
    // The oldest are preferred, so that responders race for the same ones.
    auto chosen = pending.begin();
    std::advance(chosen, world_.random.below(std::min<std::size_t>(pending.size(), 3)));
    return chosen->second;
}

void Responder::told(AskId id, const Result<SettleReply>& reply) {
    if (!reply) return;
    if (reply->ask->id != id) throw Broken("a reply names another ask");
    world_.oracle.settlement_told(*reply->ask);
    const Decider& decider = reply->ask->settlement->decider;
    if (reply->is_yours && decider.principal != connection_.actor().principal)
        throw Broken("someone was told that another's settlement is theirs: " + id.str());
}

void Responder::answer(const AskPtr& ask) {
    const Answers answers = whole_answer(*ask, ++said_);
    world_.oracle.submitted(ask->id, connection_.actor().principal, answers);
    connection_.link().answer(ask->id, answers, {},
                              [this, id = ask->id](Result<SettleReply> reply) { told(id, reply); });
}

void Responder::answer_wrongly(const AskPtr& ask) {
    // One answer too many is never valid.
    Answers answers = whole_answer(*ask, ++said_);
    answers.push_back({.other = "surplus"});
    connection_.link().answer(ask->id, answers, {},
                              [this, id = ask->id](Result<SettleReply> reply) {
                                  if (reply && reply->is_yours)
                                      throw Broken("an invalid answer was taken: " + id.str());
                                  told(id, reply);
                              });
}

void Responder::dismiss(const AskPtr& ask) {
    world_.oracle.dismissal_submitted(ask->id, connection_.actor().principal);
    connection_.link().dismiss(
        ask->id, {}, [this, id = ask->id](Result<SettleReply> reply) { told(id, reply); });
}

void Responder::draft(const AskPtr& ask) {
    Answers answers = {{.other = fmt::format("draft {}", ++said_)}};
    Draft draft{.answers = answers, .device = "desk", .version = drafts_seen_[ask->id]};
    connection_.link().put_draft(
        ask->id, std::move(draft), [this, id = ask->id, answers](Result<DraftReply> reply) {
            if (!reply) return;
            auto& seen = drafts_seen_[id];
            if (reply->draft->version < seen) throw Broken("a draft's version went back");
            seen = reply->draft->version;
            if (reply->is_kept)
                world_.oracle.draft_acknowledged(id, connection_.actor().principal, answers);
        });
}

// What a person typed is there as long as the ask is.
void Responder::check_draft(const AskPtr& ask) {
    const std::string& principal = connection_.actor().principal;
    if (!world_.oracle.has_draft_promise(ask->id, principal) || !world_.is_current()) return;
    connection_.link().find_draft(ask->id, [this, id = ask->id](Result<DraftPtr> draft) {
        const bool is_pending = world_.process->broker().ledger().find_pending(id) != nullptr;
        if (draft && *draft == nullptr && is_pending)
            throw Broken("an acknowledged draft was lost: " + id.str());
    });
}

void Responder::snooze(const AskPtr& ask) {
    const Millis period(world_.random.chance(30) ? 0 : 1 + world_.random.below(60'000));
    connection_.link().snooze(ask->id, period, [](const Result<void>&) {});
}

void Owner::act() {
    if (!world_.is_reachable() || at_work_on_) return;
    check();
    if (world_.revokes && world_.random.chance(70)) return act_on_agent();
    const std::string name = fmt::format("token-{}", world_.random.below(3));
    switch (world_.random.below(4)) {
        case 0: return drop(name);
        case 1: return world_.process->broker().touch_token(name, world_.clock.wall());
        default: return put(name, world_.random.chance(50));
    }
}

void Owner::act_on_agent() {
    const std::string name = fmt::format("agent-{}", world_.random.below(kAgents));
    if (revoked_.contains(name)) return;
    if (!world_.process->broker().tokens().contains(name)) return put(name, false);
    if (!world_.random.chance(30)) return;
    revoked_.insert(name);
    drop(name);
}

void Owner::put(const std::string& name, bool replaces) {
    Token token{.name = name,
                .role = Role::agent,
                .hash = fmt::format("hash-{}", ++made_),
                .created_at = world_.clock.wall(),
                .principal = "prn_" + name};
    at_work_on_ = name;
    auto done = [this, name, hash = token.hash](const Result<void>& stored) {
        at_work_on_.reset();
        if (stored) {
            promised_[name] = {hash};
        } else if (stored.error().code != ErrorCode::conflict) {
            promised_.erase(name);
        }
    };
    LoopBroker& broker = world_.process->broker();
    if (replaces) return broker.replace_token(std::move(token), std::move(done));
    broker.put_token(std::move(token), std::move(done));
}

void Owner::drop(const std::string& name) {
    at_work_on_ = name;
    world_.process->broker().drop_token(name, [this, name](const Result<void>& dropped) {
        at_work_on_.reset();
        const bool is_gone = dropped || dropped.error().code == ErrorCode::not_found;
        if (is_gone) {
            promised_[name] = {};
        } else {
            promised_.erase(name);
        }
    });
}

void Owner::process_died() {
    if (at_work_on_) promised_.erase(*at_work_on_);
    at_work_on_.reset();
}

void Owner::check() const {
    if (!world_.is_current()) return;
    const auto& tokens = world_.process->broker().tokens();
    for (const auto& [name, promise] : promised_) {
        if (name == at_work_on_) continue;
        const auto known = tokens.find(name);
        const auto hash = known == tokens.end() ? std::nullopt : std::optional(known->second->hash);
        if (hash == promise.hash) continue;
        throw Broken(promise.hash ? "an acknowledged token is not known: " + name
                                  : "a revoked token counts again: " + name);
    }
}

Watcher::Watcher(World& world, int number)
    : world_(world),
      connection_(world, unrestricted_actor(fmt::format("person-{}", number), "sim")) {}

void Watcher::act() {
    if (!world_.is_reachable()) return;
    if (following_ == nullptr) {
        connect();
    } else if (world_.random.chance(15)) {
        following_.reset();
        // Some clients forget their cursor and start over.
        if (is_in_snapshot_ || world_.random.chance(20)) seen_.reset();
    } else if (world_.random.chance(50)) {
        following_->pause();
    } else {
        following_->resume();
    }
}

void Watcher::connect() {
    if (!seen_) {
        prompts_.clear();
        snoozed_until_.clear();
        is_in_snapshot_ = true;
    }
    following_ = connection_.link().follow({.after = seen_}, *this);
}

void Watcher::on_frames(std::span<const Frame> frames) {
    for (const Frame& frame : frames) see(frame);
}

void Watcher::see(const Frame& frame) {
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        see_event(**event);
    } else if (const auto* ask = std::get_if<SnapshotAsk>(&frame)) {
        if (!is_in_snapshot_) throw Broken("a snapshot frame outside a snapshot");
        if (!prompts_.insert(ask->ask->id).second) throw Broken("an ask twice in one snapshot");
        if (ask->snoozed_until) snoozed_until_[ask->ask->id] = *ask->snoozed_until;
    } else if (const auto* end = std::get_if<SnapshotEnd>(&frame)) {
        is_in_snapshot_ = false;
        seen_ = end->cursor;
    } else if (std::holds_alternative<Reset>(frame)) {
        prompts_.clear();
        snoozed_until_.clear();
        seen_.reset();
        is_in_snapshot_ = true;
    }
}

void Watcher::see_event(const Event& event) {
    if (is_in_snapshot_ || !seen_) throw Broken("an event inside a snapshot");
    if (event.cursor <= *seen_) throw Broken("an event came twice or out of order");
    check_nothing_skipped(*seen_, event.cursor);
    seen_ = event.cursor;
    if (!may_see(connection_.actor().viewer(), event, false))
        throw Broken("a watcher was told what is not for it");
    if (const auto* opened = std::get_if<AskOpened>(&event.body)) {
        prompts_.insert(opened->ask->id);
    } else if (const auto* settled = std::get_if<AskSettled>(&event.body)) {
        world_.oracle.settlement_told(*settled->ask);
        prompts_.erase(settled->ask->id);
        snoozed_until_.erase(settled->ask->id);
    } else if (const auto* snooze = std::get_if<SnoozeChanged>(&event.body)) {
        snoozed_until_.erase(snooze->ask);
        if (snooze->until) snoozed_until_.emplace(snooze->ask, *snooze->until);
    }
}

// Only what is other people's, or the broker's own, may lie between two events that a watcher of
// everything gets.
void Watcher::check_nothing_skipped(Cursor from, Cursor to) const {
    if (to.value == from.value + 1) return;
    for (const EventPtr& event : world_.oracle.durable_events()) {
        if (event->cursor <= from || event->cursor >= to) continue;
        if (may_see(connection_.actor().viewer(), *event, false))
            throw Broken(fmt::format("a watcher missed event {}", event->cursor.value));
    }
}

void Watcher::process_died() {
    following_.reset();
    connection_.drop();
    if (is_in_snapshot_) seen_.reset();
}

void Watcher::catch_up() {
    if (following_ == nullptr) connect();
    following_->resume();
}

void Watcher::check_caught_up() const {
    std::set<AskId> open;
    for (const auto& [id, ask] : world_.oracle.durable_asks())
        if (!ask->settlement) open.insert(id);
    if (open != prompts_) throw Broken("a watcher holds a dead prompt or lacks a live one");
    const std::string& principal = connection_.actor().principal;
    if (snoozed_until_ != world_.oracle.durable_snoozes(principal))
        throw Broken("a watcher's snoozes are not those that are durable");
}

}  // namespace parley::sim
