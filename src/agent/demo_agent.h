// SPDX-License-Identifier: Apache-2.0
// The demo: an agent without a model. It plays an interview about how to build sign-in, asks what
// only a person can decide, says what was chosen and stops. It says that it is scripted, and uses
// nothing but the client interface. Lives on its link's executor.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_function.h"
#include "client/link.h"

namespace parley {

class DemoAgent {
public:
    // How it ended: the interview was finished, or why not.
    using Finished = UniqueFunction<void(Result<void>)>;
    // Each line that it says, for who runs it in a terminal.
    using Spoken = UniqueFunction<void(std::string_view)>;

    static constexpr std::string_view kOwnSession = "demo";

    // `session` is a name or an id.
    DemoAgent(Link& link, std::string session, Spoken spoken, Finished finished);
    ~DemoAgent();

    // In a new session of that name; one of an earlier run is ended first.
    void start();
    // In a session that is there.
    void introduce();

private:
    void open();
    void ask_method();
    void ask_features();
    void conclude();
    void ask(AskSpec spec, void (DemoAgent::*next)());
    void settled(Result<AskPtr> ask, void (DemoAgent::*next)());
    void say(std::string text, UniqueFunction<void()> next);
    void finish(Result<void> result);

    Link& link_;
    std::string session_;
    Spoken spoken_;
    Finished finished_;
    LinkWait wait_;
    std::vector<std::string> chosen_;
    int said_ = 0;
};

}  // namespace parley
