// SPDX-License-Identifier: Apache-2.0
#include "store/store_queue.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"
#include "base/overload.h"
#include "core/weight.h"
#include "store/limits.h"

namespace parley {

namespace {

// Offered again, since nobody knew what became of it, and found as it was offered: the first time
// it was written. Who offered it was first and is told so.
void own_what_was_written(std::span<const Change> changes, std::span<ChangeOutcome> outcomes) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        ChangeOutcome& outcome = outcomes[i];
        if (outcome.verdict != Verdict::existing || !outcome.ask) continue;
        const auto* open = std::get_if<OpenAsk>(&changes[i]);
        const auto* settle = std::get_if<SettleAsk>(&changes[i]);
        const bool is_own = (open != nullptr && outcome.ask->id == open->ask->id) ||
                            (settle != nullptr && outcome.ask->settlement &&
                             *outcome.ask->settlement == *settle->settlement);
        if (is_own) outcome.verdict = Verdict::applied;
    }
}

// Of what a caller may make large. The asks that are settled are held anyway, and how many changes
// there are is counted by itself.
std::size_t weight_of(const Change& change) {
    return std::visit(
        Overload{
            [](const OpenAsk& open) { return weight_of(*open.ask); },
            [](const SettleAsk& settle) { return weight_of(settle.settlement->answers); },
            [](const AddPart& add) { return weight_of(*add.part); },
            [](const AddMessage& add) { return weight_of(add.message); },
            [](const PutDraft& put) { return weight_of(put.draft.answers); },
            [](const GiveNotice& give) { return give.notice.text.size(); },
            [](const OpenSession& open) { return weight_of(*open.session); },
            [](const PutMark& put) {
                return put.key.size() + put.value.value_or(std::string()).size();
            },
            // A few names, at most.
            [](const OneOf<ChangeSession, EndSession, TakeMessages, PutSnooze, PutToken, NamePerson,
                           TouchToken, DropToken, DeleteContent> auto&) { return std::size_t{0}; },
        },
        change);
}

}  // namespace

void Store::Queue::open(StoreListener& listener, Done<Snapshot> done) {
    ASSERT(state_ == State::closed && listener_ == nullptr);
    listener_ = &listener;
    wiring_.worker.post([self = shared_from_this(), done = std::move(done)]() mutable {
        auto snapshot = self->engine_->open();
        Executor& home = self->wiring_.home;
        home.post([self = std::move(self), done = std::move(done),
                   snapshot = std::move(snapshot)]() mutable {
            if (self->listener_ == nullptr) return;
            if (snapshot) self->state_ = State::ready;
            if (!snapshot) self->listener_ = nullptr;
            self->schedule_poll();
            done(std::move(snapshot));
        });
    });
}

// What was submitted before is still written: who submitted it is told the truth about it. Nothing
// new is admitted.
void Store::Queue::close(UniqueFunction<void()> done) {
    if (state_ == State::closed) {
        wiring_.home.post(std::move(done));
        return;
    }
    closed_ = std::move(done);
    if (state_ == State::ready) state_ = State::closing;
    // While recovering, reopened() looks at closed_.
    if (state_ == State::closing && writing_ != Writing::running) start_next_batch();
}

// The listener is being destroyed: nobody may be called any more, also not those whose changes are
// being written. They are owned by what is going down with it.
void Store::Queue::abandon() {
    bell_->silence();
    listener_ = nullptr;
    state_ = State::closed;
}

void Store::Queue::page_taken() {
    // Who still waits when the store closes has gone before.
    if (listener_ == nullptr || state_ == State::closing) pages_.forget_waiting();
    pages_.give_back();
}

// Bounded twice: by number, so that the wait is bounded, and by weight, so that the memory is. What
// is small always gets in by weight, since settling must go on when large asks have filled the
// queue. While the store is being brought back changes are taken too: most faults last less than
// the callers would wait.
bool Store::Queue::admit(std::size_t bytes, CommitDone& done) {
    const bool is_open = state_ == State::ready || state_ == State::recovering;
    const bool is_in_bytes = bytes <= limits::kSmallCommitBytes || waiting_.bytes == 0 ||
                             waiting_.bytes + bytes <= limits::kCommitQueueBytes;
    const bool has_room = waiting_.entries.size() < limits::kCommitQueueMax && is_in_bytes;
    if (is_open && !closed_ && has_room) return true;
    Error error{.code = ErrorCode::unavailable, .message = "the store is closed"};
    if (is_open && !closed_)
        error = {.code = ErrorCode::overloaded, .message = "too many changes wait for the store"};
    wiring_.home.post([done = std::move(done), error = std::move(error)]() mutable {
        done(reject(std::move(error)));
    });
    return false;
}

void Store::Queue::commit(Change&& change, CommitDone&& done) {
    const std::size_t bytes = weight_of(change);
    if (!admit(bytes, done)) return;
    waiting_.changes.push_back(std::move(change));
    waiting_.entries.push_back({1, bytes, std::move(done)});
    waiting_.bytes += bytes;
    schedule_flush();
}

void Store::Queue::commit(std::vector<Change> changes, CommitDone done) {
    std::size_t bytes = 0;
    for (const Change& change : changes) bytes += weight_of(change);
    if (!admit(bytes, done)) return;
    const std::size_t count = changes.size();
    std::move(changes.begin(), changes.end(), std::back_inserter(waiting_.changes));
    waiting_.entries.push_back({count, bytes, std::move(done)});
    waiting_.bytes += bytes;
    schedule_flush();
}

// The batch is cut at the end of the current turn of the loop, so that everything that one turn
// submits shares a transaction.
void Store::Queue::schedule_flush() {
    if (writing_ == Writing::due || writing_ == Writing::running || state_ != State::ready) return;
    if (writing_ == Writing::gathering && waiting_.changes.size() < limits::kGatherEnough) return;
    writing_ = Writing::due;
    wiring_.home.post([self = shared_from_this()] {
        if (self->writing_ != Writing::due) return;
        self->writing_ = Writing::idle;
        if (self->state_ == State::ready) self->start_next_batch();
    });
}

// Each transaction costs the database as much as a dozen changes do, and those of all nodes come
// one after the other. Where others write as well and more than one change was there to be
// written, the others have their turn first, for about as long as a transaction takes. Who is alone
// never waits.
bool Store::Queue::should_gather(const Batch& batch) const {
    return state_ == State::ready && have_others_written_ && batch.changes.size() > 1 &&
           waiting_.changes.size() < limits::kGatherEnough;
}

void Store::Queue::gather() {
    writing_ = Writing::gathering;
    const auto pause =
        std::min<std::chrono::nanoseconds>(stats_.commit_time_last, limits::kGatherMax);
    wiring_.home.post_at(wiring_.clock.mono() + pause,
                         [self = shared_from_this(), number = ++gatherings_] {
                             if (number == self->gatherings_) self->stop_gathering();
                         });
}

void Store::Queue::stop_gathering() {
    if (writing_ != Writing::gathering || listener_ == nullptr) return;
    writing_ = Writing::idle;
    if (state_ == State::ready) start_next_batch();
}

void Store::Queue::start_next_batch() {
    ASSERT(writing_ != Writing::running);
    writing_ = Writing::idle;
    if (!waiting_.entries.empty()) {
        run(take_batch());
    } else if (state_ == State::closing) {
        return finish_closing();
    }
    schedule_tidy_up();
}

// Everything that waits is one transaction, up to a size that keeps it short. A caller's changes
// are never divided: they were promised to happen together.
std::unique_ptr<Store::Queue::Batch> Store::Queue::take_batch() {
    auto batch = spare_ ? std::move(spare_) : std::make_unique<Batch>();
    std::size_t entries = 0;
    std::size_t changes = 0;
    std::size_t bytes = 0;
    // At least one commit, however large; then as many whole ones as fit.
    while (entries < waiting_.entries.size()) {
        const std::size_t more = waiting_.entries[entries].changes;
        if (entries > 0 && changes + more > limits::kCommitBatchMax) break;
        changes += more;
        bytes += waiting_.entries[entries].bytes;
        ++entries;
    }
    if (entries == waiting_.entries.size()) {
        std::swap(*batch, waiting_);
        return batch;
    }
    const auto changes_end = waiting_.changes.begin() + static_cast<std::ptrdiff_t>(changes);
    const auto entries_end = waiting_.entries.begin() + static_cast<std::ptrdiff_t>(entries);
    batch->bytes = bytes;
    waiting_.bytes -= bytes;
    batch->changes.assign(std::make_move_iterator(waiting_.changes.begin()),
                          std::make_move_iterator(changes_end));
    batch->entries.assign(std::make_move_iterator(waiting_.entries.begin()),
                          std::make_move_iterator(entries_end));
    waiting_.changes.erase(waiting_.changes.begin(), changes_end);
    waiting_.entries.erase(waiting_.entries.begin(), entries_end);
    return batch;
}

void Store::Queue::run(std::unique_ptr<Batch> batch) {
    writing_ = Writing::running;
    batch->started = wiring_.clock.mono();
    wiring_.worker.post([self = shared_from_this(), batch = std::move(batch)]() mutable {
        auto report = self->engine_->commit(batch->changes);
        Executor& home = self->wiring_.home;
        home.post([self = std::move(self), batch = std::move(batch),
                   report = std::move(report)]() mutable {
            self->finish(std::move(batch), std::move(report));
        });
    });
}

void Store::Queue::finish(std::unique_ptr<Batch> batch, Result<CommitReport> report) {
    writing_ = Writing::idle;
    if (listener_ == nullptr) return;
    if (!report) {
        recover(std::move(batch), std::move(report).error());
        return;
    }
    ASSERT(report->outcomes.size() == batch->changes.size());
    if (batch->was_offered_before) own_what_was_written(batch->changes, report->outcomes);
    ++stats_.commits;
    stats_.changes += batch->changes.size();
    stats_.commit_time_last = wiring_.clock.mono() - batch->started;
    stats_.commit_time_total += stats_.commit_time_last;
    stats_.commit_times.add(stats_.commit_time_last);
    // The next transaction starts before anyone is told of this one: the disk should not wait for
    // the tellers.
    have_others_written_ |= report->of_others > 0;
    if (should_gather(*batch)) {
        gather();
    } else if (state_ == State::ready || state_ == State::closing) {
        if (!waiting_.entries.empty()) start_next_batch();
    }
    have_others_written_ = false;
    acknowledge(*batch, *report);
    keep_spare(std::move(batch));
    if (listener_ == nullptr || writing_ == Writing::running || writing_ == Writing::due) return;
    if (writing_ == Writing::idle || state_ != State::ready) start_next_batch();
}

// The listener folds the events first, so that who is told of its own change finds it in memory. A
// callback may destroy the store: looked at again before each.
void Store::Queue::acknowledge(Batch& batch, const CommitReport& report) {
    if (!report.events.empty()) listener_->on_committed(report.events);
    const std::span<const ChangeOutcome> outcomes = report.outcomes;
    std::size_t first = 0;
    for (Entry& entry : batch.entries) {
        if (listener_ == nullptr) return;
        entry.done(outcomes.subspan(first, entry.changes));
        first += entry.changes;
    }
}

// Its vectors keep their room: a steady load allocates nothing here.
void Store::Queue::keep_spare(std::unique_ptr<Batch> batch) {
    if (batch->changes.capacity() > limits::kCommitBatchMax) return;
    batch->changes.clear();
    batch->entries.clear();
    batch->bytes = 0;
    batch->was_offered_before = false;
    batch->error = {};
    spare_ = std::move(batch);
}

// Tidying runs after a quiet moment, so that a checkpoint does not stand before a commit; where
// there is none for a while, it runs between commits until it is done, or the store would grow.
void Store::Queue::schedule_tidy_up() {
    if (is_tidy_scheduled_ || state_ != State::ready) return;
    is_tidy_scheduled_ = true;
    if (!untidy_since_) untidy_since_ = wiring_.clock.mono();
    wiring_.home.post_at(
        wiring_.clock.mono() + limits::kStoreIdleBeforeTidy,
        [self = shared_from_this(), seen = stats_.commits, since = *untidy_since_] {
            self->is_tidy_scheduled_ = false;
            if (self->listener_ == nullptr || self->state_ != State::ready) return;
            const bool is_busy = self->writing_ == Writing::running || self->stats_.commits != seen;
            const bool is_overdue = self->wiring_.clock.mono() - since >= limits::kStoreUntidyMax;
            if (is_busy && !is_overdue) return self->schedule_tidy_up();
            self->tidy_up();
        });
}

void Store::Queue::tidy_up() {
    wiring_.worker.post([self = shared_from_this()]() mutable {
        // A failure here is not lost: the next commit meets it and is answered with it.
        const bool has_more = self->engine_->tidy_up().value_or(false);
        Executor& home = self->wiring_.home;
        home.post([self = std::move(self), has_more] {
            if (!has_more) self->untidy_since_.reset();
            if (has_more && self->listener_ != nullptr) self->schedule_tidy_up();
        });
    });
}

void Store::Queue::check() {
    if (state_ != State::ready || is_checking_) return;
    is_checking_ = true;
    wiring_.worker.post([self = shared_from_this()]() mutable {
        auto size = self->engine_->check();
        Executor& home = self->wiring_.home;
        home.post([self = std::move(self), size = std::move(size)]() mutable {
            self->is_checking_ = false;
            if (self->listener_ == nullptr || self->state_ != State::ready) return;
            if (size) {
                self->stats_.size = *size;
            } else if (self->writing_ != Writing::running) {
                // A transaction that runs meets it by itself.
                self->recover(nullptr, std::move(size).error());
            }
        });
    });
}

void Store::Queue::run_between(UniqueFunction<void(Engine&)> work, UniqueFunction<void()> done) {
    if (state_ != State::ready) {
        wiring_.home.post(std::move(done));
        return;
    }
    wiring_.worker.post(
        [self = shared_from_this(), work = std::move(work), done = std::move(done)]() mutable {
            work(*self->engine_);
            Executor& home = self->wiring_.home;
            home.post([self = std::move(self), done = std::move(done)]() mutable {
                if (self->listener_ != nullptr) done();
            });
        });
}

void Store::Queue::finish_closing() {
    wiring_.worker.post([self = shared_from_this()]() mutable {
        self->engine_->close();
        Executor& home = self->wiring_.home;
        home.post([self = std::move(self)] {
            self->state_ = State::closed;
            self->listener_ = nullptr;
            if (self->closed_) std::exchange(self->closed_, nullptr)();
        });
    });
}

}  // namespace parley
