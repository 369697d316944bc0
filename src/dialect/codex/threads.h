// SPDX-License-Identifier: Apache-2.0
// What a client that runs a thread of Codex by itself writes: the params that begin it, go on with
// it and give it words. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parley::codex {

// Parley's own MCP server, which Codex starts for the thread. Its variables are named and not told:
// what they hold stays in the environment of both.
struct OwnServer {
    std::vector<std::string> command;
    std::vector<std::string> variables;
};

// What is not given is as the person's own Codex is set up.
struct ThreadPlan {
    std::string folder;
    std::optional<std::string> model = {};
    std::optional<std::string> sandbox = {};
    std::optional<std::string> approvals = {};  // when it asks for one
    OwnServer server = {};
};
std::string start_params(const ThreadPlan& plan);
// In the folder that it was started in.
std::string resume_params(std::string_view thread, const ThreadPlan& plan);

struct TurnPlan {
    std::string thread;
    std::string mode = {};   // "plan" or "default"; empty: as it is
    std::string model = {};  // with a mode
};
std::string turn_params(const TurnPlan& plan, std::span<const std::string> texts);

}  // namespace parley::codex
