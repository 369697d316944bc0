// SPDX-License-Identifier: Apache-2.0
// What `parley run llm` and `parley serve --agent llm` are told about their model: which server,
// which key, how it is spoken to; and where conversations are kept. A key is read here and goes to
// the server alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/journal_file.h"
#include "agent/llm/model_call.h"
#include "app/command_line/command.h"
#include "app/command_line/run_context.h"
#include "base/result.h"
#include "dialect/llm/request.h"

namespace parley::app {

// As the flags say it; each that is absent is as the session had it before, or the default.
struct LlmFlags {
    std::optional<std::string> api = {};
    std::optional<std::string> base_url = {};
    std::optional<std::string> model = {};
    std::optional<std::string> key_file = {};
    std::optional<std::string> system = {};
    std::optional<std::string> system_file = {};
    std::optional<std::string> max_tokens = {};
    std::optional<std::string> context = {};

    std::vector<OptionSpec> specs();
};

// `before` is what an earlier run of the session had.
[[nodiscard]] Result<llm::ModelProfile> read_profile(
    const LlmFlags& flags, const std::optional<llm::ModelProfile>& before);

// The server of a profile, with the key that it is given: of --key-file, or of the variable of its
// API. A key never leaves this machine unencrypted.
[[nodiscard]] Result<ModelServer::Options> read_server(const RunContext& context,
                                                       const LlmFlags& flags,
                                                       const llm::ModelProfile& profile);

// Where conversations are kept; it is made.
[[nodiscard]] Result<std::filesystem::path> journal_folder(const RunContext& context);
// Where the conversation of the session with this name is kept; its folder is made.
[[nodiscard]] Result<std::filesystem::path> journal_path(const RunContext& context,
                                                         std::string_view session);

}  // namespace parley::app
