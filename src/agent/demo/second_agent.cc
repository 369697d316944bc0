// SPDX-License-Identifier: Apache-2.0
#include "agent/demo/second_agent.h"

#include <fmt/format.h>

#include <utility>

#include "core/display.h"

namespace parley {

SecondAgent::SecondAgent(Link& link, DemoStep step, DemoVoice::Spoken spoken)
    : link_(link), step_(std::move(step)), spoken_(std::move(spoken)) {}

void SecondAgent::start(const std::string& first, Settled settled) {
    settled_ = std::move(settled);
    link_.find_session(first,
                       alive_.guard([this](Result<SessionPtr> found) { open(std::move(found)); }));
}

void SecondAgent::open(Result<SessionPtr> first) {
    if (!first) return settled_(reject(std::move(first).error()));
    link_.open_session({.title = "Demo: a second agent", .parent = (*first)->id, .agent = "demo"},
                       alive_.guard([this](Result<SessionPtr> opened) {
                           if (!opened) return settled_(reject(std::move(opened).error()));
                           voice_ =
                               std::make_unique<DemoVoice>(link_, (*opened)->id.str(), spoken_);
                           ask();
                       }));
}

void SecondAgent::ask() {
    voice_->begin_turn([this](Result<void>) {
        voice_->say(step_.says, [this](Result<void> said) {
            if (!said) return settled_(reject(std::move(said).error()));
            voice_->ask(step_.ask, [this](Result<AskPtr> ask) { conclude(std::move(ask)); });
        });
    });
}

// What it was told, and then its session: the first agent's demo goes on without it.
void SecondAgent::conclude(Result<AskPtr> ask) {
    const bool is_answered = ask && (*ask)->state() == AskState::answered;
    std::string end = is_answered ? fmt::format("I go on with exactly this: {}.",
                                                fmt::join(summary_lines(**ask), "; "))
                                  : "I have no answer, so I write nothing.";
    voice_->say(std::move(end), [this, ask = std::move(ask)](Result<void>) mutable {
        leave();
        settled_(std::move(ask));
    });
}

void SecondAgent::leave() {
    if (voice_) link_.end_session(voice_->session(), "the second agent is done", [](auto) {});
}

}  // namespace parley
