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

namespace {

// Between what people call the agent and its own name of the session, in a notice.
constexpr std::string_view kNames = " names this session ";

}  // namespace

DrivenSession::DrivenSession(net::Loop& loop, Link& link, Options options, Program& program,
                             Driver::Onlooker& onlooker, Driver::Finished finished)
    : loop_(loop),
      link_(link),
      options_(std::move(options)),
      program_(program),
      onlooker_(onlooker),
      finished_(std::move(finished)),
      pusher_(loop, link, options_.session),
      late_(options_.agent) {}

DrivenSession::~DrivenSession() = default;

SessionRequest DrivenSession::request(const Options& options) {
    SessionRequest request{.name = options.session, .title = options.title, .agent = options.agent};
    if (!options.folder.empty()) request.directory = options.folder;
    return request;
}

void DrivenSession::open() {
    link_.open_session(request(options_), alive_.guard([this](const Result<SessionPtr>& session) {
        opened(session);
    }));
}

void DrivenSession::opened(const Result<SessionPtr>& session) {
    if (!session) return conclude({Driver::Ending::Kind::failed, session.error().message});
    session_ = (*session)->id;
    // One that was killed in the middle of a turn has left it working.
    pusher_.push(Activity::idle);
    following_ = link_.follow({.session = options_.session, .is_agent = true}, *this);
    if (options_.is_resumed) return look_back();
    program_.session_opened(std::nullopt);
}

// What was answered while nobody ran this session no call has brought.
void DrivenSession::look_back() {
    look_back_ = std::make_unique<LookBack>(link_, session_.str(), options_.agent);
    look_back_->start([this](const Result<std::vector<AskPtr>>& missed) {
        if (!missed)
            warn(fmt::format("what was answered meanwhile cannot be read: {}",
                             missed.error().message));
        for (const AskPtr& ask : missed.value_or(std::vector<AskPtr>())) {
            late_.found(ask);
            late_.settled(ask);
        }
        auto own_name = look_back_->told(kNames);
        look_back_.reset();
        drop_orphans(std::move(own_name));
    });
}

// A process that was killed could not take back what it had asked; it does not ask again.
void DrivenSession::drop_orphans(std::optional<std::string> own_name) {
    link_.list_asks(
        {.state = AskState::pending, .session = session_},
        alive_.guard([this, own_name = std::move(own_name)](const Result<AskPage>& page) mutable {
            for (const AskPtr& ask : page ? page->asks : std::vector<AskPtr>())
                if (ask->spec->agent == options_.agent)
                    link_.withdraw(ask->id, options_.called + " goes on without it",
                                   [](Result<SettleReply>) {});
            program_.session_opened(std::move(own_name));
        }));
}

void DrivenSession::keep_own_name(std::string_view name) {
    tell({.text = fmt::format("{}{}{}", options_.called, kNames, name)});
}

void DrivenSession::say(std::string text) {
    link_.say(options_.session, std::move(text), [this](const Result<Said>& said) {
        if (!said) warn(fmt::format("the message was not taken: {}", said.error().message));
    });
}

void DrivenSession::say_next(std::string words) {
    if (words.empty()) return;
    tell({.text = fmt::format("{} is told with its next message: {}", options_.called,
                              cut_to_clusters(words, limits::kLastWordsChars))});
    words_.push_back(std::move(words));
}

bool DrivenSession::has_words() const {
    return !messages_.empty() || !words_.empty();
}

void DrivenSession::deliver() {
    if (!has_fetched_ || look_back_ || is_turn_running_ || !program_.is_ready()) return;
    std::vector<std::string> texts = std::exchange(words_, {});
    const std::vector<AskPtr> late = late_.take();
    for (const AskPtr& ask : late) texts.push_back(late_answer_text(*ask));
    for (std::span<const AskPtr> rest = late; !rest.empty();) {
        const std::size_t count = std::min(rest.size(), limits::kLateAnswersTold);
        tell({.text = late_answers_notice(options_.called, rest.first(count))});
        rest = rest.subspan(count);
    }
    for (auto& [id, text] : messages_) texts.push_back(std::move(text));
    if (!messages_.empty()) {
        last_given_ = messages_.rbegin()->first;
        link_.take_messages(options_.session, last_given_, [](Result<void>) {});
        messages_.clear();
    }
    if (texts.empty()) return;
    begin_turn();
    program_.give(std::move(texts));
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
    ++turns_begun_;
    pusher_.push(Activity::working);
    onlooker_.show_idle(false);
}

void DrivenSession::end_turn() {
    if (!std::exchange(is_turn_running_, false)) return;
    push_finish();
    late_.calls_ended();
}

void DrivenSession::push_finish() {
    ++finishes_pushed_;
    pusher_.push(StreamPart{{.kind = Part::Kind::finish, .part_id = options_.session}, true});
}

void DrivenSession::abort() {
    link_.abort(options_.session, [](Result<SessionPtr>) {});
}

void DrivenSession::on_frames(std::span<const Frame> frames) {
    for (const Frame& frame : frames) {
        onlooker_.show_frame(frame);
        if (const auto* event = std::get_if<EventPtr>(&frame)) on_event(**event);
        if (const auto* open = std::get_if<SnapshotAsk>(&frame)) late_.found(open->ask);
        if (std::holds_alternative<SnapshotEnd>(frame)) fetch_messages();
    }
}

void DrivenSession::on_event(const Event& event) {
    std::visit(Overload{
                   [this](const MessageAdded& message) {
                       queue(message.id, message.text);
                       deliver();
                   },
                   [this](const AskSettled& settled) {
                       late_.settled(settled.ask);
                       deliver();
                   },
                   [this](const SessionChanged& changed) {
                       if (changed.session->activity == Activity::working) {
                           ++turns_seen_;
                       } else if (is_turn_running_ && turns_seen_ >= turns_begun_) {
                           // We have not said that the turn is over: somebody stopped it.
                           program_.turn_stopped();
                       }
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
                                  MessagesTaken, NoticeGiven, AgentRevoked, TokenChanged> auto&) {},
               },
               event.body);
}

void DrivenSession::on_state(State state, const std::optional<Error>& why) {
    if (state == State::retrying)
        warn(fmt::format("the broker is away ({}); trying again",
                         why ? why->message : "no reason given"));
    if (state == State::ended && why) warn(why->message);
}

void DrivenSession::fetch_messages() {
    link_.list_messages(options_.session, [this](Result<std::vector<QueuedText>> messages) {
        if (!messages) {
            loop_.post_at(loop_.now() + limits::kRetryDelayMax,
                          alive_.guard([this] { fetch_messages(); }));
            return;
        }
        for (QueuedText& message : *messages) queue(message.id, std::move(message.text));
        has_fetched_ = true;
        deliver();
    });
}

void DrivenSession::queue(MessageId id, std::string text) {
    if (last_given_ < id) messages_.emplace(id, std::move(text));
}

void DrivenSession::tell(NoticeGiven notice) {
    onlooker_.show_notice(notice);
    link_.give_notice(options_.session, std::move(notice), [](Result<void>) {});
}

void DrivenSession::warn(const std::string& text) {
    onlooker_.show_notice({.text = text, .level = NoticeGiven::Level::warning});
}

void DrivenSession::conclude(Driver::Ending ending) {
    end_turn();
    ending_ = std::move(ending);
    loop_.post_at(loop_.now() + limits::kRemotePatience, alive_.guard([this] { finish(); }));
    pusher_.when_done(alive_.guard([this] { wind_up(); }));
}

void DrivenSession::wind_up() {
    is_wound_up_ = true;
    // A session that was ended tells no more.
    const bool has_more =
        finishes_seen_ < finishes_pushed_ && ending_->kind != Driver::Ending::Kind::session_ended;
    if (options_.shows_all_frames && has_more) return;
    finish();
}

void DrivenSession::finish() {
    if (finished_) std::exchange(finished_, nullptr)(*ending_);
}

}  // namespace parley
