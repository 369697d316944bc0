// SPDX-License-Identifier: Apache-2.0
// The broker on its loop: takes asks, keeps those who wait, settles once, fires deadlines, tells
// all. Every change goes through the store first; what the broker says, the store has made durable.
//
// Lives on one executor (`home`): all calls and all callbacks happen there. Callbacks never run
// inside the call that was given them. It reads no clock and no randomness but what it is handed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/block_cache.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/ids.h"
#include "base/lifetime.h"
#include "base/result.h"
#include "broker/agent_stream.h"
#include "broker/deadlines.h"
#include "broker/ledger.h"
#include "broker/limits.h"
#include "broker/live_log.h"
#include "broker/notice_rate.h"
#include "broker/openings.h"
#include "broker/quota.h"
#include "broker/requests.h"
#include "broker/subscription.h"
#include "broker/wait.h"
#include "core/profile.h"
#include "core/settle.h"
#include "core/viewer.h"
#include "store/store.h"

namespace parley {

class LoopBroker final : private StoreListener {
public:
    struct Wiring {
        Executor& home;
        const Clock& clock;
        Store& store;
        RandomBits random;
        // What it keeps in memory beside events; then new asks, drafts, sessions and messages are
        // refused until some have gone.
        std::size_t ledger_bytes = limits::kLedgerBytes;
        Quota quota = {};
    };

    explicit LoopBroker(Wiring wiring);
    ~LoopBroker() override;
    LoopBroker(const LoopBroker&) = delete;
    LoopBroker& operator=(const LoopBroker&) = delete;

    // Loads the store and settles every ask whose deadline passed while nobody ran; then `done`.
    void start(Done<void> done);
    // Writes what is queued and closes the store. Pending asks stay pending.
    void stop(UniqueFunction<void()> done);
    bool is_ready() const { return is_ready_; }
    // After what other nodes have committed until now is known here: for who is asked for what it
    // does not know. At once where there are no others.
    void catch_up(UniqueFunction<void()> done) {
        wiring_.store.catch_up(alive_.guard(std::move(done)));
    }
    // Why it is not, where the store is the cause; else empty.
    const std::string& lost_because() const { return lost_because_; }
    // Of what is not known here: 404, or 503 while nobody knows what other nodes have made.
    Error missing(std::string none) const;
    // The process holds more than it should: nothing new is taken until that is over. What is there
    // can be settled, which makes room.
    void set_short_of_memory(bool is_short) { is_short_of_memory_ = is_short; }

    // Asks. The spec is checked against `profile` before anything is stored.
    void ask(AskRequest request, const Profile& profile, const Actor& actor, Done<OpenedAsk> done);
    // What the viewer may not see is not there for it.
    // Calls `settled` with the settled ask, once. An ask that is not known is an Error.
    [[nodiscard]] Wait wait(AskId id, const Viewer& viewer, Done<AskPtr> settled);
    void find_ask(AskId id, const Viewer& viewer, Done<AskPtr> done);
    // Null unless it is pending.
    AskPtr find_pending(AskId id, const Viewer& viewer) const;
    // Those of one session, in order.
    std::vector<AskPtr> pending_in(SessionId session, const Viewer& viewer) const;
    std::size_t pending_count(SessionId session, const Viewer& viewer) const;
    // Works, or waits for something that the viewer may see.
    bool is_busy(SessionId session, const Viewer& viewer) const;
    // One after another, for lists of any length: of one session, or of all. Null at the end.
    AskPtr pending_after(AskId after, std::optional<SessionId> session, const Viewer& viewer) const;
    // The ask of a tool call, pending or settled; null when that call never asked.
    void find_ask_by_call(SessionId session, std::string call_id, const Viewer& viewer,
                          Done<AskPtr> done);
    // A page may have fewer than it could: `last` of a page with more is where the next begins.
    void list_asks(AskQuery query, const Viewer& viewer, Done<AskPage> done);

    // Settlements.
    void answer(AskId id, Answers answers, const AnswerRules& rules, const Actor& actor,
                Done<SettleReply> done);
    void dismiss(AskId id, std::optional<std::string> reason, const Actor& actor,
                 Done<SettleReply> done);
    void withdraw(AskId id, std::optional<std::string> reason, const Actor& actor,
                  Done<SettleReply> done);

    // What a settled ask said is kept no longer (broker_content.cc); `conflict` if it is pending.
    void delete_content(AskId id, const Viewer& viewer, Done<AskPtr> done);

    // What a responder keeps beside a pending ask.
    void put_draft(AskId id, const Viewer& viewer, DraftRequest draft, Done<DraftReply> done);
    // Null if there is none.
    DraftPtr draft(AskId id, const std::string& principal) const {
        return ledger_.find_draft(id, principal);
    }
    Ledger::Drafts drafts_of(const std::string& principal) const {
        return ledger_.find_drafts(principal);
    }
    const Ledger::Snoozes* snoozes_of(const std::string& principal) const {
        return ledger_.find_snoozes(principal);
    }
    void snooze(AskId id, const Viewer& viewer, std::optional<Instant> until, Done<void> done);

    // Sessions. `ref` is an id or a client's own name. A session of another agent is not there for
    // who reads, and refused to who acts; one that is no agent's becomes that of the first that
    // acts.
    void open_session(SessionRequest request, const Viewer& viewer, Done<SessionPtr> done);
    void find_session(std::string_view ref, const Viewer& viewer, Done<SessionPtr> done);
    // To act in it, or to listen; a name that is not known is opened.
    void enter_session(std::string_view ref, const Viewer& viewer, Done<SessionPtr> done);
    // Null unless it is live.
    const Ledger::SessionEntry* find_live(std::string_view ref, const Viewer& viewer) const;
    const Ledger::SessionEntry* find_live(SessionId id, const Viewer& viewer) const;
    // Of a session that is known here, for what is told of it anyway; else empty.
    std::string_view session_name(SessionId id) const { return ledger_.session_name(id); }
    // The id behind `ref`, whosever it is; a name must be a live session's.
    [[nodiscard]] Result<SessionId> resolve(std::string_view ref, const Viewer& viewer) const;
    // For reads: the name of a session that is hidden is no session's.
    [[nodiscard]] Result<SessionId> resolve_shown(std::string_view ref, const Viewer& viewer) const;
    // The live one before that, or the newest. Null at the end.
    const Ledger::SessionEntry* live_before(std::optional<SessionId> before,
                                            const Viewer& viewer) const;
    // For people: an agent sees the sessions whose names it knows.
    void list_sessions(SessionQuery query, const Viewer& viewer, Done<SessionPage> done);
    // What is kept of what happened; in a session, if the viewer may see it.
    void list_events(EventQuery query, const Viewer& viewer, Done<ShownEvents> done);
    void end_session(std::string_view ref, std::optional<std::string> reason, const Actor& actor,
                     Done<SessionPtr> done);
    void set_title(SessionId id, std::string title, const Viewer& viewer, Done<SessionPtr> done);
    // The deadline of its later asks that bring none of their own.
    void set_ask_timeout(SessionId id, std::optional<Millis> timeout, const Viewer& viewer,
                         Done<SessionPtr> done);
    // Stops the turn: withdraws the session's pending asks; the session lives on, idle.
    void abort(std::string_view ref, const Actor& actor, Done<SessionPtr> done);

    // What an agent adds to its own stream; `done` when all of it is where it belongs, or one item
    // was refused: those before it stay, those after it are not taken (core/push_refusal.h).
    void push(std::string_view ref, std::vector<StreamItem> items, const Viewer& viewer,
              Done<void> done);
    // A person speaks to the agent of a session.
    void say(std::string_view ref, std::string text, const Actor& actor, Done<Said> done);
    // The agent has them: they are queued no longer.
    void take_messages(std::string_view ref, MessageId up_to, const Viewer& viewer,
                       Done<void> done);
    // Tells people something without asking; `ref` may be empty.
    void give_notice(std::string_view ref, NoticeGiven notice, const Viewer& viewer,
                     Done<void> done);

    // Tokens (broker_tokens.cc). Of a principal's name: refused if another has it.
    void put_token(Token token, Done<void> done);
    // The token of that name is another one from now on.
    void replace_token(Token token, Done<void> done);
    void drop_token(std::string name, Done<void> done);
    void name_person(std::string principal, std::string person, Done<void> done);
    void touch_token(const std::string& name, Instant used_at);
    const Ledger::Tokens& tokens() const { return ledger_.tokens(); }
    // Called whenever a token that counted may count no longer.
    void on_revoked(std::function<void()> told) { told_of_revoked_ = std::move(told); }

    // Marks (broker_marks.cc): what the nodes on one store keep for each other.
    bool is_shared() const { return is_store_shared_; }
    void put_mark(PutMark change, Done<Verdict> done);
    // Whoever adds one that runs out does it, and a node with each sign of life.
    void drop_expired_marks();
    MarkPtr find_mark(std::string_view key) const { return ledger_.find_mark(key); }
    const Ledger::Expiring& expiring_marks(std::string_view kind) const {
        return ledger_.expiring(kind);
    }
    // Called with each mark of a kind ("seat/") that was changed, null if it was dropped, and with
    // all there are once the store was read anew.
    using ToldOfMark = std::function<void(const std::string& key, const MarkPtr& mark)>;
    void on_mark(std::string kind, ToldOfMark told) {
        told_of_marks_.emplace_back(std::move(kind), std::move(told));
    }

    // An agent listens here for what is said in this session, or listens no longer.
    using ToldOfAgent = std::function<void(SessionId session, bool is_there)>;
    void on_agent(ToldOfAgent told) { told_of_agent_ = std::move(told); }
    std::vector<SessionId> agents_here() const;
    // Asked when a person speaks where no agent listens: whether one that was waiting for this does
    // now. What became of the message is told after that.
    using CallAgent =
        std::function<void(SessionId session, UniqueFunction<void(bool is_there)> done)>;
    void on_unheard(CallAgent call) { call_agent_ = std::move(call); }
    // The agent of a live session is gone with its node, which people are told: what it did is
    // over, what it asked waits on. `mark` is dropped with it, as it stands in `change`.
    void leave_orphaned(SessionId session, PutMark change, NoticeGiven notice);

    // What becomes of the store, for who runs it: `detail` says what happened and what to do.
    enum class StoreNews : std::uint8_t { lost, back, damaged };
    using ToldOfStore = std::function<void(StoreNews news, const std::string& detail)>;
    void on_store_news(ToldOfStore told) { told_of_store_ = std::move(told); }
    // Something could not be read since the store was opened.
    bool has_damage() const { return has_damage_; }

    // Of what is known now.
    Cursor head() const { return ledger_.head(); }
    // All of it, whosever it is: for who runs the server, and for tests (tools/banned_calls.py).
    const Ledger& ledger() const { return ledger_; }
    const StoreStats& store_stats() const { return wiring_.store.stats(); }
    std::size_t subscriber_count() const;
    // Asks opened since the start, by the door that they came through.
    const std::map<std::string, std::uint64_t>& opened_by_door() const { return opened_by_door_; }

    // `ready` is called whenever the subscription has something to take again.
    [[nodiscard]] Result<Subscription> subscribe(SubscribeRequest request,
                                                 UniqueFunction<void()> ready);

private:
    friend class Wait;
    friend class Subscription;
    friend class Subscription::Reader;

    struct Waiter {
        std::uint64_t number = 0;
        Viewer viewer;
        Done<AskPtr> settled;
    };
    using Waiters = std::vector<Waiter, BlockAllocator<Waiter>>;

    void on_committed(std::span<const EventPtr> events) override;
    void on_lost(const Error& error) override;
    void on_reopened(Snapshot snapshot) override;
    void on_damaged(const Error& error) override;

    // The feed and the deadlines (broker.cc).
    void follow_up(const Event& event);
    void tell_of_revoked();
    void watch_expiry(const Token& token);
    void tell_of_mark(const std::string& key, const MarkPtr& mark) const;
    void drop_marks_of(SessionId ended);
    void drop_stale_marks();
    // Of what was added to the live log since `from`.
    void wake_readers(LiveLog::Position from);
    void load(const Snapshot& snapshot);
    Millis time_left(const Ask& ask, Instant deadline) const;
    void add_message(std::vector<Change> changes, bool is_queued, Done<std::optional<Said>> done);
    void put_known_draft(AskId id, const Viewer& viewer, DraftRequest draft, Done<DraftReply> done);
    void schedule_deadline(const Ask& ask, Millis remaining);
    void arm_timer();
    void settle_due(Done<void> done);
    void keep_deadlines(const Snapshot& snapshot);

    // Asking (broker_asks.cc).
    [[nodiscard]] Result<void> check_room() const;
    [[nodiscard]] Result<void> check_draft_room(AskId id, const std::string& principal,
                                                const Answers& answers) const;
    [[nodiscard]] Result<void> check_quota(const Viewer& viewer) const;
    // What the principal has, and what it is about to have.
    Ledger::Usage usage_of(std::string_view principal) const;
    struct Asker {
        Viewer viewer;
        std::uint64_t& opened;  // by its door, so far
    };
    void opened(Result<std::span<const ChangeOutcome>> outcomes, const Asker& asker,
                Done<OpenedAsk>& done);
    void commit_beside(Change change, AskId id, Done<ChangeOutcome> done);
    void wake(const AskPtr& settled);
    // Ends the wait; nothing if it has been told.
    std::optional<Done<AskPtr>> take_waiter(AskId ask, std::uint64_t number);
    void wait_from_store(AskId id, const Viewer& viewer, std::uint64_t number);
    void wait_on(AskId id, const Viewer& viewer, std::uint64_t number);

    // Settling (broker_settle.cc).
    using MakeSettlement = UniqueFunction<Result<Settlement>(const Ask&)>;
    struct Settling {
        AskPtr ask;
        MarkPtr only_while;
    };
    void offer(Settling what, Result<Settlement> settlement, Done<SettleReply> done);
    void settle_late(AskId id, const Actor& actor, MakeSettlement make, Done<SettleReply> done);

    // Who may see and act (broker_viewers.cc).
    // The session as it will stand once what is on its way is stored.
    SessionPtr find_entered(SessionId id) const;
    SessionPtr find_entered(const std::string& live_name) const;
    // Lets an agent act in it, and makes one that is no agent's its own.
    [[nodiscard]] Result<void> enter(const Session& session, const Viewer& viewer);
    [[nodiscard]] Result<SessionId> enter_live(std::string_view ref, const Viewer& viewer);
    [[nodiscard]] Result<void> check_may_stop(const Ledger::SessionEntry& entry,
                                              const Viewer& viewer) const;
    AskPage list_pending(const AskQuery& query, const Viewer& viewer) const;
    Done<AskPtr> shown_to(const Viewer& viewer, AskId id, Done<AskPtr> done) const;

    // Sessions (broker_sessions.cc).
    struct SessionPlan {
        SessionId id;
        SessionPtr to_open;  // null when it is known already
    };
    struct SessionWish {
        std::string_view ref;  // empty: the asker's own
        const std::optional<std::string>& agent;
        const Viewer& viewer;
    };
    SessionPtr find_wished(const SessionWish& wish) const;
    Result<SessionPlan> plan_session(const SessionWish& wish) {
        return plan_session(wish, find_wished(wish));
    }
    Result<SessionPlan> plan_session(const SessionWish& wish, const SessionPtr& standing);
    // Another node was faster to open what is wished for; this one knows of it by now.
    bool was_opened_elsewhere(const SessionWish& wish, SessionId tried) const;
    std::string_view name_of(const SessionWish& wish) const;
    [[nodiscard]] Result<void> check_session_quota(const Viewer& viewer) const;
    AskPtr new_ask(SessionId session, SharedSpec spec);
    SessionPtr new_session(SessionRequest request, const Viewer& viewer);
    // Once it is stored, or will not be; `to_open` may be null.
    void end_opening(const SessionPtr& to_open);
    void change_session(ChangeSession change, const Viewer& viewer, Done<SessionPtr> done);
    void stop_turn(std::string_view ref, const Actor& actor, Done<SessionPtr> done);

    // The agent's stream (broker_streams.cc).
    void advance_stream(SessionId id);
    Result<void> add_delta(SessionId id, AgentStream& stream, PartDelta delta);
    Result<void> write_part(SessionId id, AgentStream& stream, StreamPart end);
    void write_activity(SessionId id, AgentStream& stream, Activity activity);
    void add_activity(SessionId id, Activity activity, Instant now,
                      std::vector<Change>& changes) const;
    void write_stream(SessionId id, std::vector<Change> changes, std::shared_ptr<const Part> part);
    void close_part(AgentStream& stream, const Part& part);
    // The agent began the part at this node and ended it at another.
    void close_elsewhere(SessionId id, const Part& part);
    void step_over(AgentStream& stream, Result<void> result);
    void finish_push(AgentStream::Push push, Result<void> result);
    void end_stream(SessionId id);
    void refuse_waiting(AgentStream& stream);
    void end_message(SessionId id);
    std::vector<PartDeltaPtr> unfinished_parts(std::optional<SessionId> session) const;
    bool has_agent(SessionId session) const;

    void drop_reader(const Subscription::Reader* reader);
    template <class T>
    void fail(Done<T>& done, Error error) {
        wiring_.home.post([done = std::move(done), error = std::move(error)]() mutable {
            done(reject(std::move(error)));
        });
    }

    Wiring wiring_;
    IdMaker ids_;
    Ledger ledger_;
    LiveLog live_;
    Deadlines deadlines_;
    std::optional<Mono> timer_armed_for_;
    std::unordered_map<AskId, Waiters, std::hash<AskId>, std::equal_to<>,
                       BlockAllocator<std::pair<const AskId, Waiters>>>
        waiters_;
    std::uint64_t next_waiter_ = 1;
    Openings openings_;
    // Sessions whose opening is on its way to the store.
    std::unordered_map<std::string, SessionPtr> opening_;  // by live_name()
    // Whose a session becomes, while that is on its way to the store.
    std::unordered_map<SessionId, std::string> claims_;
    std::unordered_map<SessionId, AgentStream> streams_;
    // Of sessions that ended while an item was on its way to the store.
    std::unordered_map<SessionId, AgentStream> ended_streams_;
    std::size_t open_parts_bytes_ = 0;  // of all streams
    std::size_t waiting_bytes_ = 0;     // of pushes of all streams that are not through
    NoticeRate notice_rate_;
    std::set<std::string> touching_;  // tokens whose use is on its way to the store
    std::function<void()> told_of_revoked_;
    std::optional<Instant> watched_expiry_;  // of the token that expires first
    ToldOfStore told_of_store_;
    ToldOfAgent told_of_agent_;
    CallAgent call_agent_;
    std::vector<std::pair<std::string, ToldOfMark>> told_of_marks_;  // by kind
    std::map<std::string, std::uint64_t> opened_by_door_;
    std::vector<Subscription::Reader*> readers_;
    bool is_telling_ = false;  // a reader that leaves now leaves a null behind
    bool is_ready_ = false;
    bool is_store_shared_ = false;
    std::string lost_because_;
    bool has_damage_ = false;
    bool is_short_of_memory_ = false;
    // Callbacks that outlive the broker find this gone and do nothing.
    Lifetime alive_;
};

}  // namespace parley
