// SPDX-License-Identifier: Apache-2.0
#include "broker/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "broker/limits.h"
#include "broker/mark_keys.h"

namespace parley {

namespace {

// "ID NAME" or "BEAT/TIMEOUT NAME".
std::string_view first_word(std::string_view value) {
    return value.substr(0, value.find(' '));
}
std::string_view rest(std::string_view value) {
    const std::size_t space = value.find(' ');
    return space == std::string_view::npos ? value : value.substr(space + 1);
}

// How long a node says that it may be silent.
Millis timeout_of(std::string_view value) {
    const std::string_view beat = first_word(value);
    const std::size_t slash = beat.find('/');
    if (slash == std::string_view::npos) return Millis::zero();
    Millis::rep count = 0;
    std::from_chars(beat.data() + slash + 1, beat.data() + beat.size(), count);
    return Millis(count);
}

template <class Visit>
void for_each_of(const Ledger::Marks& marks, std::string_view kind, Visit visit) {
    for (auto mark = marks.lower_bound(kind); mark != marks.end(); ++mark) {
        if (!mark->first.starts_with(kind)) return;
        visit(*mark->second);
    }
}

}  // namespace

Nodes::Nodes(Wiring wiring) : wiring_(std::move(wiring)) {}

std::string Nodes::own_key() const {
    return std::string(marks::kNode) + wiring_.id;
}

std::string Nodes::own_value() const {
    return fmt::format("{}/{} {}", beats_, wiring_.timeout.count(), wiring_.name);
}

std::string Nodes::agent_value() const {
    return fmt::format("{} {}", wiring_.id, wiring_.name);
}

void Nodes::start() {
    wiring_.broker.on_agent(alive_.guard(
        [this](SessionId session, bool is_there) { agent_changed(session, is_there); }));
    if (wiring_.broker.is_shared()) beat();
}

Millis Nodes::period() const {
    return wiring_.timeout / limits::kNodeBeats;
}

// The next one is sent when this one has ended, however long the store takes for it: it rests on
// what this one wrote.
void Nodes::beat() {
    if (has_stopped_) return;
    ++beats_;
    const std::string value = own_value();
    wiring_.broker.put_mark(
        {.key = own_key(), .at = wiring_.clock.wall(), .value = value, .expected = beaten_value_},
        alive_.guard([this, value](Result<Verdict> verdict) {
            if (verdict && *verdict != Verdict::conflict) beaten_value_ = value;
            if (verdict && *verdict == Verdict::conflict && was_given_up()) return rejoin();
            beaten(verdict);
            wiring_.home.post_at(wiring_.clock.mono() + period(), alive_.guard([this] { beat(); }));
        }));
}

// A commit brings all that others wrote before it: only now is silence known to be one. A store
// that is away makes nobody silent.
void Nodes::beaten(const Result<Verdict>& verdict) {
    if (!verdict || *verdict == Verdict::conflict) return;
    wiring_.broker.drop_expired_marks();
    count_silence();
    find_orphans();
}

// By others; else an earlier one that seemed to fail was written.
bool Nodes::was_given_up() {
    const MarkPtr standing = wiring_.broker.find_mark(own_key());
    beaten_value_ = standing ? standing->value : std::string();
    return !standing;
}

// As one that was stopped for too long, and after it the agents that listen here: those of no node
// would be taken for orphans.
void Nodes::rejoin() {
    if (wiring_.tell)
        wiring_.tell(
            "this node did not answer for so long that the others gave it up; it joins them again");
    beat();
    for (const SessionId session : wiring_.broker.agents_here())
        listens_here(session, std::string(), [](Result<Verdict>) {});
}

void Nodes::count_silence() {
    std::map<std::string, Other> heard;
    for_each_of(wiring_.broker.ledger().marks(), marks::kNode, [&](const Mark& mark) {
        if (mark.key == own_key()) return;
        const auto known = others_.find(mark.key);
        const bool is_silent = known != others_.end() && known->second.value == mark.value;
        heard[mark.key] = {mark.value, is_silent ? known->second.silence + 1 : 0};
    });
    others_ = std::move(heard);
    // Nodes need not have been given the same time.
    for (const auto& [key, other] : others_)
        if (other.silence * period() >= std::max(wiring_.timeout, timeout_of(other.value)))
            give_up(key, other.value);
}

void Nodes::give_up(const std::string& key, const std::string& value) {
    auto given_up = [this, value](const Result<Verdict>& verdict) {
        // It spoke after all, or another was faster.
        if (!verdict || *verdict != Verdict::applied) return;
        if (wiring_.tell)
            wiring_.tell(fmt::format("the node {} does not answer any more", rest(value)));
        find_orphans();
    };
    wiring_.broker.put_mark({.key = key, .at = wiring_.clock.wall(), .expected = value},
                            alive_.guard(std::move(given_up)));
}

// An agent whose node is gone has some time to come back at another.
void Nodes::find_orphans() {
    std::map<std::string, Other> found;
    const auto& marks = wiring_.broker.ledger().marks();
    for_each_of(marks, marks::kAgent, [&](const Mark& mark) {
        const std::string node = fmt::format("{}{}", marks::kNode, first_word(mark.value));
        if (node == own_key() || marks.contains(node)) return;
        const auto known = orphans_.find(mark.key);
        const bool is_known = known != orphans_.end() && known->second.value == mark.value;
        found[mark.key] = {mark.value, is_known ? known->second.silence + 1 : 0};
    });
    orphans_ = std::move(found);
    for (const auto& [key, orphan] : orphans_)
        if (orphan.silence > 0) adopt(key, orphan.value);
}

// First it is this node's to tell, and no other's; should this one die before it has told, another
// finds the session orphaned again.
void Nodes::adopt(const std::string& key, const std::string& value) {
    const auto session = SessionId::parse(std::string_view(key).substr(marks::kAgent.size()));
    if (!session) return;
    const std::string ours = agent_value();
    auto adopted = [this, key, ours, session = *session,
                    name = std::string(rest(value))](const Result<Verdict>& verdict) {
        if (!verdict || *verdict != Verdict::applied) return;
        NoticeGiven notice{
            .text = fmt::format("The node {}, where this session's agent listened, is gone. What "
                                "it asked can still be answered; another agent can take the "
                                "session up, at any node.",
                                name),
            .level = NoticeGiven::Level::warning};
        wiring_.broker.leave_orphaned(
            session, {.key = key, .at = wiring_.clock.wall(), .expected = ours}, std::move(notice));
    };
    wiring_.broker.put_mark(
        {.key = key, .at = wiring_.clock.wall(), .value = ours, .expected = value},
        alive_.guard(std::move(adopted)));
}

void Nodes::agent_changed(SessionId session, bool is_there) {
    if (!wiring_.broker.is_shared()) {
        if (is_there) return;
        for (const auto& left : told_of_left_) left(session);
        return;
    }
    if (is_there) return listens_here(session, std::nullopt, [](Result<Verdict>) {});
    wiring_.broker.put_mark(
        {.key = marks::agent(session), .at = wiring_.clock.wall(), .expected = agent_value()},
        [](Result<Verdict>) {});
}

void Nodes::listens_here(SessionId session, std::optional<std::string> expected,
                         UniqueFunction<void(Result<Verdict>)> done) {
    wiring_.broker.put_mark({.key = marks::agent(session),
                             .at = wiring_.clock.wall(),
                             .value = agent_value(),
                             .expected = std::move(expected)},
                            std::move(done));
}

void Nodes::on_agent_left(std::function<void(SessionId)> left) {
    told_of_left_.push_back(left);
    wiring_.broker.on_mark(std::string(marks::kAgent),
                           [left = std::move(left)](const std::string& key, const MarkPtr& mark) {
                               const auto session = SessionId::parse(
                                   std::string_view(key).substr(marks::kAgent.size()));
                               if (session && !mark) left(*session);
                           });
}

void Nodes::claim_agent(SessionId session, UniqueFunction<void(bool)> done) {
    if (!wiring_.broker.is_shared()) {
        const auto here = wiring_.broker.agents_here();
        return done(std::ranges::find(here, session) == here.end());
    }
    listens_here(session, std::string(), [done = std::move(done)](Result<Verdict> verdict) mutable {
        done(verdict && *verdict != Verdict::conflict);
    });
}

void Nodes::claim(std::string key, Millis life, UniqueFunction<void(bool)> done) {
    if (!wiring_.broker.is_shared()) return done(true);
    const Instant now = wiring_.clock.wall();
    wiring_.broker.put_mark({.key = std::move(key),
                             .at = now,
                             .value = wiring_.id,
                             .expires_at = now + life,
                             .expected = std::string()},
                            [done = std::move(done)](Result<Verdict> verdict) mutable {
                                done(!verdict || *verdict == Verdict::applied);
                            });
}

void Nodes::stop(Task done) {
    has_stopped_ = true;
    if (beats_ == 0) return done();
    wiring_.broker.put_mark({.key = own_key(), .at = wiring_.clock.wall()},
                            [done = std::move(done)](Result<Verdict>) mutable { done(); });
}

}  // namespace parley
