// SPDX-License-Identifier: Apache-2.0
// The state of one Subscription: a snapshot of what is pending, then the events that the store must
// be asked for, then the live log. Owned by the Subscription, known to the broker while it lives.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "broker/broker.h"
#include "broker/session_spans.h"

namespace parley {

class Subscription::Reader : public std::enable_shared_from_this<Subscription::Reader> {
public:
    Reader(LoopBroker& broker, SubscribeRequest request, UniqueFunction<void()> ready)
        : broker_(&broker), request_(std::move(request)), ready_(std::move(ready)) {}

    // Once, after construction: chooses where to begin.
    void start();

    void take(std::vector<Frame>& out, std::size_t max);
    // Something was added to the live log, or the broker's state was replaced.
    void wake();
    // Moves past what was added since `from` if it has read all before and none of this is for it:
    // most readers watch one session, and most events are of another.
    bool pass_over(LiveLog::Position from, const SessionSpans& told);
    // The state was reloaded: what the live log held is gone, the cursor decides where to read on.
    void rejoin();
    // The subscription or the broker is gone.
    void detach() { broker_ = nullptr; }
    LoopBroker* broker() const { return broker_; }
    // The session whose agent listens here.
    std::optional<SessionId> agent_of() const {
        return request_.is_agent ? request_.session : std::nullopt;
    }
    bool is_internal() const { return request_.is_internal; }
    const Error* failure() const { return failure_ ? &*failure_ : nullptr; }

private:
    enum class Phase { snapshot, behind, live };

    void start_snapshot();
    void take_snapshot(std::vector<Frame>& out, std::size_t max);
    void note_late_asks();
    std::optional<Instant> snoozed_until(AskId ask) const;
    void take_page(std::vector<Frame>& out, std::size_t max);
    void take_live(std::vector<Frame>& out, std::size_t max);
    void take_replacements(std::vector<Frame>& out, std::size_t max);
    void join_live(LiveLog::Position position);
    void finish_joining();
    void fall_behind();
    void read_page();
    void page_read(Result<EventPage> page);
    void read_later();

    LoopBroker* broker_;
    SubscribeRequest request_;
    UniqueFunction<void()> ready_;

    Phase phase_ = Phase::live;
    Cursor seen_;           // every event up to here was given or filtered out
    bool is_told_ = false;  // `ready` was called and nothing taken since
    bool must_reset_ = false;
    std::optional<Error> failure_;

    // Phase::snapshot: pending asks with ids in (snapshot_at_, snapshot_last_].
    AskId snapshot_at_;
    AskId snapshot_last_;
    // Asks among them that were opened since it began, as far as the live log was looked through.
    std::set<AskId> late_;
    LiveLog::Position noted_ = 0;

    // Phase::behind: a page of the store's events that is not given yet.
    std::deque<EventPtr> page_;
    bool is_reading_ = false;

    LiveLog::Position position_ = 0;
    // Nothing in the log from `begin` up to `end` is for this reader; up to there it has seen
    // `seen`.
    struct Quiet {
        LiveLog::Position begin = 0;
        LiveLog::Position end = 0;
        Cursor seen = {};
    };
    Quiet quiet_;
    // One that joins gets no delta from the middle of a part: those in the log are passed over, and
    // once the log is read to its end, the unfinished parts are given from their start.
    bool is_joining_ = false;
    std::deque<PartDeltaPtr> replacements_;
};

}  // namespace parley
