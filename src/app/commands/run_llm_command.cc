// SPDX-License-Identifier: Apache-2.0
// parley run llm: a model behind an API as a session of the broker.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "agent/llm/llm_agent.h"
#include "app/commands/commands.h"
#include "app/commands/llm_options.h"
#include "app/commands/run_flags.h"
#include "base/ids.h"

namespace parley::app {

namespace {

class RunLlmCommand final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    std::vector<OptionSpec> run_options();
    [[nodiscard]] Result<LlmAgent::Options> agent_options(const RunContext& context);
    [[nodiscard]] Result<JournalFile> open_journal(const RunContext& context,
                                                   const std::string& session,
                                                   JournalFile::Kept& kept) const;
    AgentRun::Plan plan_for(const LlmAgent::Options& options) const;

    RunFlags run_;
    LlmFlags flags_;
};

std::vector<OptionSpec> RunLlmCommand::run_options() {
    return {run_.session_option(),
            run_.resume_option("NAME",
                               "Go on with a session that was run on this machine, where it was: "
                               "with the same model, unless other options say otherwise."),
            run_.timeout_option(), run_.json_option("how it ended and what was used")};
}

CommandSpec RunLlmCommand::spec() {
    std::vector<OptionSpec> options = flags_.specs();
    for (OptionSpec& option : run_options()) options.push_back(std::move(option));
    return {
        .about =
            "Runs a model behind an API as a session of the broker: what it asks can be "
            "answered here and from everywhere else, and it takes messages from everywhere. "
            "Each step is kept: after a crash --resume goes on where it was.",
        .arguments = {run_.prompt_argument("the model")},
        .options = std::move(options),
        .examples = {{"parley run llm --api anthropic --model claude-sonnet-4-5",
                      "A conversation, here and from everywhere."},
                     {"parley run llm --api openai --base-url http://127.0.0.1:11434/v1 --model "
                      "qwen3 \"Plan my week\"",
                      "A model on this machine; ends when it is done."},
                     {"parley run llm --resume 6f1c2a34-...", "Goes on where it was left."}},
        .notes = fmt::format(
            "The model has two tools: AskUserQuestion asks people, wait_answer waits for what "
            "was asked without waiting. A key goes to the server and nowhere else.\n\n{}",
            kRunExitCodes),
    };
}

Result<JournalFile> RunLlmCommand::open_journal(const RunContext& context,
                                                const std::string& session,
                                                JournalFile::Kept& kept) const {
    TRY(path, journal_path(context, session));
    if (!run_.resume) {
        auto made = JournalFile::create(path);
        if (!made && made.error().code == ErrorCode::conflict)
            return reject(ErrorCode::invalid,
                          "--session {}: {}; go on with it by --resume {}, or choose another name",
                          session, made.error().message, session);
        return made;
    }
    auto opened = JournalFile::open(path, kept);
    if (!opened && opened.error().code == ErrorCode::not_found)
        return reject(ErrorCode::invalid,
                      "--resume {}: {}; give the name that the session was begun with, on this "
                      "machine",
                      session, opened.error().message);
    return opened;
}

Result<LlmAgent::Options> RunLlmCommand::agent_options(const RunContext& context) {
    TRY(session, run_.read_session(context, "llm", {}));
    TRY(prompt, read_prompt(context, run_.prompt));
    TRY(timeout, read_run_timeout(run_.timeout));
    // A new one is kept only once all else is right.
    JournalFile::Kept kept;
    std::optional<JournalFile> journal;
    if (run_.resume) {
        TRY(opened, open_journal(context, session.session, kept));
        journal.emplace(std::move(opened));
    }
    TRY(profile, read_profile(flags_, kept.profile));
    TRY(server, read_server(context, flags_, profile));
    if (!journal) {
        TRY(made, open_journal(context, session.session, kept));
        journal.emplace(std::move(made));
    }
    if (kept.profile != profile) CHECK_OK(journal->append(profile));
    session.called = profile.model;
    session.title = run_title(profile.model);
    return LlmAgent::Options{.session = std::move(session),
                             .server = std::move(server),
                             .profile = std::move(profile),
                             .conversation = std::move(kept.conversation),
                             .journal = std::move(*journal),
                             .random = system_random(),
                             .prompt = prompt,
                             .ends_with_turn = prompt.has_value(),
                             .timeout = timeout};
}

AgentRun::Plan RunLlmCommand::plan_for(const LlmAgent::Options& options) const {
    std::string resuming = fmt::format("parley run llm --resume {}", options.session.session);
    if (flags_.key_file) resuming += fmt::format(" --key-file {}", *flags_.key_file);
    return run_.plan(options.session, options.prompt.has_value(), options.ends_with_turn,
                     std::move(resuming));
}

ExitCode RunLlmCommand::run(const RunContext& context) {
    auto options = agent_options(context);
    if (!options) return context.refuse_usage(options.error().message);
    AgentRun run(context, plan_for(*options), [&options](AgentRun::Wiring wiring) {
        return std::make_unique<LlmAgent>(wiring.loop, wiring.link, std::move(*options),
                                          wiring.onlooker, std::move(wiring.finished));
    });
    return run.run();
}

}  // namespace

std::unique_ptr<Command> make_run_llm() {
    return std::make_unique<RunLlmCommand>();
}

}  // namespace parley::app
