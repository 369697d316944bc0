// SPDX-License-Identifier: Apache-2.0
#include "agent/demo/demo_agent.h"

#include <algorithm>
#include <utility>

#include "core/model_text.h"

namespace parley {

namespace {

bool has_answer(const AskPtr& ask) {
    return ask != nullptr && ask->state() == AskState::answered;
}

constexpr std::string_view kScripted = "I am a scripted demo, not a model, and nothing is built.";
constexpr std::string_view kIntroduction =
    " I show how an agent asks you, waits for as long as it takes, and goes on with exactly your "
    "answer. Choose what you want to see.";
constexpr std::string_view kFarewell =
    "That was the demo. Your own agents ask the same way: `parley run`, `parley hook claude` and "
    "`parley mcp` bring theirs here, `parley ask` a script's.";

}  // namespace

DemoAgent::DemoAgent(Link& link, std::string session, DemoVoice::Spoken spoken, Finished finished)
    : link_(link),
      voice_(link, std::move(session), std::move(spoken)),
      finished_(std::move(finished)) {}

void DemoAgent::open_session(Link& link, Done<SessionPtr> opened) {
    link.end_session(kOwnSession, "the demo starts again",
                     [&link, opened = std::move(opened)](Result<SessionPtr>) mutable {
                         link.open_session({.name = std::string(kOwnSession),
                                            .title = "Demo: a scripted agent",
                                            .agent = "demo"},
                                           std::move(opened));
                     });
}

void DemoAgent::introduce() {
    voice_.begin_turn([this](Result<void>) {
        say(std::string(kScripted) + std::string(kIntroduction), &DemoAgent::choose);
    });
}

void DemoAgent::show(const DemoScene& scene) {
    has_menu_ = false;
    scene_ = &scene;
    voice_.begin_turn([this](Result<void>) { say(std::string(kScripted), &DemoAgent::play); });
}

void DemoAgent::choose() {
    voice_.ask(demo_menu(told_), [this](Result<AskPtr> menu) {
        if (!menu) return finish(reject(std::move(menu).error()));
        chosen(**menu);
    });
}

void DemoAgent::chosen(const Ask& menu) {
    // Its session ended, or its turn was stopped: there is nobody to say anything to.
    if (menu.state() == AskState::withdrawn) return end();
    scene_ = menu.state() == AskState::answered ? chosen_demo_scene(menu) : nullptr;
    if (scene_ == nullptr) return say(std::string(kFarewell), &DemoAgent::end);
    play();
}

void DemoAgent::play() {
    steps_ = scene_->steps();
    next_step_ = 0;
    settled_.assign(steps_.size() + (scene_->second != nullptr ? 1 : 0), nullptr);
    step();
}

void DemoAgent::step() {
    const std::size_t place = next_step_++;
    voice_.say(steps_[place].says, [this, place](Result<void> said) {
        if (!said) return finish(std::move(said));
        voice_.ask(std::move(steps_[place].ask),
                   [this, place](Result<AskPtr> ask) { take(place, std::move(ask)); });
        if (scene_->second != nullptr && next_step_ == steps_.size()) start_second();
    });
}

void DemoAgent::start_second() {
    second_ = std::make_unique<SecondAgent>(link_, scene_->second(), [this](std::string_view line) {
        voice_.spoken()("Second agent: " + std::string(line));
    });
    second_->start(voice_.session(),
                   [this](Result<AskPtr> ask) { take(steps_.size(), std::move(ask)); });
}

// Whatever is not an answer ends the scene: an agent that goes on without one would be guessing.
void DemoAgent::take(std::size_t place, Result<AskPtr> ask) {
    if (!ask) return finish(reject(std::move(ask).error()));
    settled_[place] = std::move(*ask);
    const bool is_own = place < steps_.size();
    if (is_own && !has_answer(settled_[place])) {
        if (second_) second_->leave();
        second_.reset();
        return conclude();
    }
    if (next_step_ < steps_.size()) return step();
    if (std::ranges::find(settled_, nullptr) == settled_.end()) conclude();
}

void DemoAgent::conclude() {
    const auto open = std::ranges::find_if_not(settled_, has_answer);
    if (open == settled_.end()) return tell(scene_->conclusion(settled_));
    const Ask& ask = **open;
    const bool is_own = ask.session == settled_.front()->session;
    if (is_own && ask.state() == AskState::withdrawn) return end();
    const bool has_words = ask.state() == AskState::timed_out && !scene_->silence.empty();
    tell(has_words ? std::string(scene_->silence) : "I stop here. " + model_text(ask));
}

void DemoAgent::tell(std::string end) {
    told_ = end;
    say(std::move(end), has_menu_ ? &DemoAgent::choose : &DemoAgent::end);
}

void DemoAgent::say(std::string text, void (DemoAgent::*next)()) {
    voice_.say(std::move(text), [this, next](Result<void> said) {
        if (!said) return finish(std::move(said));
        (this->*next)();
    });
}

// A session that has ended takes no end of a turn, and needs none.
void DemoAgent::end() {
    voice_.end_turn([this](Result<void>) { finish({}); });
}

void DemoAgent::finish(Result<void> result) {
    if (finished_) std::exchange(finished_, nullptr)(std::move(result));
}

}  // namespace parley
