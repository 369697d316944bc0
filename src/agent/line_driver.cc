// SPDX-License-Identifier: Apache-2.0
#include "agent/line_driver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "agent/limits.h"
#include "text/safe_text.h"
#include "text/width.h"

namespace parley {

LineDriver::LineDriver(Wiring wiring, DrivenSession::Options session, Habits habits)
    : loop_(wiring.loop),
      onlooker_(wiring.onlooker),
      habits_(habits),
      session_({wiring.loop, wiring.loop.clock(), wiring.link}, std::move(session), *this,
               wiring.onlooker, std::move(wiring.finished)) {}

LineDriver::~LineDriver() = default;

bool LineDriver::launch(net::ChildOptions command) {
    auto process = LineProcess::start(loop_, std::move(command), *this);
    if (process) {
        process_ = std::move(*process);
        return true;
    }
    conclude({Ending::Kind::failed, process.error().message + advice(Fault::not_started)});
    return false;
}

void LineDriver::send(std::string line) {
    if (process_) process_->send(std::move(line));
}

void LineDriver::began() {
    if (life_ != Life::starting) return;
    life_ = Life::running;
    session_.deliver();
}

void LineDriver::turn_over(Ending ending) {
    if (life_ == Life::quitting) return;  // why is known already
    ending_ = std::move(ending);
    session_.deliver();  // may fail(), and then that is how it ended
    if (session_.is_turn_running()) return;
    if (habits_.ends_with_turn && !session_.has_words()) return close();
    ending_.reset();
    onlooker_.show_idle(true);
}

void LineDriver::close() {
    life_ = Life::closing;
    process_->close_input();
    if (habits_.ends_with_input) return;
    loop_.post_at(loop_.now() + limits::kEndPatience, alive_.guard([this] { stop(); }));
}

void LineDriver::stop() {
    is_stopped_ = true;
    process_->stop();
}

void LineDriver::session_ended(std::string why) {
    ending_ = {Ending::Kind::session_ended, std::move(why)};
    quit();
}

void LineDriver::fail(std::string why) {
    ending_ = {Ending::Kind::failed, std::move(why)};
    quit();
}

void LineDriver::quit() {
    if (life_ == Life::quitting) return;
    life_ = Life::quitting;
    if (process_) return stop();  // and on_exit() concludes, after its last lines
    conclude(ending_.value_or(Ending{Ending::Kind::stopped}));
}

void LineDriver::on_exit(net::ExitStatus status, std::vector<std::string> words) {
    // Its last turn is over, but one that is killed in what it does then has not done all.
    const bool is_done = life_ == Life::closing && (status.signal == 0 || is_stopped_);
    if (is_done || life_ == Life::quitting)
        return conclude(ending_.value_or(Ending{Ending::Kind::stopped}));
    std::string why = fmt::format("{} ended unexpectedly ({})", session_.called(), status.str());
    if (!words.empty()) why += fmt::format(":\n{}", fmt::join(words, "\n"));
    why = cut_to_clusters(escape_unsafe(why), limits::kLastWordsChars);
    if (life_ == Life::starting) why += advice(Fault::ended_at_once);
    session_.tell({.text = why, .level = NoticeGiven::Level::error});
    conclude({Ending::Kind::failed, std::move(why)});
}

// Nothing that it had asked may stay open, and the stream must say that it is over.
void LineDriver::conclude(Ending ending) {
    life_ = Life::quitting;  // nothing more is given to it, whatever arrives
    session_.show(end_stream());
    session_.conclude(std::move(ending), [this](Task done) {
        close_asks(session_.called() + " has ended", std::move(done));
    });
}

}  // namespace parley
