// SPDX-License-Identifier: Apache-2.0
// The second agent of a demo that shows two: it asks in a session of its own, under that of the
// first, says what it would do, and ends its session. Lives on its link's executor.
#pragma once

#include <memory>
#include <string>

#include "agent/demo/demo_scenes.h"
#include "agent/demo/demo_voice.h"
#include "base/lifetime.h"
#include "client/link.h"

namespace parley {

class SecondAgent {
public:
    // How its ask ended; or why it could not ask.
    using Settled = Done<AskPtr>;

    SecondAgent(Link& link, DemoStep step, DemoVoice::Spoken spoken);

    // `first` is the session of the first agent, a name or an id.
    void start(const std::string& first, Settled settled);
    // Its question is taken back.
    void leave();

private:
    void open(Result<SessionPtr> first);
    void ask();
    void conclude(Result<AskPtr> ask);

    Link& link_;
    DemoStep step_;
    DemoVoice::Spoken spoken_;
    Settled settled_;
    std::unique_ptr<DemoVoice> voice_;  // once its session is open
    Lifetime alive_;
};

}  // namespace parley
