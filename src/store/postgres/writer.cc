// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "base/overload.h"
#include "core/weight.h"
#include "store/postgres/limits.h"
#include "store/postgres/schema.h"
#include "store/stored_changes.h"
#include "store/stored_rows.h"

namespace parley::postgres {

using stored::EventType;

namespace {

// What a group of changes must hold before it looks at anything: sessions before asks and both by
// id, as every group does, so that two of them never wait for each other.
struct Locks {
    std::vector<SessionId> sessions;
    std::vector<AskId> asks;
    bool changes_sessions = false;
    bool looks_at_asks = false;  // before it writes beside them
    bool changes_tokens = false;
    bool changes_marks = false;
    bool rests_on_marks = false;

    void add(const OpenAsk& change) { sessions.push_back(change.ask->session); }
    void add(const SettleAsk& change) {
        asks.push_back(change.ask);
        if (change.only_while) rests_on_marks = true;
    }
    void add(const OpenSession&) {}
    void add(const OneOf<ChangeSession, EndSession, AddMessage, TakeMessages> auto& change) {
        sessions.push_back(change.session);
        changes_sessions = true;
    }
    void add(const OneOf<AddPart, GiveNotice> auto& change) {
        if (!change.session.is_nil()) sessions.push_back(change.session);
    }
    void add(const OneOf<PutDraft, PutSnooze, DeleteContent> auto& change) {
        asks.push_back(change.ask);
        looks_at_asks = true;
    }
    void add(const OneOf<PutToken, NamePerson, TouchToken, DropToken> auto&) {
        changes_tokens = true;
    }
    void add(const PutMark&) { changes_marks = true; }
};

// Sent together with those before it, and answered after them.
template <class One>
concept Sendable = OneOf<One, OpenAsk, SettleAsk, AddPart, AddMessage, TakeMessages, GiveNotice>;

// There and back by itself, once those before it have been answered.
template <class One>
concept Alone = OneOf<One, OpenSession, ChangeSession, EndSession, PutDraft, PutSnooze, PutToken,
                      NamePerson, TouchToken, DropToken, PutMark, DeleteContent>;

template <class IdType>
Array ids_in_order(std::vector<IdType> ids) {
    std::ranges::sort(ids);
    const auto rest = std::ranges::unique(ids);
    ids.erase(rest.begin(), rest.end());
    Array array = Array::of_ids();
    for (const IdType id : ids) array.add(id);
    return array;
}

}  // namespace

Writer::Writer(Connection& connection, Reader& reader) : connection_(connection), reader_(reader) {}

Result<void> Writer::apply(std::span<const Change> changes) {
    outcomes_.assign(changes.size(), {});
    events_.clear();
    sent_.clear();
    unexplained_.clear();
    settled_.clear();
    is_committed_ = false;
    CHECK_OK(send_locks(changes));
    for (std::size_t i = 0; i < changes.size(); ++i) {
        Sent sent{.index = i};
        TRY(is_sent, send_one(changes[i], sent));
        if (is_sent) {
            sent_.push_back(sent);
            continue;
        }
        CHECK_OK(take_sent(changes));
        TRY(outcome,
            std::visit(Overload{[](const Sendable auto&) { return Result<ChangeOutcome>(); },
                                [this](const Alone auto& one) { return apply_one(one); }},
                       changes[i]));
        outcomes_[i] = std::move(outcome);
    }
    CHECK_OK(connection_.send(sql_.transaction_id));
    CHECK_OK(take_sent(changes));
    TRY(id, connection_.receive());
    transaction_ = id.next() ? id.number(0) : 0;
    return explain_rest();
}

Result<void> Writer::send_locks(std::span<const Change> changes) {
    Locks locks;
    for (const Change& change : changes)
        std::visit([&](const auto& one) { locks.add(one); }, change);
    answers_before_ = 1;
    CHECK_OK(connection_.send(sql_.begin));
    if (locks.changes_tokens) {
        CHECK_OK(connection_.send(sql_.lock_tokens));
        ++answers_before_;
    }
    if (locks.changes_marks || locks.rests_on_marks) {
        CHECK_OK(connection_.send(locks.changes_marks ? sql_.lock_marks : sql_.share_marks));
        ++answers_before_;
    }
    if (!locks.sessions.empty()) {
        CHECK_OK(connection_.send(locks.changes_sessions ? sql_.lock_sessions : sql_.share_sessions,
                                  ids_in_order(std::move(locks.sessions))));
        ++answers_before_;
    }
    // A settlement alone locks its ask by itself.
    if (!locks.asks.empty() && (changes.size() > 1 || locks.looks_at_asks)) {
        CHECK_OK(connection_.send(sql_.lock_asks, ids_in_order(std::move(locks.asks))));
        ++answers_before_;
    }
    return {};
}

Result<bool> Writer::send_one(const Change& change, Sent& sent) {
    const auto send_it = [this](const auto& one) -> Result<bool> {
        CHECK_OK(send_change(one));
        return true;
    };
    const auto ask_for_session = [&](SessionId session) -> Result<bool> {
        sent.has_answer = !session.is_nil();
        if (sent.has_answer) CHECK_OK(connection_.send(sql_.is_live, session));
        return true;
    };
    return std::visit(
        Overload{[&](const OneOf<OpenAsk, SettleAsk, AddMessage, TakeMessages> auto& one) {
                     return send_it(one);
                 },
                 [&](const OneOf<AddPart, GiveNotice> auto& one) {
                     return ask_for_session(one.session);
                 },
                 [](const Alone auto&) { return Result<bool>(false); }},
        change);
}

Result<void> Writer::take_sent(std::span<const Change> changes) {
    CHECK_OK(connection_.sync());
    for (; answers_before_ > 0; --answers_before_) CHECK_OK(connection_.receive());
    for (const Sent& sent : sent_) {
        TRY(outcome, take_one(sent, changes[sent.index]));
        outcomes_[sent.index] = std::move(outcome);
    }
    sent_.clear();
    return {};
}

Result<ChangeOutcome> Writer::take_one(const Sent& sent, const Change& change) {
    if (!sent.has_answer) return take(std::get<GiveNotice>(change), /*is_live=*/true);
    TRY(rows, connection_.receive());
    const auto explain_later = [&] { unexplained_.push_back({sent.index, &change}); };
    return std::visit(
        Overload{
            [&](const OpenAsk& open) -> Result<ChangeOutcome> {
                ChangeOutcome outcome = take(open, rows);
                if (outcome.verdict == Verdict::missing) explain_later();
                return outcome;
            },
            [&](const SettleAsk& settle) -> Result<ChangeOutcome> {
                TRY(outcome, take(settle, std::move(rows)));
                if (outcome.verdict == Verdict::conflict && !outcome.ask->settlement)
                    explain_later();
                return outcome;
            },
            [&](const AddPart& part) -> Result<ChangeOutcome> { return take(part, rows); },
            [&](const GiveNotice& notice) -> Result<ChangeOutcome> {
                return take(notice, rows.count() > 0);
            },
            [&](const OneOf<AddMessage, TakeMessages> auto& one) -> Result<ChangeOutcome> {
                return take(one, std::move(rows));
            },
            [](const Alone auto&) { return Result<ChangeOutcome>(); },
        },
        change);
}

Result<void> Writer::explain_rest() {
    for (const auto& [index, change] : unexplained_) {
        if (const auto* open = std::get_if<OpenAsk>(change)) {
            TRY(outcome, explain_refused(*open));
            outcomes_[index] = std::move(outcome);
        } else {
            TRY(outcome, explain_refused(std::get<SettleAsk>(*change)));
            outcomes_[index] = std::move(outcome);
        }
    }
    return {};
}

Result<CommitReport> Writer::publish(Cursor fed) {
    CHECK_OK(send_events(fed));
    const std::size_t count = events_.size();
    if (!settled_.empty()) CHECK_OK(connection_.receive());
    Cursor head;
    if (count > 0) {
        TRY(published, connection_.receive());
        if (!published.next()) return reject(ErrorCode::corrupt, "the store has lost its state");
        head = published.cursor(0);
    }
    CHECK_OK(connection_.receive());
    is_committed_ = true;
    TRY(others, connection_.receive());
    CommitReport report;
    TRY(told, reader_.read_events(std::move(others)));
    report.events = std::move(told);
    if (count > 0) CHECK_OK(read_others(report.events, fed, Cursor{head.value - count}));
    report.of_others = report.events.size();
    // What was dropped before this node heard of it is missing here.
    const Cursor last{count > 0 ? head.value - count : fed.value + report.events.size()};
    const bool is_whole = fed.value + report.events.size() == last.value &&
                          (report.events.empty() || report.events.back()->cursor == last);
    if (!is_whole) return too_far_behind();
    report.events.reserve(report.events.size() + count);
    for (std::size_t i = 0; i < count; ++i) {
        NewEvent& event = events_[i];
        report.events.push_back(
            std::make_shared<const Event>(Event{Cursor{head.value - count + i + 1}, event.row.at,
                                                event.row.session, std::move(event.body)}));
    }
    report.outcomes = std::move(outcomes_);
    return report;
}

// The rest of what they wrote up to there, a slice at a time.
Result<void> Writer::read_others(std::vector<EventPtr>& events, Cursor from, Cursor last) {
    std::size_t bytes = 0;
    for (const EventPtr& event : events) bytes += weight_of(*event);
    if (!events.empty()) from = events.back()->cursor;
    while (from < last) {
        if (events.size() > limits::kFeedBehindMax || bytes > limits::kFeedBehindBytes)
            return too_far_behind();
        TRY(rows, connection_.run(sql_.next, from, last));
        TRY(slice, reader_.read_events(std::move(rows)));
        if (slice.empty()) return too_far_behind();
        for (EventPtr& event : slice) {
            bytes += weight_of(*event);
            from = event->cursor;
            events.push_back(std::move(event));
        }
    }
    return {};
}

// All that is left to do goes at once, and nobody else waits for more than that: what others wrote
// is read once it is committed, since a node that does not read it must hold nothing meanwhile.
Result<void> Writer::send_events(Cursor fed) {
    if (!settled_.empty())
        CHECK_OK(connection_.send(sql_.drop_drafts_and_snoozes, ids_in_order(settled_)));
    if (!events_.empty()) {
        Array types = Array::of_numbers();
        Array times = Array::of_numbers();
        Array sessions = Array::of_ids();
        Array subjects = Array::of_ids();
        Array docs = Array::of_texts();
        for (const NewEvent& event : events_) {
            const EventRow& row = event.row;
            types.add(static_cast<int>(row.type));
            times.add(row.at);
            sessions.add(row.session.is_nil() ? std::nullopt : std::optional(row.session));
            row.message ? subjects.add(row.message) : subjects.add(row.ask);
            docs.add(stored::as_view(row.doc));
        }
        CHECK_OK(connection_.send(sql_.publish, std::uint64_t{events_.size()}, types, times,
                                  sessions, subjects, docs, schema_version()));
    }
    CHECK_OK(connection_.send(sql_.commit));
    if (events_.empty()) {
        CHECK_OK(connection_.send(sql_.newest, fed));
    } else {
        CHECK_OK(connection_.send(sql_.others, fed, std::uint64_t{events_.size()}));
    }
    return connection_.sync();
}

std::vector<EventPtr> Writer::events_without_rows() const {
    std::vector<EventPtr> events;
    for (const auto& [row, body] : events_)
        if (stored::is_known_by_event(body))
            events.push_back(
                std::make_shared<const Event>(Event{Cursor{}, row.at, row.session, body}));
    return events;
}

void Writer::add_event(EventRow row, EventBody body) {
    events_.push_back({std::move(row), std::move(body)});
}

bool Writer::was_stored_before(Instant at, SessionId session, const EventBody& body) {
    return stored::take_recognised(recognised_, at, session, body);
}

}  // namespace parley::postgres
