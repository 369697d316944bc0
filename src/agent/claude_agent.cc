// SPDX-License-Identifier: Apache-2.0
#include "agent/claude_agent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "agent/limits.h"
#include "base/overload.h"
#include "client/limits.h"
#include "text/safe_text.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr std::string_view kInitialize = "parley-initialize";
constexpr std::string_view kInterrupt = "parley-interrupt";

using Level = NoticeGiven::Level;

}  // namespace

ClaudeAgent::ClaudeAgent(net::Loop& loop, Link& link, Options options, Onlooker& onlooker,
                         Finished finished)
    : loop_(loop),
      link_(link),
      options_(std::move(options)),
      onlooker_(onlooker),
      finished_(std::move(finished)),
      pusher_(loop, link, options_.session),
      asks_(link,
            {.session = options_.session,
             .timeout = options_.timeout,
             .interrupts_on_dismiss = options_.interrupts_on_dismiss},
            *this) {}

ClaudeAgent::~ClaudeAgent() = default;

SessionRequest ClaudeAgent::session_request(const Options& options) {
    return {.name = options.session,
            .title = options.title,
            .agent = std::string(ClaudeAsks::kAgent),
            .on_dismiss = options.interrupts_on_dismiss ? OnDismiss::stop : OnDismiss::tell};
}

void ClaudeAgent::start() {
    link_.open_session(session_request(options_),
                       [this](const Result<SessionPtr>& session) { opened(session); });
}

// Following begins before Claude Code is started, so that nothing that is said meanwhile is missed;
// what was said earlier is fetched when the first snapshot is over.
void ClaudeAgent::opened(const Result<SessionPtr>& session) {
    if (!session) return finish({Ending::Kind::failed, session.error().message});
    session_ = (*session)->id;
    // One that was killed in the middle of a turn has left it working.
    pusher_.push(Activity::idle);
    following_ = link_.follow({.session = options_.session, .is_agent = true}, *this);
    if (options_.is_resumed) look_back();
    launch();
}

void ClaudeAgent::launch() {
    auto process = LineProcess::start(loop_, options_.command, *this);
    if (!process)
        return conclude({Ending::Kind::failed,
                         process.error().message + "; name your Claude Code with --claude PATH"});
    process_ = std::move(*process);
    if (options_.is_resumed) tell({.text = "Claude Code resumes this session"});
    process_->send(claude::initialize_line(kInitialize));
    if (options_.prompt) say(*std::exchange(options_.prompt, std::nullopt));
}

// Not to the process itself: a message that only it has seen would be lost with it.
void ClaudeAgent::say(std::string text) {
    link_.say(options_.session, std::move(text), [this](const Result<Said>& said) {
        if (!said) trouble(fmt::format("the message was not taken: {}", said.error().message));
    });
}

bool ClaudeAgent::on_line(const std::string& line) {
    auto read = claude::read_cli_line(line);
    if (read) take(std::move(*read));
    return read.has_value();
}

void ClaudeAgent::take(claude::CliLine line) {
    if (auto* request = std::get_if<claude::ControlRequest>(&line)) {
        // A callback may come at any time.
        if (!std::holds_alternative<claude::CallbackWish>(request->wish)) begin_turn();
        asks_.take(std::move(*request));
    } else if (const auto* cancel = std::get_if<claude::ControlCancel>(&line)) {
        asks_.cancel(cancel->id);
    } else if (const auto* answer = std::get_if<claude::ControlReply>(&line)) {
        if (answer->id != kInitialize) return;
        if (!answer->error.empty()) {
            ending_ = {Ending::Kind::failed, answer->error};
            return quit();
        }
        if (life_ == Life::starting) life_ = Life::running;
        deliver();
    } else if (const auto* said = std::get_if<claude::Said>(&line)) {
        begin_turn();
        for (StreamItem& item : reader_.read(said->message)) {
            onlooker_.show(item);
            if (const auto* part = std::get_if<StreamPart>(&item)) late_.note(part->part);
            pusher_.push(std::move(item));
        }
        deliver();
    } else if (const auto* ended = std::get_if<claude::TurnEnded>(&line)) {
        end_turn(*ended);
    }
}

// Claude Code does not say that it begins. It has begun when it says or wants anything, or when it
// was given a message.
void ClaudeAgent::begin_turn() {
    if (turn_ != Turn::none) return;
    turn_ = Turn::running;
    ++turns_begun_;
    pusher_.push(Activity::working);
    onlooker_.show_idle(false);
}

void ClaudeAgent::end_turn(const claude::TurnEnded& ended) {
    last_turn_ = ended;
    const Turn turn = std::exchange(turn_, Turn::none);
    last_turn_->is_interrupted = ended.is_interrupted || turn == Turn::interrupted;
    push_finish();
    if (ended.is_error && !last_turn_->is_interrupted)
        tell({.text = "Claude Code could not finish its turn: " +
                      cut_to_clusters(ended.why, limits::kLastWordsChars),
              .level = Level::error});
    if (turns_begun_ == 1) drop_orphans();
    late_.calls_ended();
    deliver();
    if (turn_ != Turn::none) return;
    if (options_.ends_with_turn && messages_.empty()) {
        // It ends by itself once it has nothing more to do.
        if (life_ != Life::quitting) life_ = Life::closing;
        process_->close_input();
    } else {
        onlooker_.show_idle(true);
    }
}

void ClaudeAgent::push_finish() {
    ++finishes_pushed_;
    pusher_.push(StreamPart{{.kind = Part::Kind::finish, .part_id = options_.session}, true});
}

// A process that was killed could not take back what it had asked. What the resumed Claude Code
// wanted decided again is open now; the rest leads nowhere.
void ClaudeAgent::drop_orphans() {
    if (!options_.is_resumed) return;
    link_.list_asks({.state = AskState::pending, .session = session_},
                    [this](const Result<AskPage>& page) {
                        if (!page || asks_.is_waiting()) return;
                        for (const AskPtr& ask : page->asks)
                            if (ask->spec->agent == ClaudeAsks::kAgent)
                                link_.withdraw(ask->id, "Claude Code goes on without it",
                                               [](Result<SettleReply>) {});
                    });
}

void ClaudeAgent::reply(std::string line) {
    if (process_) process_->send(std::move(line));
}

void ClaudeAgent::answered(const std::string& call_id, std::string output) {
    reader_.keep_answer(call_id, std::move(output));
}

void ClaudeAgent::closed() {
    deliver();
}

void ClaudeAgent::trouble(const std::string& text) {
    onlooker_.show_notice({.text = text, .level = Level::warning});
}

void ClaudeAgent::on_frames(std::span<const Frame> frames) {
    for (const Frame& frame : frames) {
        onlooker_.show_frame(frame);
        if (const auto* event = std::get_if<EventPtr>(&frame)) on_event(**event);
        if (const auto* open = std::get_if<SnapshotAsk>(&frame)) late_.found(open->ask);
        if (std::holds_alternative<SnapshotEnd>(frame)) fetch_messages();
    }
}

// Our own pushes come back here as well, which is how a stop by somebody else is told from our own
// "idle": by counting which of our turns the broker has spoken of.
void ClaudeAgent::on_event(const Event& event) {
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
                       } else if (turn_ == Turn::running && turns_seen_ >= turns_begun_) {
                           // We have not said that the turn is over: somebody stopped it.
                           send_interrupt();
                       }
                   },
                   [this](const PartAdded& added) {
                       if (added.part->kind != Part::Kind::finish) return;
                       ++finishes_seen_;
                       if (life_ == Life::wound_up) wind_up();
                   },
                   [this](const SessionEnded& ended) {
                       ending_ = {Ending::Kind::session_ended,
                                  ended.reason ? "the session was ended: " + *ended.reason
                                               : "the session was ended"};
                       quit();
                   },
                   [](const OneOf<AskOpened, DraftChanged, SnoozeChanged, SessionCreated,
                                  MessagesTaken, NoticeGiven, AgentRevoked, TokenChanged> auto&) {},
               },
               event.body);
}

void ClaudeAgent::on_state(State state, const std::optional<Error>& why) {
    if (state == State::retrying)
        onlooker_.show_notice({.text = fmt::format("the broker is away ({}); trying again",
                                                   why ? why->message : "no reason given"),
                               .level = Level::warning});
    if (state == State::ended && why) trouble(why->message);
}

void ClaudeAgent::fetch_messages() {
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

// What was answered while nobody ran this session no call has brought.
void ClaudeAgent::look_back() {
    look_back_ = std::make_unique<LookBack>(link_, session_.str(), ClaudeAsks::kAgent);
    look_back_->start([this](Result<std::vector<AskPtr>> missed) {
        if (!missed) {
            trouble(fmt::format("what was answered meanwhile cannot be read: {}",
                                missed.error().message));
        } else {
            for (const AskPtr& ask : *missed) {
                late_.found(ask);
                late_.settled(ask);
            }
        }
        look_back_.reset();
        deliver();
    });
}

void ClaudeAgent::queue(MessageId id, std::string text) {
    if (last_given_ < id) messages_.emplace(id, std::move(text));
}

// While a question is open, messages wait where a crash does not lose them.
void ClaudeAgent::deliver() {
    const bool is_ready = process_ && life_ == Life::running && has_fetched_ && !look_back_;
    if (!is_ready || asks_.is_waiting()) return;
    const std::vector<AskPtr> late = late_.take();
    if (late.empty() && messages_.empty()) return;
    give_late(late);
    for (const auto& [id, text] : messages_) process_->send(claude::user_line(text));
    if (!messages_.empty()) {
        last_given_ = messages_.rbegin()->first;
        link_.take_messages(options_.session, last_given_, [](Result<void>) {});
        messages_.clear();
    }
    begin_turn();
}

void ClaudeAgent::give_late(std::span<const AskPtr> asks) {
    for (const AskPtr& ask : asks) process_->send(claude::user_line(late_answer_text(*ask)));
    for (; !asks.empty(); asks = asks.subspan(std::min(asks.size(), limits::kLateAnswersTold)))
        tell({.text = late_answers_notice(
                  "Claude Code", asks.first(std::min(asks.size(), limits::kLateAnswersTold)))});
}

bool ClaudeAgent::interrupt() {
    if (turn_ == Turn::none) return false;
    // Through the broker, so that every open ask is withdrawn and everybody is told. Claude Code is
    // told at once, in case the broker is away.
    link_.abort(options_.session, [](Result<SessionPtr>) {});
    send_interrupt();
    return true;
}

void ClaudeAgent::send_interrupt() {
    if (!process_ || turn_ != Turn::running) return;
    turn_ = Turn::interrupted;
    process_->send(claude::interrupt_line(kInterrupt));
}

void ClaudeAgent::interrupting() {
    if (turn_ == Turn::running) turn_ = Turn::interrupted;
}

void ClaudeAgent::quit() {
    if (life_ == Life::quitting || life_ == Life::wound_up) return;
    life_ = Life::quitting;
    if (process_) return process_->stop();
    conclude({Ending::Kind::stopped});
}

// What we know first hand counts before what the exit status says: a session that was ended and a
// person who quits both make it die by a signal.
void ClaudeAgent::on_exit(net::ExitStatus status, std::vector<std::string> words) {
    if (ending_) return conclude(*ending_);
    if (life_ == Life::quitting) return conclude({Ending::Kind::stopped});
    const bool is_expected = life_ == Life::closing && status.signal == 0 && last_turn_;
    if (!is_expected) {
        std::string why = fmt::format("Claude Code ended unexpectedly ({})", status.str());
        if (!words.empty()) why += fmt::format(":\n{}", fmt::join(words, "\n"));
        why = cut_to_clusters(escape_unsafe(why), limits::kLastWordsChars);
        tell({.text = why, .level = Level::error});
        return conclude({Ending::Kind::failed, std::move(why)});
    }
    if (last_turn_->is_interrupted)
        return conclude({Ending::Kind::stopped, "the turn was stopped"});
    if (last_turn_->is_error) return conclude({Ending::Kind::failed, last_turn_->why});
    conclude({.kind = Ending::Kind::done, .result = last_turn_->result});
}

void ClaudeAgent::tell(NoticeGiven notice) {
    onlooker_.show_notice(notice);
    link_.give_notice(options_.session, std::move(notice), [](Result<void>) {});
}

// Nothing that Claude Code had asked may stay open, and the stream must say that it is over.
void ClaudeAgent::conclude(Ending ending) {
    if (std::exchange(turn_, Turn::none) != Turn::none) push_finish();
    ending_ = std::move(ending);
    // A broker that is away is not waited for.
    loop_.post_at(loop_.now() + limits::kRemotePatience,
                  alive_.guard([this] { finish(*ending_); }));
    asks_.withdraw_all("Claude Code has ended",
                       [this] { pusher_.when_done(alive_.guard([this] { wind_up(); })); });
}

void ClaudeAgent::wind_up() {
    life_ = Life::wound_up;
    // A session that was ended tells no more.
    const bool has_more =
        finishes_seen_ < finishes_pushed_ && ending_->kind != Ending::Kind::session_ended;
    if (options_.shows_all_frames && has_more) return;
    finish(*ending_);
}

void ClaudeAgent::finish(Ending ending) {
    if (finished_) std::exchange(finished_, nullptr)(std::move(ending));
}

}  // namespace parley
