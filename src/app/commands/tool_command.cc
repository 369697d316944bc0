// SPDX-License-Identifier: Apache-2.0
// parley tool: the definition of the ask tool, for programs that give it to a model themselves.
#include "app/command_line/run_context.h"
#include "app/commands/commands.h"
#include "base/assert.h"
#include "dialect/ask_tool.h"

namespace parley::app {

namespace {

class ToolCommand final : public Command {
public:
    CommandSpec spec() override {
        return {.about =
                    "Prints the definition of the tool AskUserQuestion, to be given to a model: "
                    "its name, its description with guidelines, and the schema of its input.",
                .options = {{.names = "--format",
                             .value = "FORMAT",
                             .help = "anthropic, openai, mcp or json-schema (default anthropic)",
                             .target = &format_,
                             .choices = {"anthropic", "openai", "mcp", "json-schema"}}},
                .examples = {{"parley tool", "a tool of the Anthropic Messages API"},
                             {"parley tool --format openai", "a function for OpenAI's API"},
                             {"parley tool --format json-schema | jq .", "the input alone"}},
                .notes =
                    "When the model calls the tool, ask with its input as it is: "
                    "parley ask --file - --json < input.json"};
    }

    ExitCode run(const RunContext& context) override {
        const auto format = ask_tool::parse_format(format_.value_or(""));
        ASSERT(format);  // one of the choices
        context.console.print(ask_tool::definition(*format) + "\n");
        return ExitCode::done;
    }

private:
    std::optional<std::string> format_ = "anthropic";
};

}  // namespace

std::unique_ptr<Command> make_tool() {
    return std::make_unique<ToolCommand>();
}

}  // namespace parley::app
