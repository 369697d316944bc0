// SPDX-License-Identifier: Apache-2.0
#include "app/commands/run_flags.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/serve/state_folder.h"

namespace parley::app {

ArgumentSpec RunFlags::prompt_argument(std::string_view doer) {
    return {.name = "PROMPT",
            .help = fmt::format("What {} is to do; the command ends when it has. Without it, the "
                                "session stays open for messages. Read from stdin where that is "
                                "no terminal.",
                                doer),
            .target = &prompt,
            .is_required = false};
}

OptionSpec RunFlags::session_option() {
    return {.names = "--session",
            .value = "NAME",
            .help = "The name of a new session. Default: one that is made up.",
            .target = &session};
}

OptionSpec RunFlags::resume_option(std::string value, std::string help) {
    return {
        .names = "--resume", .value = std::move(value), .help = std::move(help), .target = &resume};
}

OptionSpec RunFlags::timeout_option() {
    return {.names = "--timeout",
            .value = "TIME",
            .help = "How long each question waits: 90s, 10m, 1h30m. Default: for ever.",
            .target = &timeout};
}

OptionSpec RunFlags::json_option(std::string_view last) {
    return {.names = "--json",
            .help = fmt::format("What happens in the session, one JSON document a line, and at "
                                "last {}. Nothing is prompted for here.",
                                last),
            .target = &wants_json};
}

Result<DrivenSession::Options> RunFlags::read_session(const RunContext& context, std::string agent,
                                                      std::string called) const {
    if (session && resume)
        return reject(ErrorCode::invalid, "--session names a new session, --resume an old one");
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::current_path(error);
    if (error)
        return reject(ErrorCode::invalid, "this folder cannot be named: {}", error.message());
    DrivenSession::Options options{.session = resume ? *resume : session.value_or(make_uuid()),
                                   .agent = std::move(agent),
                                   .called = std::move(called),
                                   .folder = folder.string(),
                                   .is_resumed = resume.has_value(),
                                   .shows_all_frames = wants_json};
    options.title = run_title(options.called);
    if (const auto state = context.environment.state_folder()) {
        options.names = *state / "agents";
        CHECK_OK(make_state_folder(options.names));
    }
    return options;
}

AgentRun::Plan RunFlags::plan(const DrivenSession::Options& driven, bool has_prompt,
                              bool ends_with_turn, std::string resuming) const {
    return {.agent = driven.agent,
            .session = DrivenSession::request(driven),
            .has_prompt = has_prompt,
            .ends_with_turn = ends_with_turn,
            .wants_json = wants_json,
            .resuming = std::move(resuming)};
}

}  // namespace parley::app
