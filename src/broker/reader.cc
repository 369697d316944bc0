// SPDX-License-Identifier: Apache-2.0
#include "broker/reader.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "broker/limits.h"
#include "broker/visible.h"
#include "core/event.h"
#include "core/limits.h"

namespace parley {

// A reader is in one of three phases. In `snapshot` it walks the pending asks, in `live` it stands
// at a position of the broker's live log, and where that log has forgotten what comes next it is
// `behind` and reads pages from the store until it can join. Nothing is ever queued for a reader:
// it pulls at its own pace, so a slow one costs no memory, and `seen_` alone says what it has had.

void Subscription::Reader::start() {
    if (!request_.after) {
        start_snapshot();
    } else {
        seen_ = *request_.after;
        rejoin();
    }
}

// After the store was opened anew the ledger is another one: positions in the live log mean nothing
// any more, cursors still do.
void Subscription::Reader::rejoin() {
    page_.clear();
    if (phase_ == Phase::snapshot) {
        // Nothing of the old snapshot has a cursor yet, so the reader starts over.
        must_reset_ = must_reset_ || snapshot_at_ != AskId{};
        start_snapshot();
    } else if (const auto position = broker_->live_.after(seen_);
               position && seen_ <= broker_->ledger_.head()) {
        join_live(*position);
    } else {
        fall_behind();
    }
}

// Deltas have no cursor, so who comes back cannot say how much of an unfinished part it has had.
// Until it has caught up it is given none; then every unfinished part comes whole, marked as a
// replacement, and deltas go on from there.
void Subscription::Reader::join_live(LiveLog::Position position) {
    phase_ = Phase::live;
    position_ = position;
    quiet_ = {};
    is_joining_ = true;
    replacements_.clear();
    if (position_ == broker_->live_.end()) finish_joining();
}

void Subscription::Reader::finish_joining() {
    is_joining_ = false;
    for (PartDeltaPtr& part : broker_->unfinished_parts(request_.session))
        if (is_told(request_, *part)) replacements_.push_back(std::move(part));
}

// The cursor is taken before the first ask is walked, and the walk may take many turns: whatever
// happens in between has a higher cursor and follows as an event.
void Subscription::Reader::start_snapshot() {
    phase_ = Phase::snapshot;
    seen_ = broker_->ledger_.head();
    position_ = broker_->live_.end();
    const auto& pending = broker_->ledger_.pending();
    noted_ = position_;
    late_.clear();
    snapshot_at_ = {};
    snapshot_last_ = pending.empty() ? AskId{} : pending.rbegin()->first;
}

void Subscription::Reader::take(std::vector<Frame>& out, std::size_t max) {
    is_told_ = false;
    if (broker_ == nullptr) return;
    const std::size_t limit = out.size() + max;
    if (must_reset_ && out.size() < limit) {
        must_reset_ = false;
        out.emplace_back(Reset{});
    }
    if (phase_ == Phase::snapshot) take_snapshot(out, limit);
    if (phase_ == Phase::behind) take_page(out, limit);
    if (phase_ == Phase::live) take_live(out, limit);
}

// Ids ascend on each node, and those of several nodes come a little out of order.
void Subscription::Reader::note_late_asks() {
    const LiveLog& live = broker_->live_;
    if (!live.holds(noted_)) noted_ = live.end();
    for (; noted_ < live.end(); ++noted_) {
        const auto* event = std::get_if<EventPtr>(&live.at(noted_));
        const AskPtr opened = event == nullptr ? nullptr : opened_in(**event);
        if (opened && opened->id <= snapshot_last_) late_.insert(opened->id);
    }
}

// Asks opened after the snapshot began have higher ids, or are known to be late, and come as
// events; asks settled since then are left out here and their settlement comes as an event.
void Subscription::Reader::take_snapshot(std::vector<Frame>& out, std::size_t max) {
    note_late_asks();
    const auto& pending = broker_->ledger_.pending();
    auto next = pending.upper_bound(snapshot_at_);
    for (; next != pending.end() && next->first <= snapshot_last_; ++next) {
        if (out.size() >= max) return;
        snapshot_at_ = next->first;
        if (late_.contains(next->first)) continue;
        if (request_.session && next->second->session != *request_.session) continue;
        if (!is_shown(*next->second, request_.viewer)) continue;
        out.emplace_back(SnapshotAsk{next->second, snoozed_until(next->first)});
    }
    if (out.size() >= max) return;
    late_.clear();
    out.emplace_back(SnapshotEnd{seen_});
    join_live(position_);
    if (!broker_->live_.holds(position_)) fall_behind();
}

std::optional<Instant> Subscription::Reader::snoozed_until(AskId ask) const {
    const auto* snoozes = broker_->ledger_.find_snoozes(request_.viewer.principal);
    if (snoozes == nullptr) return std::nullopt;
    const auto found = snoozes->find(ask);
    return found == snoozes->end() ? std::nullopt : std::optional(found->second);
}

void Subscription::Reader::take_live(std::vector<Frame>& out, std::size_t max) {
    if (!broker_->live_.holds(position_)) {
        fall_behind();
        return;
    }
    take_replacements(out, max);
    while (position_ < broker_->live_.end() && out.size() < max) {
        if (position_ == quiet_.begin && quiet_.begin < quiet_.end) {
            position_ = quiet_.end;
            seen_ = std::max(seen_, quiet_.seen);
            continue;
        }
        const LiveItem& item = broker_->live_.at(position_++);
        if (const auto* event = std::get_if<EventPtr>(&item)) {
            // Of a shared store, a page may have told of it before this node's feed did.
            if ((*event)->cursor <= seen_) continue;
            seen_ = (*event)->cursor;
            if (is_told(request_, **event)) out.emplace_back(*event);
        } else {
            const auto& delta = std::get<PartDeltaPtr>(item);
            if (is_told(request_, *delta) && !is_joining_) out.emplace_back(delta);
        }
    }
    if (is_joining_ && position_ == broker_->live_.end()) {
        finish_joining();
        take_replacements(out, max);
    }
}

void Subscription::Reader::take_replacements(std::vector<Frame>& out, std::size_t max) {
    for (; !replacements_.empty() && out.size() < max; replacements_.pop_front())
        out.emplace_back(std::move(replacements_.front()));
}

void Subscription::Reader::fall_behind() {
    phase_ = Phase::behind;
    read_page();
}

void Subscription::Reader::read_page() {
    if (is_reading_) return;
    is_reading_ = true;
    // The page is read whole, without the session's filter, so that `seen_` moves over what the
    // filter leaves out.
    broker_->wiring_.store.list_events(
        {.after = seen_, .limit = limits::kEventsPageMax, .bytes = limits::kResumePageBytes},
        [self = shared_from_this()](Result<EventPage> page) { self->page_read(std::move(page)); });
}

void Subscription::Reader::page_read(Result<EventPage> page) {
    is_reading_ = false;
    if (broker_ == nullptr || phase_ != Phase::behind) return;
    if (!page) {
        // A store that is lost is being brought back; rejoin() follows.
        if (!broker_->is_ready()) return;
        // One that others share was too slow, or is about to be found lost.
        if (broker_->is_shared() && page.error().code == ErrorCode::unavailable)
            return read_later();
        failure_ = std::move(page).error();
    } else if (page->has_gap) {
        must_reset_ = true;
        start_snapshot();
    } else {
        for (EventPtr& event : page->events)
            if (event->cursor > seen_) page_.push_back(std::move(event));
    }
    is_told_ = false;
    wake();
}

// By then it may have been read for another reason.
void Subscription::Reader::read_later() {
    const LoopBroker::Wiring& wiring = broker_->wiring_;
    wiring.home.post_at(wiring.clock.mono() + limits::kReadAgain, [weak = weak_from_this()] {
        const auto self = weak.lock();
        const bool is_waiting = self && self->broker_ != nullptr && !self->failure_ &&
                                self->phase_ == Phase::behind && self->page_.empty();
        if (is_waiting) self->read_page();
    });
}

void Subscription::Reader::take_page(std::vector<Frame>& out, std::size_t max) {
    while (!page_.empty() && out.size() < max) {
        const EventPtr event = std::move(page_.front());
        page_.pop_front();
        seen_ = event->cursor;
        if (is_told(request_, *event)) out.emplace_back(event);
    }
    if (!page_.empty() || is_reading_ || failure_) return;
    if (const auto position = broker_->live_.after(seen_)) {
        join_live(*position);
    } else {
        read_page();
    }
}

// Once until the reader takes something: a burst of commits wakes a front once.
void Subscription::Reader::wake() {
    if (is_told_) return;
    is_told_ = true;
    ready_();
}

// One who follows a quiet session is not woken for what others do, and pays nothing for it later:
// it is moved over all that was told since `from`, except the span in which its own session spoke.
bool Subscription::Reader::pass_over(LiveLog::Position from, const SessionSpans& told) {
    const bool has_read_all = phase_ == Phase::live && position_ == from && !is_joining_ &&
                              replacements_.empty() && !must_reset_;
    if (!has_read_all || !request_.session) return false;
    if (!broker_->live_.holds(from) || from == broker_->live_.end()) return false;
    const LiveLog::Position end = broker_->live_.end();
    const Cursor head = broker_->ledger_.head();
    if (const SessionSpan* mine = told.find(*request_.session)) {
        position_ = mine->first;
        quiet_ = {.begin = mine->last + 1, .end = end, .seen = head};
        return false;
    }
    position_ = end;
    seen_ = std::max(seen_, head);
    return true;
}

Subscription::Subscription(std::shared_ptr<Reader> reader) : reader_(std::move(reader)) {}

Subscription::Subscription(Subscription&&) noexcept = default;

Subscription& Subscription::operator=(Subscription&& other) noexcept {
    std::swap(reader_, other.reader_);
    return *this;
}

Subscription::~Subscription() {
    if (reader_ == nullptr || reader_->broker() == nullptr) return;
    reader_->broker()->drop_reader(reader_.get());
    reader_->detach();
}

const Error* Subscription::failure() const {
    return reader_ == nullptr ? nullptr : reader_->failure();
}

void Subscription::take(std::vector<Frame>& out, std::size_t max) {
    ASSERT(reader_ != nullptr);
    reader_->take(out, max);
}

}  // namespace parley
