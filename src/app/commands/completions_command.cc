// SPDX-License-Identifier: Apache-2.0
// `parley completions SHELL`: prints a completion script.

#include <fmt/format.h>

#include <optional>

#include "app/command_line/completions.h"
#include "app/command_line/global_options.h"
#include "app/command_line/run_context.h"
#include "app/commands/commands.h"
#include "app/commands/described_table.h"
#include "core/text_rules.h"

namespace parley::app {

namespace {

class CompletionsCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Prints a script that teaches your shell to complete parley's commands and "
                "options.",
            .arguments = {{.name = "SHELL",
                           .help = "bash, zsh or fish.",
                           .target = &shell_,
                           .choices = {"bash", "zsh", "fish"}}},
            .examples = {{"source <(parley completions bash)",
                          "For this bash; put it into ~/.bashrc."},
                         {"source <(parley completions zsh)",
                          "For this zsh; put it into ~/.zshrc."},
                         {"parley completions fish > ~/.config/fish/completions/parley.fish",
                          "For every fish."}},
        };
    }

    ExitCode run(const RunContext& context) override {
        const DescribedTable table;
        const auto& commands = table.commands();
        GlobalArguments global;
        const CommandSpec spec = global.spec();
        if (shell_ == "bash") {
            context.console.print(bash_completions(commands, spec));
        } else if (shell_ == "zsh") {
            context.console.print(zsh_completions(commands, spec));
        } else if (shell_ == "fish") {
            context.console.print(fish_completions(commands, spec));
        } else {
            return context.refuse_usage(
                fmt::format("there are no completions for {}, only for bash, zsh and fish",
                            quoted_excerpt(shell_.value_or(""))));
        }
        return ExitCode::done;
    }

private:
    std::optional<std::string> shell_;
};

}  // namespace

std::unique_ptr<Command> make_completions() {
    return std::make_unique<CompletionsCommand>();
}

}  // namespace parley::app
