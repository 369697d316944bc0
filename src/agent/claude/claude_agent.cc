// SPDX-License-Identifier: Apache-2.0
#include "agent/claude/claude_agent.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "agent/limits.h"
#include "base/overload.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr std::string_view kInitialize = "parley-initialize";
constexpr std::string_view kInterrupt = "parley-interrupt";

using Level = NoticeGiven::Level;

}  // namespace

DrivenSession::Options ClaudeAgent::session_options(std::string id) {
    return {.session = std::move(id),
            .agent = std::string(ClaudeAsks::kAgent),
            .called = "Claude Code",
            .asks_again = true,
            .takes_words_in_turn = true};
}

ClaudeAgent::ClaudeAgent(Wiring wiring, Options options)
    : LineDriver({wiring.loop, wiring.link, wiring.onlooker, std::move(wiring.finished)},
                 options.session,
                 {.ends_with_turn = options.ends_with_turn, .ends_with_input = true}),
      options_(std::move(options)),
      asks_({wiring.loop, wiring.loop.clock(), wiring.link},
            {.session = options_.session.session,
             .timeout = options_.timeout,
             .interrupts_on_dismiss = options_.session.on_dismiss == OnDismiss::stop},
            *this) {}

ClaudeAgent::~ClaudeAgent() = default;

std::string ClaudeAgent::advice(Fault fault) const {
    return fault == Fault::not_started ? "; name your Claude Code with --claude PATH" : "";
}

void ClaudeAgent::session_opened(std::optional<std::string>) {
    if (!launch(options_.command)) return;
    if (options_.session.is_resumed) session().tell({.text = "Claude Code resumes this session"});
    send(claude::initialize_line(kInitialize));
    if (auto prompt = std::exchange(options_.prompt, std::nullopt)) say(std::move(*prompt));
}

bool ClaudeAgent::on_line(const std::string& line) {
    auto read = claude::read_cli_line(line);
    if (!read) return false;
    std::visit(
        Overload{
            [this](claude::ControlRequest& request) { take(std::move(request)); },
            [this](const claude::ControlCancel& cancel) { asks_.cancel(cancel.id); },
            [this](const claude::TurnEnded& ended) { end_turn(ended); },
            [this](const OneOf<claude::ControlReply, claude::Heard, claude::ShownTurn> auto& it) {
                take(it);
            },
            [](const OneOf<claude::Noise, claude::SessionBegan> auto&) {},
        },
        *read);
    return true;
}

// Claude Code does not say that it begins a turn. It has begun when it says or wants anything, or
// when it was given a message.
void ClaudeAgent::take(claude::ControlRequest request) {
    // A callback may come at any time.
    if (!std::holds_alternative<claude::CallbackWish>(request.wish)) session().begin_turn();
    asks_.take(std::move(request));
}

void ClaudeAgent::take(const claude::ControlReply& reply) {
    if (reply.id != kInitialize) return;
    if (!reply.error.empty()) return fail(reply.error);
    began();
}

void ClaudeAgent::take(const claude::ShownTurn& said) {
    session().begin_turn();
    session().show(reader_.read(said.message));
    session().deliver();
}

void ClaudeAgent::end_turn(const claude::TurnEnded& ended) {
    const bool is_interrupted = std::exchange(is_interrupted_, false) || ended.is_interrupted;
    // One that could not begin has an end all the same.
    session().begin_turn();
    session().end_turn();
    if (is_interrupted) return turn_over({Ending::Kind::stopped, "the turn was stopped"});
    if (!ended.is_error) return turn_over({.kind = Ending::Kind::done, .result = ended.result});
    session().tell({.text = "Claude Code could not finish its turn: " +
                            cut_to_clusters(ended.why, limits::kLastWordsChars),
                    .level = Level::error});
    turn_over({Ending::Kind::failed, ended.why});
}

// While a question is open, messages wait where a crash does not lose them.
bool ClaudeAgent::is_ready() const {
    return LineDriver::is_ready() && !asks_.is_waiting();
}

void ClaudeAgent::give(std::vector<std::string> texts, Task has_them) {
    std::string id;
    for (const std::string& text : texts) {
        id = options_.make_uuid();
        send(claude::user_line(text, id));
    }
    given_.push_back({std::move(id), std::move(has_them)});
}

// It reads them in their order.
void ClaudeAgent::take(const claude::Heard& heard) {
    const auto found = std::ranges::find(given_, heard.id, &Given::last);
    if (found == given_.end()) return;
    for (auto each = given_.begin(); each <= found; ++each) each->has_them();
    given_.erase(given_.begin(), found + 1);
}

void ClaudeAgent::answered(const std::string& call_id, std::string output) {
    reader_.keep_answer(call_id, std::move(output));
}

void ClaudeAgent::turn_stopped() {
    if (!session().is_turn_running() || std::exchange(is_interrupted_, true)) return;
    send(claude::interrupt_line(kInterrupt));
}

void ClaudeAgent::close_asks(const std::string& why, Task done) {
    asks_.withdraw_all(why, std::move(done));
}

}  // namespace parley
