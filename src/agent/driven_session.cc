// SPDX-License-Identifier: Apache-2.0
#include "agent/driven_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "agent/limits.h"
#include "base/overload.h"
#include "client/limits.h"
#include "text/width.h"

namespace parley {

DrivenSession::DrivenSession(Wiring wiring, Options options, Program& program,
                             Driver::Onlooker& onlooker, Driver::Finished finished)
    : wiring_(wiring),
      link_(wiring.link),
      options_(std::move(options)),
      program_(program),
      onlooker_(onlooker),
      finished_(std::move(finished)),
      names_(options_.names),
      pusher_(wiring.home, wiring.clock, wiring.link, options_.session),
      messages_(wiring, options_.session, options_.given_before, *this),
      late_(options_.agent, options_.calls),
      orphans_(wiring.home, wiring.clock, wiring.link) {}

DrivenSession::~DrivenSession() = default;

SessionRequest DrivenSession::request(const Options& options) {
    SessionRequest request{.name = options.session,
                           .title = options.title,
                           .agent = options.agent,
                           .on_dismiss = options.on_dismiss};
    if (!options.folder.empty()) request.directory = options.folder;
    return request;
}

void DrivenSession::open() {
    auto done = alive_.guard([this](const Result<SessionPtr>& session) { opened(session); });
    if (options_.is_open) return link_.find_session(options_.session, std::move(done));
    link_.open_session(request(options_), std::move(done));
}

void DrivenSession::opened(const Result<SessionPtr>& session) {
    if (!session) return conclude({Driver::Ending::Kind::failed, session.error().message});
    if ((*session)->ended_at) return program_.session_ended("the session was ended");
    session_ = (*session)->id;
    // One that was killed in the middle of a turn has left it working.
    pusher_.push(Activity::idle);
    // Before the log is read: what is settled in between is told by one of the two, and can_give()
    // waits for both.
    following_ = link_.follow({.session = options_.session, .is_agent = true}, *this);
    if (options_.is_resumed) return look_back();
    program_.session_opened(std::nullopt);
}

// What was answered while nobody ran this session no call has brought.
void DrivenSession::look_back() {
    look_back_ = std::make_unique<LookBack>(link_, session_.str(),
                                            LateAnswers(options_.agent, options_.calls));
    look_back_->start([this](const Result<std::vector<AskPtr>>& missed) {
        if (!missed)
            warn(fmt::format("what was answered meanwhile cannot be read: {}",
                             missed.error().message));
        for (const AskPtr& ask : missed.value_or(std::vector<AskPtr>())) late_.missed(ask);
        std::optional<std::string> own_name;
        if (auto kept = names_.find(session_)) {
            own_name = std::move(kept->name);
            named_since_ = kept->since;
        }
        look_back_.reset();
        if (options_.asks_again) return program_.session_opened(std::move(own_name));
        // Before the program begins: what that asks is none of them.
        drop_orphans([this, own_name = std::move(own_name)]() mutable {
            program_.session_opened(std::move(own_name));
        });
    });
}

// A process that was killed could not take back what it had asked.
void DrivenSession::drop_orphans(Task done) {
    link_.list_asks(
        {.state = AskState::pending, .session = session_},
        alive_.guard([this, done = std::move(done)](const Result<AskPage>& page) mutable {
            for (const AskPtr& ask : page ? page->asks : std::vector<AskPtr>())
                if (ask->spec->agent == options_.agent && !program_.awaits(ask->id))
                    orphans_.add(ask->id, options_.called + " goes on without it");
            done();
        }));
}

void DrivenSession::keep_own_name(std::string_view name) {
    tell({.text = fmt::format("{} names this session {}", options_.called, name)});
    if (const auto kept = names_.keep(session_, name); !kept)
        warn(fmt::format("the next run will not know this name: {}", kept.error().message));
}

void DrivenSession::say_next(std::string words) {
    if (words.empty()) return;
    tell({.text = fmt::format("{} is told with its next message: {}", options_.called,
                              cut_to_clusters(words, limits::kLastWordsChars))});
    words_.push_back(std::move(words));
}

void DrivenSession::missed(const AskPtr& ask) {
    tell({.text = missed_answer_notice(options_.called, *ask),
          .level = NoticeGiven::Level::warning});
    late_.missed(ask);
    deliver();
}

bool DrivenSession::can_give() const {
    return messages_.is_known() && !look_back_ && program_.is_ready() &&
           (!is_turn_running_ || options_.takes_words_in_turn);
}

void DrivenSession::deliver() {
    if (!can_give()) return;
    std::vector<std::string> texts = std::exchange(words_, {});
    std::vector<AskPtr> late = late_.take();
    for (const AskPtr& ask : late) texts.push_back(late_answer_text(*ask));
    for (std::string& text : messages_.give()) texts.push_back(std::move(text));
    if (texts.empty()) return;
    // First: the program may have all of it, or fail, before give() returns.
    begin_turn();
    program_.give(std::move(texts),
                  alive_.guard([this, late = std::move(late), up_to = messages_.last_given()] {
                      has(late, up_to);
                  }));
}

// The notices in the log keep these from being given again after a crash.
void DrivenSession::has(std::span<const AskPtr> late, MessageId up_to) {
    while (!late.empty()) {
        const std::size_t count = std::min(late.size(), limits::kLateAnswersTold);
        tell({.text = late_answers_notice(options_.called, late.first(count))});
        late = late.subspan(count);
    }
    messages_.has(up_to);
}

void DrivenSession::show(std::vector<StreamItem> items) {
    for (StreamItem& item : items) {
        onlooker_.show(item);
        if (const auto* part = std::get_if<StreamPart>(&item)) late_.note(part->part);
        pusher_.push(std::move(item));
    }
}

void DrivenSession::begin_turn() {
    if (std::exchange(is_turn_running_, true)) return;
    is_interrupted_ = false;
    ++turns_begun_;
    pusher_.push(Activity::working);
    onlooker_.show_idle(false);
}

void DrivenSession::end_turn() {
    if (!std::exchange(is_turn_running_, false)) return;
    push_finish();
    late_.calls_ended();
    if (options_.is_resumed && options_.asks_again && turns_begun_ == 1) drop_orphans([] {});
}

void DrivenSession::push_finish() {
    ++finishes_pushed_;
    pusher_.push(StreamPart{{.kind = Part::Kind::finish, .part_id = options_.session}, true});
}

Driver::Interruption DrivenSession::interrupt() {
    if (!is_turn_running_) return Driver::Interruption::no_turn;
    if (std::exchange(is_interrupted_, true)) return Driver::Interruption::again;
    // Its echo stops the program once more, which a program bears.
    link_.abort(options_.session, [](Result<SessionPtr>) {});
    program_.turn_stopped();
    return Driver::Interruption::stopped;
}

void DrivenSession::on_frames(std::span<const Frame> frames) {
    for (const Frame& frame : frames) {
        onlooker_.show_frame(frame);
        if (const auto* event = std::get_if<EventPtr>(&frame)) on_event(**event);
        if (const auto* open = std::get_if<SnapshotAsk>(&frame)) late_.found(open->ask);
        if (std::holds_alternative<SnapshotEnd>(frame)) messages_.fetch();
    }
}

void DrivenSession::on_event(const Event& event) {
    std::visit(Overload{
                   [this](const MessageAdded& message) {
                       messages_.added(message.id, message.text);
                       deliver();
                   },
                   [this](const AskSettled& settled) {
                       late_.settled(settled.ask);
                       deliver();
                   },
                   [this](const SessionChanged& changed) {
                       // A session that is renamed changes too, and works on.
                       const bool works = changed.session->activity == Activity::working;
                       const bool did = std::exchange(is_seen_working_, works);
                       if (works && !did) ++turns_seen_;
                       // We have not said that the turn is over: somebody stopped it. What we
                       // said of the turns before comes back later than it was said, hence the
                       // counts: the end of one is no stop of the next.
                       if (!works && did && is_turn_running_ && turns_seen_ >= turns_begun_)
                           program_.turn_stopped();
                   },
                   [this](const PartAdded& added) {
                       if (added.part->kind != Part::Kind::finish) return;
                       ++finishes_seen_;
                       if (is_wound_up_) wind_up();
                   },
                   [this](const SessionEnded& ended) {
                       program_.session_ended(ended.reason
                                                  ? "the session was ended: " + *ended.reason
                                                  : std::string("the session was ended"));
                   },
                   [](const OneOf<AskOpened, DraftChanged, SnoozeChanged, SessionCreated,
                                  MessagesTaken, NoticeGiven, AgentRevoked, TokenChanged,
                                  MarkChanged, ContentDeleted> auto&) {},
               },
               event.body);
}

void DrivenSession::on_state(State state, const std::optional<Error>& why) {
    if (state == State::retrying)
        warn(fmt::format("the broker is away ({}); trying again",
                         why ? why->message : "no reason given"));
    if (state == State::away && why) warn("the broker's store is away: " + why->message);
    if (state == State::ended && why) warn(why->message);
}

void DrivenSession::tell(NoticeGiven notice) {
    onlooker_.show_notice(notice);
    link_.give_notice(options_.session, std::move(notice), [](Result<void>) {});
}

void DrivenSession::warn(const std::string& text) {
    onlooker_.show_notice({.text = text, .level = NoticeGiven::Level::warning});
}

void DrivenSession::conclude(Driver::Ending ending, Closing closing) {
    end_turn();
    ending_ = std::move(ending);
    wiring_.home.post_at(wiring_.clock.mono() + limits::kRemotePatience,
                         alive_.guard([this] { finish(); }));
    closing(alive_.guard([this] {
        pusher_.when_done(
            alive_.guard([this] { messages_.when_told(alive_.guard([this] { wind_up(); })); }));
    }));
}

// Once all has arrived, and from then on with each finish that the broker tells.
void DrivenSession::wind_up() {
    is_wound_up_ = true;
    // A session that was ended tells no more.
    const bool has_more = finishes_seen_ < finishes_pushed_ && ending_ &&
                          ending_->kind != Driver::Ending::Kind::session_ended;
    if (options_.shows_all_frames && has_more) return;
    finish();
}

// By whichever comes first: all that had to arrive, or the end of the patience.
void DrivenSession::finish() {
    if (finished_ && ending_) std::exchange(finished_, nullptr)(*ending_);
}

}  // namespace parley
