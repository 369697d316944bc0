// SPDX-License-Identifier: Apache-2.0
// One scripted agent's side of one session: what it says, what it asks, and the end of its turn.
// Every callback is silent once the voice is gone. Lives on its link's executor.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/lifetime.h"
#include "base/unique_function.h"
#include "client/link.h"

namespace parley {

class DemoVoice {
public:
    // Each line that it says, for who runs it in a terminal.
    using Spoken = std::function<void(std::string_view)>;

    // `session` is a name or an id.
    DemoVoice(Link& link, std::string session, Spoken spoken);

    const std::string& session() const { return session_; }
    const Spoken& spoken() const { return spoken_; }

    void begin_turn(Done<void> done);
    void say(std::string text, Done<void> done);
    // Gives the settled ask. The question waits in the session's stream, as what was said does.
    void ask(AskSpec spec, Done<AskPtr> settled);
    void end_turn(Done<void> done);

private:
    Link& link_;
    std::string session_;
    Spoken spoken_;
    LinkWait wait_;
    int said_ = 0;
    Lifetime alive_;
};

}  // namespace parley
