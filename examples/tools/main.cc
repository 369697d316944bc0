// SPDX-License-Identifier: Apache-2.0
// The tools of a program that runs a model's turns itself: one that asks the person in the
// program's own interface, and one that the agent's SDK has run already and whose result passes
// through.
#include <parley/tools.h>

#include <charconv>
#include <iostream>
#include <string>
#include <vector>

namespace {

using parley::tools::Prompt;

// The program's interface: the number of a choice, or a line of text.
std::optional<std::vector<std::string>> prompt_user(const Prompt& prompt) {
    std::cout << prompt.message << '\n';
    for (std::size_t i = 0; i < prompt.choices.size(); ++i)
        std::cout << "  " << i + 1 << ") " << prompt.choices[i].message << '\n';
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    if (prompt.type == Prompt::Type::input) return std::vector{line};
    std::size_t number = 0;
    std::from_chars(line.data(), line.data() + line.size(), number);
    if (number < 1 || number > prompt.choices.size()) return std::nullopt;
    return std::vector{prompt.choices[number - 1].name};
}

void tell(std::string_view tool, const parley::tools::ToolResult& result) {
    std::cout << tool << (result.success ? ": " : " failed: ") << result.output << '\n';
}

}  // namespace

int main() {
    auto broker = parley::Broker::open();
    if (!broker) {
        std::cerr << broker.error().message << '\n';
        return 1;
    }
    parley::tools::Registry registry(*broker);
    std::cout << registry.list().size() << " tools for the model\n";

    // What a model would send.
    constexpr std::string_view kInput = R"json({"questions": [{
        "question": "Which database?", "header": "Database", "multiSelect": false,
        "options": [{"label": "PostgreSQL (Recommended)", "description": "You have it"},
                    {"label": "SQLite", "description": "One file"}]}]})json";
    tell("AskUserQuestion", registry.execute("AskUserQuestion", kInput,
                                             {.call_id = "toolu_1", .prompt_user = prompt_user}));

    // The SDK has run this one; the result goes to whoever executes the call.
    registry.publish("toolu_2", "Bash", R"({"stdout":"3 files"})");
    tell("Bash", registry.execute("Bash", R"({"command":"ls"})", {.call_id = "toolu_2"}));

    // Nothing is asked that a person could not answer.
    tell("AskUserQuestion", registry.execute("AskUserQuestion", R"({"questions":[]})"));
}
