// SPDX-License-Identifier: Apache-2.0
// The demo: an agent without a model. It asks which scene it shall show (demo/demo_scenes.h), plays
// it, says what it would do with the answers, and asks again. It says that it is scripted, and uses
// nothing but the client interface. Lives on its link's executor.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/demo/demo_scenes.h"
#include "agent/demo/demo_voice.h"
#include "agent/demo/second_agent.h"
#include "base/unique_function.h"
#include "client/link.h"

namespace parley {

class DemoAgent {
public:
    // How it ended: its person had enough, or why it could not go on.
    using Finished = UniqueFunction<void(Result<void>)>;

    static constexpr std::string_view kOwnSession = "demo";

    // `session` is a name or an id.
    DemoAgent(Link& link, std::string session, DemoVoice::Spoken spoken, Finished finished);

    // Opens the demo's own session; one of an earlier run is ended first.
    static void open_session(Link& link, Done<SessionPtr> opened);

    // Shows what its person chooses, until they have enough.
    void introduce();
    // Shows this and ends.
    void show(const DemoScene& scene);

private:
    void choose();
    void chosen(const Ask& menu);
    void play();
    void step();
    void start_second();
    void take(std::size_t place, Result<AskPtr> ask);
    void conclude();
    void tell(std::string end);
    void say(std::string text, void (DemoAgent::*next)());
    void end();
    void finish(Result<void> result);

    Link& link_;
    DemoVoice voice_;
    Finished finished_;

    bool has_menu_ = true;
    std::string told_;  // how the last scene ended
    const DemoScene* scene_ = nullptr;
    std::vector<DemoStep> steps_;
    std::size_t next_step_ = 0;
    // Settled asks of the scene, the second agent's last; null: not asked or not settled.
    std::vector<AskPtr> settled_;
    std::unique_ptr<SecondAgent> second_;
};

}  // namespace parley
