// SPDX-License-Identifier: Apache-2.0
// What the demo can show: each scene is what the agent says, what it asks, and what it would do
// with the answers. Data and pure functions; `DemoAgent` plays them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parley/values.h"

namespace parley {

struct DemoStep {
    std::string says;
    AskSpec ask;
};

struct DemoScene {
    std::string_view name;   // of `--scene`
    std::string_view label;  // in the menu
    std::string_view description;
    std::vector<DemoStep> (*steps)();
    // What the agent would do now: told from the steps' asks, all of them answered, in order. The
    // second agent's comes last.
    std::string (*conclusion)(std::span<const AskPtr> answered);
    // Asked by a second agent, in a session of its own, while the last step waits.
    DemoStep (*second)() = nullptr;
    // What follows from a deadline that passed.
    std::string_view silence = {};
};

std::span<const DemoScene> demo_scenes();
// Null: there is none of that name.
const DemoScene* find_demo_scene(std::string_view name);

// The menu: which scene? `told` is how the last one ended, for who reads questions and not the
// session's stream; empty: there was none.
AskSpec demo_menu(std::string told);
// Null: that is enough.
const DemoScene* chosen_demo_scene(const Ask& answered_menu);

}  // namespace parley
