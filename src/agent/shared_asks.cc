// SPDX-License-Identifier: Apache-2.0
#include "agent/shared_asks.h"

#include <fmt/format.h>

#include <utility>

#include "agent/limits.h"
#include "client/away.h"
#include "core/display.h"
#include "core/settle.h"
#include "text/width.h"

namespace parley {

namespace {

// The wish's key in that of an ask, "PREFIX:KEY" or "PREFIX-2:KEY"; empty: it is another's.
std::string_view wish_key_in(std::string_view key, std::string_view prefix) {
    if (!key.starts_with(prefix)) return {};
    key.remove_prefix(prefix.size());
    const std::size_t mark = key.find(':');
    const bool is_ours = key.starts_with(':') || (key.starts_with('-') && mark < 6);
    return is_ours ? key.substr(mark + 1) : std::string_view();
}

}  // namespace

SharedAsks::SharedAsks(Wiring wiring, Rules rules, Listener& listener)
    : wiring_(wiring),
      link_(wiring.link),
      rules_(std::move(rules)),
      listener_(listener),
      withdrawals_(wiring.home, wiring.clock, wiring.link) {}

SharedAsks::~SharedAsks() {
    for (const auto& [key, open] : open_) open->wait.cancel();
}

SharedAsks::OpenPtr SharedAsks::find(std::string_view key) const {
    const auto found = open_.find(key);
    return found == open_.end() ? nullptr : found->second;
}

std::vector<SharedAsks::OpenPtr> SharedAsks::select(
    const std::function<bool(const Open&)>& which) const {
    std::vector<OpenPtr> found;
    for (const auto& [key, open] : open_)
        if (which(*open)) found.push_back(open);
    return found;
}

void SharedAsks::adopt(Task done) {
    read_pending(std::nullopt, std::move(done));
}

void SharedAsks::read_pending(std::optional<AskId> after, Task done) {
    link_.list_asks(
        {.state = AskState::pending, .after = after},
        alive_.guard([this, done = std::move(done)](const Result<AskPage>& page) mutable {
            if (!page && is_away(page.error()))
                return try_later([this, done = std::move(done)]() mutable {
                    read_pending(std::nullopt, std::move(done));
                });
            if (!page) {
                listener_.trouble(page.error().message);
                return done();
            }
            for (const AskPtr& ask : page->asks) adopt_one(ask);
            if (page->has_more) return read_pending(page->last, std::move(done));
            done();
        }));
}

void SharedAsks::adopt_one(const AskPtr& ask) {
    if (!ask->spec->key) return;
    const std::string key(wish_key_in(*ask->spec->key, rules_.key_prefix));
    if (key.empty() || open_.contains(key)) return;
    auto open = std::make_shared<Open>();
    open->wish.key = key;
    open->wish.place = key.substr(0, key.find(':'));
    open->ask = ask;
    open_[key] = open;
    wait_for(open);
}

void SharedAsks::take(Wish wish) {
    const OpenPtr known = find(wish.key);
    const OpenPtr open = known ? known : std::make_shared<Open>();
    open->wish = std::move(wish);
    open->is_seen = true;
    if (known) return give_again(open->wish.key);
    open_[open->wish.key] = open;
    if (open_.size() > rules_.asks_max)
        return refuse(open,
                      fmt::format("too many questions of {} are open at once", rules_.called));
    begin(open);
}

void SharedAsks::begin(const OpenPtr& open) {
    AskSpec spec = open->wish.spec;
    const int number = ++open->tries;
    spec.key = number == 1 ? fmt::format("{}:{}", rules_.key_prefix, open->wish.key)
                           : fmt::format("{}-{}:{}", rules_.key_prefix, number, open->wish.key);
    spec.timeout = rules_.timeout;
    open->asked = {.spec = std::move(spec), .session = open->wish.session.name.value_or("")};
    send(open);
}

void SharedAsks::send(const OpenPtr& open) {
    link_.open_session(
        open->wish.session, alive_.guard([this, open](const Result<SessionPtr>& session) {
            if (!session) return not_opened(open, session.error());
            link_.ask(open->asked, alive_.guard([this, open](const Result<OpenedAsk>& result) {
                opened(open, result);
            }));
        }));
}

// A broker that is away is waited for: nobody can answer in its place.
void SharedAsks::not_opened(const OpenPtr& open, const Error& error) {
    if (is_away(error))
        return try_later([this, open] {
            if (open->withdrawing) return look_for(open, std::nullopt);
            send(open);
        });
    if (open->withdrawing) return give_up(open);
    refuse(open, error.message);
}

void SharedAsks::opened(const OpenPtr& open, const Result<OpenedAsk>& opened) {
    if (!opened) return not_opened(open, opened.error());
    is_away_told_ = false;
    open->ask = opened->ask;
    if (open->withdrawing) return withdraw(open);
    if (open->ask->is_pending()) {
        wait_for(open);
        return listener_.asked(open->asked);
    }
    // Taken back by one of us, when the agent seemed to be gone; it asks again.
    const Settlement& settlement = *open->ask->settlement;
    const bool was_ours =
        settlement.outcome == Outcome::withdrawn && settlement.decider.kind == Decider::Kind::agent;
    if (was_ours && open->tries < limits::kSharedTriesMax) return begin(open);
    settled(open, open->ask);
}

void SharedAsks::wait_for(const OpenPtr& open) {
    open->wait =
        link_.wait(open->ask->id,
                   alive_.guard([this, open](const Result<AskPtr>& ask) { settled(open, ask); }));
}

void SharedAsks::settled(const OpenPtr& open, const Result<AskPtr>& ask) {
    if (open->withdrawing) return;
    if (!ask) return refuse(open, ask.error().message);
    open->settled = *ask;
    if (open->is_seen) listener_.settled(std::string(open->wish.key), **ask);
}

void SharedAsks::give_again(std::string_view key) {
    const OpenPtr open = find(key);
    if (open && open->settled && open->is_seen && !open->withdrawing)
        listener_.settled(std::string(key), *AskPtr(open->settled));
}

void SharedAsks::ask_again(std::string_view key, AskSpec spec) {
    const OpenPtr open = find(key);
    if (!open) return;
    open->wish.spec = std::move(spec);
    open->settled.reset();
    open->ask.reset();
    begin(open);
}

void SharedAsks::taken(std::string_view key) {
    if (const OpenPtr open = find(key)) forget(open);
}

void SharedAsks::too_late(std::string_view key) {
    const OpenPtr open = find(key);
    if (!open) return;
    if (open->settled) tell_late(open->settled);
    forget(open);
}

void SharedAsks::closed_there(std::string_view key, std::string_view why) {
    if (const OpenPtr open = find(key)) end(open, why);
}

void SharedAsks::place_closed(std::string_view place, std::string_view why) {
    end_where(why, [&](const Open& entry) { return entry.wish.place == place; });
}

void SharedAsks::lost() {
    for (const auto& [key, open] : open_) open->is_seen = false;
}

void SharedAsks::see(std::string_view key) {
    if (const OpenPtr open = find(key)) open->is_seen = true;
}

void SharedAsks::drop_unseen(std::string_view why) {
    end_where(why, [](const Open& entry) { return !entry.is_seen; });
}

void SharedAsks::drop_unseen_of(std::string_view place, std::string_view why) {
    end_where(why, [&](const Open& entry) { return !entry.is_seen && entry.wish.place == place; });
}

std::vector<std::string> SharedAsks::unseen_places() const {
    std::vector<std::string> places;
    for (const OpenPtr& open : select([](const Open& entry) { return !entry.is_seen; }))
        places.push_back(open->wish.place);
    return places;
}

void SharedAsks::end_where(std::string_view why, const std::function<bool(const Open&)>& which) {
    for (const OpenPtr& open : select(which)) end(open, why);
}

void SharedAsks::end(const OpenPtr& open, std::string_view why) {
    if (open->withdrawing) return;
    open->withdrawing = std::string(why);
    open->is_seen = false;
    if (open->settled) {
        tell_late(open->settled);
        return forget(open);
    }
    if (open->ask) withdraw(open);
}

void SharedAsks::withdraw(const OpenPtr& open) {
    open->wait.cancel();
    withdrawals_.add(open->ask->id, *open->withdrawing,
                     [this, open](const Result<SettleReply>& reply) { withdrawn(open, reply); });
}

void SharedAsks::withdrawn(const OpenPtr& open, const Result<SettleReply>& reply) {
    if (reply && !reply->is_yours) tell_late(reply->ask);
    taken_back(open);
}

// Whether it was opened before the broker went away, nobody knows.
void SharedAsks::look_for(const OpenPtr& open, std::optional<AskId> after) {
    link_.list_asks(
        {.state = AskState::pending, .after = after},
        alive_.guard([this, open](const Result<AskPage>& page) { looked(open, page); }));
}

void SharedAsks::looked(const OpenPtr& open, const Result<AskPage>& page) {
    if (!page && is_away(page.error()))
        return try_later([this, open] { look_for(open, std::nullopt); });
    if (!page) return give_up(open);
    for (const AskPtr& ask : page->asks) {
        if (ask->spec->key != open->asked.spec.key) continue;
        open->ask = ask;
        return withdraw(open);
    }
    if (page->has_more) return look_for(open, page->last);
    taken_back(open);
}

void SharedAsks::taken_back(const OpenPtr& open) {
    if (!open->is_seen) return forget(open);
    // It came again while it was taken back.
    open->withdrawing.reset();
    open->ask.reset();
    begin(open);
}

void SharedAsks::give_up(const OpenPtr& open) {
    listener_.trouble(
        fmt::format("a question of {} may stay open in Parley: the broker is away ({})",
                    rules_.called, ask_title(open->ask ? *open->ask->spec : open->asked.spec)));
    forget(open);
}

void SharedAsks::try_later(Task task) {
    if (!std::exchange(is_away_told_, true))
        listener_.trouble(
            fmt::format("the broker is away; what {} asks waits until it is back", rules_.called));
    wiring_.home.post_at(wiring_.clock.mono() + limits::kSharedRetry,
                         alive_.guard(std::move(task)));
}

// Somebody took the trouble to answer, and nothing came of it.
void SharedAsks::tell_late(const AskPtr& ask) {
    if (ask->state() != AskState::answered) return;
    if (!rules_.tells_late) return listener_.late(ask);
    std::string text = fmt::format("{} did not get this answer, it was settled there before: {}",
                                   rules_.called, ask_title(*ask->spec));
    for (const std::string& line : summary_lines(*ask)) text += fmt::format("\n{}", line);
    link_.give_notice(ask->session.str(),
                      {.text = cut_to_clusters(text, limits::kLastWordsChars),
                       .level = NoticeGiven::Level::warning},
                      [](const Result<void>&) {});
}

void SharedAsks::withdraw_all(std::string_view why, Task done) {
    all_withdrawn_ = std::move(done);
    wiring_.home.post_at(wiring_.clock.mono() + limits::kSharedStopPatience, alive_.guard([this] {
        for (const OpenPtr& open : select([](const Open&) { return true; })) give_up(open);
    }));
    end_where(why, [](const Open&) { return true; });
    tell_if_all_withdrawn();
}

void SharedAsks::tell_if_all_withdrawn() {
    if (!open_.empty()) return;
    if (auto done = std::exchange(all_withdrawn_, std::nullopt)) (*done)();
}

void SharedAsks::refuse(const OpenPtr& open, const std::string& why) {
    if (!open->withdrawing) listener_.refused(open->wish.key, why);
    forget(open);
}

void SharedAsks::forget(const OpenPtr& open) {
    open->wait.cancel();
    const auto found = open_.find(open->wish.key);
    if (found == open_.end() || found->second != open) return;
    open_.erase(found);
    listener_.closed(open->wish.key);
    tell_if_all_withdrawn();
}

}  // namespace parley
