// SPDX-License-Identifier: Apache-2.0
#include "agent/demo/demo_voice.h"

#include <fmt/format.h>

#include <utility>

namespace parley {

DemoVoice::DemoVoice(Link& link, std::string session, Spoken spoken)
    : link_(link), session_(std::move(session)), spoken_(std::move(spoken)) {}

void DemoVoice::begin_turn(Done<void> done) {
    link_.push(session_, {Activity::working}, alive_.guard(std::move(done)));
}

void DemoVoice::say(std::string text, Done<void> done) {
    spoken_(text);
    StreamPart part{{.kind = Part::Kind::text,
                     .part_id = fmt::format("demo-{}", ++said_),
                     .body = std::move(text)},
                    true};
    link_.push(session_, {std::move(part)}, alive_.guard(std::move(done)));
}

void DemoVoice::ask(AskSpec spec, Done<AskPtr> settled) {
    spec.agent = "demo";
    link_.ask({std::move(spec), session_},
              alive_.guard([this, settled = std::move(settled)](Result<OpenedAsk> opened) mutable {
                  if (!opened) return settled(reject(std::move(opened).error()));
                  wait_ = link_.wait(opened->ask->id, alive_.guard(std::move(settled)));
              }));
}

void DemoVoice::end_turn(Done<void> done) {
    StreamPart end{{.kind = Part::Kind::finish, .part_id = "demo"}, true};
    link_.push(session_, {std::move(end)}, alive_.guard(std::move(done)));
}

}  // namespace parley
