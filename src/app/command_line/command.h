// SPDX-License-Identifier: Apache-2.0
// A command as a value: its options, its arguments, examples. One description drives parsing, help
// and the completions of every shell. Commands are made, described, filled and run by run.cc, one
// per process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/command_line/exit_codes.h"
#include "base/result.h"

namespace parley::app {

struct RunContext;

// Where a value goes: a member of the command, which outlives its description.
using Target = std::variant<bool*, std::optional<std::string>*, std::vector<std::string>*>;

enum class Completion : std::uint8_t {
    nothing,
    file,
    ask,  // an ask that waits, by its id
};

struct OptionSpec {
    std::string names;       // "-o,--option"
    std::string value = {};  // what stands for the value in the help; a switch has none
    std::string help;
    Target target;
    // The name in the configuration, such as "serve.listen": the variable PARLEY_SERVE_LISTEN and
    // the key `listen` in the table [serve] of the file set this option too. Empty: only the flag.
    std::string setting = {};
    // Nothing else is taken; one that ends in "=" wants a text behind it. Offered by completions.
    std::vector<std::string> choices = {};
    Completion completion = Completion::nothing;

    bool is_switch() const { return std::holds_alternative<bool*>(target); }
};

struct ArgumentSpec {
    std::string name;  // "QUESTION"
    std::string help;
    Target target;  // not a switch; a list takes all that follow
    bool is_required = true;
    std::vector<std::string> choices = {};  // offered by completions
    Completion completion = Completion::nothing;
};

struct Example {
    std::string command;
    std::string meaning;
};

struct CommandSpec {
    std::string about;  // sentences for the top of the help
    std::vector<ArgumentSpec> arguments = {};
    std::vector<OptionSpec> options = {};
    std::vector<Example> examples = {};
    std::string notes = {};  // paragraphs for the end of the help
    // What follows "--" and is for another program; null: nothing may.
    std::vector<std::string>* passed_on = nullptr;
};

class Command {
public:
    Command() = default;
    virtual ~Command() = default;
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    // The targets are members of this command.
    virtual CommandSpec spec() = 0;
    virtual ExitCode run(const RunContext& context) = 0;
    // Settings of other commands that this one looks at; it has no flags for them.
    virtual std::vector<OptionSpec> seen_settings() { return {}; }
    // The configuration cannot be used. True: run all the same, it is what this looks at.
    virtual bool bears(const Error&) { return false; }
};

struct CommandEntry {
    std::string_view name;     // "ask"; a word of a group: "token create"
    std::string_view summary;  // one line in the overview
    std::unique_ptr<Command> (*make)();
    // Of wrong usage: a program that calls us may take 2 for something else.
    ExitCode on_usage = ExitCode::usage;
};

// Every command, in the order of the overview.
std::span<const CommandEntry> command_table();

// The long name of an option, "--option".
std::string_view long_name(const OptionSpec& option);

}  // namespace parley::app
