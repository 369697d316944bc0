// SPDX-License-Identifier: Apache-2.0
#include "agent/codex/codex_asks.h"

#include <fmt/format.h>

#include <utility>

#include "agent/limits.h"
#include "core/display.h"
#include "core/settle.h"

namespace parley {

namespace {

constexpr std::string_view kAnsweredThere = "answered or closed in Codex itself";
constexpr std::string_view kTurnStopped = "its turn was stopped in Codex";
constexpr std::string_view kTurnEnded = "its turn ended in Codex";

// The wish's key in that of an ask, "PREFIX:KEY" or "PREFIX-2:KEY"; empty: it is another's.
std::string_view wish_key_in(std::string_view key, std::string_view prefix) {
    if (!key.starts_with(prefix)) return {};
    key.remove_prefix(prefix.size());
    const std::size_t mark = key.find(':');
    const bool is_ours = key.starts_with(':') || (key.starts_with('-') && mark < 6);
    return is_ours ? key.substr(mark + 1) : std::string_view();
}

}  // namespace

CodexAsks::CodexAsks(Wiring wiring, Rules rules, Listener& listener)
    : wiring_(wiring), link_(wiring.link), rules_(std::move(rules)), listener_(listener) {}

CodexAsks::~CodexAsks() {
    for (const auto& [key, open] : open_) open->wait.cancel();
}

template <class Which>
std::vector<CodexAsks::OpenPtr> CodexAsks::select(Which which) const {
    std::vector<OpenPtr> found;
    for (const auto& [key, open] : open_)
        if (which(*open)) found.push_back(open);
    return found;
}

void CodexAsks::adopt(Task done) {
    read_pending(std::nullopt, std::move(done));
}

void CodexAsks::read_pending(std::optional<AskId> after, Task done) {
    link_.list_asks(
        {.state = AskState::pending, .after = after},
        alive_.guard([this, done = std::move(done)](const Result<AskPage>& page) mutable {
            if (!page) {
                listener_.trouble(page.error().message);
                return done();
            }
            for (const AskPtr& ask : page->asks) adopt_one(ask);
            if (page->has_more) return read_pending(page->last, std::move(done));
            done();
        }));
}

void CodexAsks::adopt_one(const AskPtr& ask) {
    if (!ask->spec->key) return;
    const std::string_view key = wish_key_in(*ask->spec->key, rules_.key_prefix);
    if (key.empty() || open_.contains(key)) return;
    auto open = std::make_shared<Open>(Open{.key = std::string(key)});
    open->wish.thread = codex::thread_of_key(key);
    open->ask = ask;
    open_[open->key] = open;
    wait_for(open);
}

void CodexAsks::take(codex::Wish wish, SessionRequest session, codex::Surroundings surroundings) {
    const std::string key = codex::wish_key(wish);
    const auto found = open_.find(key);
    const bool is_known = found != open_.end();
    const OpenPtr open = is_known ? found->second : std::make_shared<Open>(Open{.key = key});
    open->wish = std::move(wish);
    open->session = std::move(session);
    open->surroundings = std::move(surroundings);
    open->is_seen = true;
    if (is_known) {
        if (open->settled && !open->withdrawing) give(open);
        return;
    }
    if (open_.size() >= limits::kCodexAsksMax)
        return refuse(open, "too many questions of Codex are open at once");
    open_[key] = open;
    begin(open);
}

void CodexAsks::begin(const OpenPtr& open) {
    auto spec = codex::make_spec(open->wish, open->surroundings);
    if (!spec) return refuse(open, spec.error().message);
    const int number = ++open->tries;
    spec->key = number == 1 ? fmt::format("{}:{}", rules_.key_prefix, open->key)
                            : fmt::format("{}-{}:{}", rules_.key_prefix, number, open->key);
    spec->timeout = rules_.timeout;
    open->asked = {.spec = std::move(*spec), .session = open->session.name.value_or("")};
    link_.open_session(open->session, alive_.guard([this, open](const Result<SessionPtr>& session) {
        if (!session) return refuse(open, session.error().message);
        link_.ask(open->asked, alive_.guard([this, open](const Result<OpenedAsk>& result) {
            opened(open, result);
        }));
    }));
}

void CodexAsks::opened(const OpenPtr& open, const Result<OpenedAsk>& opened) {
    if (!opened) return refuse(open, opened.error().message);
    open->ask = opened->ask;
    if (open->withdrawing) return withdraw(open);
    if (open->ask->is_pending()) {
        wait_for(open);
        return listener_.asked(open->asked);
    }
    // Taken back by one of us, when Codex seemed to be gone; it asks again.
    const Settlement& settlement = *open->ask->settlement;
    const bool was_ours =
        settlement.outcome == Outcome::withdrawn && settlement.decider.kind == Decider::Kind::agent;
    if (was_ours && open->tries < limits::kCodexTriesMax) return begin(open);
    settled(open, open->ask);
}

void CodexAsks::wait_for(const OpenPtr& open) {
    open->wait =
        link_.wait(open->ask->id, [this, open](const Result<AskPtr>& ask) { settled(open, ask); });
}

void CodexAsks::settled(const OpenPtr& open, const Result<AskPtr>& ask) {
    if (open->withdrawing) return;
    if (!ask) return refuse(open, ask.error().message);
    open->settled = *ask;
    if (open->is_seen) give(open);
}

void CodexAsks::give(const OpenPtr& open) {
    const Ask& ask = *open->settled;
    if (withdrawal_rule(*ask.settlement) == WithdrawalRule::turn_stopped) {
        listener_.stop_turn(open->wish);
        return forget(open);
    }
    // Nothing was decided here; it still can be there.
    if (ask.state() == AskState::withdrawn && rules_.company != Company::nobody)
        return forget(open);
    auto verdict = codex::read_verdict(open->wish, ask);
    if (!verdict) {
        open->surroundings.complaint = verdict.error().message;
        open->settled.reset();
        return begin(open);
    }
    listener_.reply(open->wish, std::move(verdict->result));
    if (!verdict->words.empty()) listener_.say(open->wish, std::move(verdict->words));
    forget(open);
}

void CodexAsks::resolved(std::string_view thread, std::string_view request_id) {
    for (const OpenPtr& open : select([&](const Open& entry) {
             return entry.is_seen && entry.wish.thread == thread && entry.wish.id == request_id;
         }))
        end(open, kAnsweredThere);
}

void CodexAsks::turn_ended(std::string_view thread, bool was_stopped) {
    for (const OpenPtr& open :
         select([&](const Open& entry) { return entry.wish.thread == thread; }))
        end(open, was_stopped ? kTurnStopped : kTurnEnded);
}

void CodexAsks::lost() {
    for (const auto& [key, open] : open_) open->is_seen = false;
}

void CodexAsks::missing(std::string_view thread, std::string_view why) {
    for (const OpenPtr& open :
         select([&](const Open& entry) { return !entry.is_seen && entry.wish.thread == thread; }))
        end(open, why);
}

void CodexAsks::all_missing(std::string_view why) {
    for (const OpenPtr& open : select([](const Open& entry) { return !entry.is_seen; }))
        end(open, why);
}

std::vector<std::string> CodexAsks::unseen_threads() const {
    std::vector<std::string> threads;
    for (const OpenPtr& open : select([](const Open& entry) { return !entry.is_seen; }))
        threads.push_back(open->wish.thread);
    return threads;
}

void CodexAsks::end(const OpenPtr& open, std::string_view why) {
    if (open->withdrawing) return;
    open->withdrawing = std::string(why);
    open->is_seen = false;
    if (open->settled) {
        tell_late(*open->settled);
        return forget(open);
    }
    if (open->ask) withdraw(open);
}

void CodexAsks::withdraw(const OpenPtr& open) {
    open->wait.cancel();
    link_.withdraw(
        open->ask->id, open->withdrawing,
        alive_.guard([this, open](const Result<SettleReply>& reply) { withdrawn(open, reply); }));
}

void CodexAsks::withdrawn(const OpenPtr& open, const Result<SettleReply>& reply) {
    const bool is_away = !reply && reply.error().code == ErrorCode::unavailable;
    if (is_away && !all_withdrawn_) {
        wiring_.home.post_at(wiring_.clock.mono() + limits::kCodexPoll,
                             alive_.guard([this, open] { withdraw(open); }));
        return;
    }
    if (reply && !reply->is_yours) tell_late(*reply->ask);
    if (!open->is_seen) return forget(open);
    // It came again while it was taken back.
    open->withdrawing.reset();
    open->ask.reset();
    begin(open);
}

// Somebody took the trouble to answer, and nothing came of it.
void CodexAsks::tell_late(const Ask& ask) {
    if (ask.state() != AskState::answered) return;
    std::string text = fmt::format("Codex did not get this answer, it was settled there before: {}",
                                   ask_title(*ask.spec));
    for (const std::string& line : summary_lines(ask)) text += fmt::format("\n{}", line);
    link_.give_notice(ask.session.str(),
                      {.text = std::move(text), .level = NoticeGiven::Level::warning},
                      [](const Result<void>&) {});
}

void CodexAsks::withdraw_all(std::string_view why, Task done) {
    all_withdrawn_ = std::move(done);
    for (const OpenPtr& open : select([](const Open&) { return true; })) end(open, why);
    if (open_.empty() && all_withdrawn_) std::exchange(all_withdrawn_, std::nullopt).value()();
}

void CodexAsks::refuse(const OpenPtr& open, const std::string& why) {
    listener_.trouble(why);
    if (rules_.company == Company::nobody) {
        codex::Verdict verdict = codex::refusal(open->wish, why);
        listener_.reply(open->wish, std::move(verdict.result));
        if (!verdict.words.empty()) listener_.say(open->wish, std::move(verdict.words));
    }
    forget(open);
}

void CodexAsks::forget(const OpenPtr& open) {
    open->wait.cancel();
    const auto found = open_.find(open->key);
    if (found == open_.end() || found->second != open) return;
    open_.erase(found);
    listener_.closed();
    if (open_.empty() && all_withdrawn_) std::exchange(all_withdrawn_, std::nullopt).value()();
}

}  // namespace parley
