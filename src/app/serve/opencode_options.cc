// SPDX-License-Identifier: Apache-2.0
#include "app/serve/opencode_options.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/assert.h"
#include "text/safe_text.h"

namespace parley::app {

namespace {

// Where sessions that name no folder are shown to OpenCode's clients.
std::string working_folder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::current_path(error);
    return error ? "/" : escape_unsafe(folder.string());
}

// The kinds of client behind which OpenCode expects a person.
bool can_be_asked(std::string_view client) {
    return client == "app" || client == "cli" || client == "desktop";
}

}  // namespace

std::vector<OptionSpec> OpenCodeServeOptions::specs() {
    return {
        {.names = "--opencode-legacy",
         .help = "Answer OpenCode's clients as its older servers did: \"true\" to a reply for an "
                 "unknown id",
         .target = &is_legacy_,
         .setting = "serve.opencode_legacy"},
        {.names = "--opencode-client",
         .value = "KIND",
         .help = "The kind of client that agents work for (default cli); app, cli and desktop "
                 "are offered OpenCode's question tool, others are not",
         .target = &client_,
         .setting = "serve.opencode_client"}};
}

OpenCodeOptions OpenCodeServeOptions::read() const {
    ASSERT(client_);  // it has a default
    return {.directory = working_folder(),
            .is_legacy = is_legacy_,
            .has_question_tool = can_be_asked(*client_)};
}

}  // namespace parley::app
