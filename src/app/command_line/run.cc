// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/command_line/command.h"
#include "app/command_line/command_line.h"
#include "app/command_line/global_options.h"
#include "app/command_line/help.h"
#include "app/command_line/run_context.h"
#include "app/command_line/settings.h"
#include "app/command_line/version.h"
#include "core/text_rules.h"

namespace parley::app {

namespace {

std::string_view group_of(std::string_view name) {
    const std::size_t space = name.find(' ');
    return space == std::string_view::npos ? std::string_view() : name.substr(0, space);
}

// Finds the words that name the command among the arguments, and takes them out.
class CommandSearch {
public:
    CommandSearch(std::vector<std::string>& arguments, const CommandSpec& global)
        : arguments_(arguments), global_(global) {}

    const CommandEntry* find() {
        const std::size_t first = next_word(0);
        if (first == arguments_.size()) return nullptr;
        word_ = arguments_[first];
        if (const CommandEntry* entry = entry_of(word_)) {
            arguments_.erase(arguments_.begin() + static_cast<std::ptrdiff_t>(first));
            return entry;
        }
        if (!is_group(word_)) return nullptr;
        group_ = word_;
        const std::size_t second = next_word(first + 1);
        if (second == arguments_.size()) return nullptr;
        word_ += " " + arguments_[second];
        const CommandEntry* entry = entry_of(word_);
        if (entry == nullptr) return nullptr;
        arguments_.erase(arguments_.begin() + static_cast<std::ptrdiff_t>(second));
        arguments_.erase(arguments_.begin() + static_cast<std::ptrdiff_t>(first));
        return entry;
    }

    // What was taken for the name of a command; empty if there was none.
    const std::string& word() const { return word_; }
    const std::string& group() const { return group_; }

private:
    std::size_t next_word(std::size_t from) const {
        for (std::size_t i = from; i < arguments_.size(); ++i) {
            if (!arguments_[i].starts_with('-')) return i;
            const auto takes_next = [&](const OptionSpec& option) {
                return !option.is_switch() && long_name(option) == arguments_[i];
            };
            if (std::ranges::any_of(global_.options, takes_next)) ++i;
        }
        return arguments_.size();
    }

    static const CommandEntry* entry_of(std::string_view name) {
        const auto found = std::ranges::find(command_table(), name, &CommandEntry::name);
        return found == command_table().end() ? nullptr : &*found;
    }

    static bool is_group(std::string_view word) {
        return std::ranges::any_of(command_table(), [&](const CommandEntry& entry) {
            return group_of(entry.name) == word;
        });
    }

    std::vector<std::string>& arguments_;
    const CommandSpec& global_;
    std::string word_;
    std::string group_;
};

std::vector<std::string> known_settings(const CommandSpec& global) {
    std::vector<std::string> known;
    const auto add = [&](const CommandSpec& spec) {
        for (const OptionSpec& option : spec.options)
            if (!option.setting.empty()) known.push_back(option.setting);
    };
    add(global);
    for (const CommandEntry& entry : command_table()) add(entry.make()->spec());
    return known;
}

CommandSpec joined(CommandSpec spec, const CommandSpec& global) {
    spec.options.insert(spec.options.end(), global.options.begin(), global.options.end());
    return spec;
}

Result<void> load_settings(const CommandSpec& all, const CommandSpec& global,
                           const GivenOptions& given, const Environment& environment) {
    ConfigFile file;
    if (const auto path = environment.config_file()) {
        TRY(loaded, ConfigFile::load(*path, known_settings(global)));
        file = std::move(loaded);
    }
    return apply_settings(all, given, environment, file);
}

ExitCode print_version(Console& console) {
    console.print(fmt::format("parley {}\n", version_text()));
    return ExitCode::done;
}

ExitCode run_without_command(const CommandSearch& search, std::vector<std::string> arguments,
                             GlobalArguments& global, Console& console, const RunContext& context) {
    const CommandSpec spec = global.spec();
    if (const std::string& word = search.word(); !word.empty() && word != search.group()) {
        std::vector<std::string> names;
        for (const CommandEntry& entry : command_table()) names.emplace_back(entry.name);
        const std::string near = nearest(word, names);
        const std::string_view group = search.group();
        const std::string advice = !near.empty() ? fmt::format("; did you mean \"{}\"?", near)
                                   : group.empty()
                                       ? std::string()
                                       : fmt::format("; 'parley {} --help' lists them", group);
        return context.refuse_usage(
            fmt::format("there is no command {}{}", quoted_excerpt(word), advice));
    }
    std::erase(arguments, search.group());
    if (auto given = parse_arguments(spec, std::move(arguments)); !given)
        return context.refuse_usage(given.error().message);
    if (global.wants_version) return print_version(console);
    if (global.wants_help) {
        console.print(overview(command_table(), search.group(), spec, console.out_style()));
        return ExitCode::done;
    }
    console.tell(overview(command_table(), search.group(), spec, console.err_style()));
    return ExitCode::usage;
}

ExitCode run_command(const CommandEntry& entry, std::vector<std::string> arguments,
                     GlobalArguments& global, const RunContext& context) {
    const std::unique_ptr<Command> command = entry.make();
    const CommandSpec global_spec = global.spec();
    const CommandSpec spec = command->spec();
    const CommandSpec all = joined(spec, global_spec);
    if (spec.passed_on != nullptr) {
        const auto mark = std::ranges::find(arguments, "--");
        if (mark != arguments.end()) spec.passed_on->assign(mark + 1, arguments.end());
        arguments.erase(mark, arguments.end());
    }
    const auto given = parse_arguments(all, std::move(arguments));
    if (global.wants_version) return print_version(context.console);
    if (global.wants_help) {
        context.console.print(
            command_help(entry.name, spec, global_spec, context.console.out_style()));
        return ExitCode::done;
    }
    if (!given) return context.refuse_usage(given.error().message);
    CommandSpec configured = all;
    for (OptionSpec& option : command->seen_settings())
        configured.options.push_back(std::move(option));
    if (auto loaded = load_settings(configured, global_spec, *given, context.environment);
        !loaded) {
        if (!command->bears(loaded.error())) {
            context.complain(loaded.error().message);
            return ExitCode::usage;
        }
    }
    if (auto complete = check_required(spec); !complete)
        return context.refuse_usage(complete.error().message);
    return command->run(context);
}

}  // namespace

void RunContext::complain(std::string_view message) const {
    console.tell(fmt::format("parley{}{}: {}\n", command.empty() ? "" : " ", command,
                             shown_text(message, console.err_style().charset)));
}

ExitCode RunContext::fail(const Error& error) const {
    complain(error.message);
    if (error.code == ErrorCode::invalid) return ExitCode::usage;
    return error.code == ErrorCode::unavailable ? ExitCode::unreachable : ExitCode::failed;
}

ExitCode RunContext::refuse_usage(std::string_view message) const {
    complain(message);
    console.tell(fmt::format("'parley {}{}--help' shows how it is used.\n", command,
                             command.empty() ? "" : " "));
    return ExitCode::usage;
}

ExitCode run(std::vector<std::string> arguments, const Environment& environment, Console& console) {
    // "parley help ask" is what many try first.
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.emplace_back("--help");
    }
    GlobalArguments global;
    const CommandSpec global_spec = global.spec();
    CommandSearch search(arguments, global_spec);
    const CommandEntry* entry = search.find();
    const RunContext context{.command = entry == nullptr ? std::string_view() : entry->name,
                             .environment = environment,
                             .console = console,
                             .global = global.options};
    ExitCode code = entry == nullptr ? run_without_command(search, std::move(arguments), global,
                                                           console, context)
                                     : run_command(*entry, std::move(arguments), global, context);
    if (entry != nullptr && code == ExitCode::usage) code = entry->on_usage;
    if (!console.has_lost_output()) return code;
    context.complain("cannot write to standard output");
    return code == ExitCode::done ? ExitCode::failed : code;
}

}  // namespace parley::app
