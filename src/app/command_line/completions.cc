// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/completions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace parley::app {

namespace {

std::vector<std::string> names_of(const OptionSpec& option) {
    std::vector<std::string> names;
    std::string_view rest = option.names;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        names.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return names;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

std::string first_word(std::string_view name) {
    return std::string(name.substr(0, name.find(' ')));
}
std::string second_word(std::string_view name) {
    const std::size_t space = name.find(' ');
    return space == std::string_view::npos ? std::string() : std::string(name.substr(space + 1));
}

// The first sentence: a completion has room for one line.
std::string brief(std::string_view help) {
    const std::size_t end = help.find(". ");
    std::string text(help.substr(0, end));
    if (text.ends_with('.')) text.pop_back();
    return text;
}

// In single quotes, as all three shells read them.
std::string shell_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// Distinct first words, in order, with what completes after each ("" where nothing does).
struct Group {
    std::string word;
    std::string summary;  // of a command that is one word
    std::vector<const DescribedCommand*> members;
};
std::vector<Group> groups_of(const std::vector<DescribedCommand>& commands) {
    std::vector<Group> groups;
    for (const DescribedCommand& command : commands) {
        const std::string word = first_word(command.name);
        auto found = std::ranges::find(groups, word, &Group::word);
        if (found == groups.end()) {
            groups.push_back({.word = word, .summary = command.summary, .members = {}});
            found = std::prev(groups.end());
        }
        if (!second_word(command.name).empty()) found->members.push_back(&command);
    }
    return groups;
}

// The words that complete a command: its options, and for a choice of its arguments the choices.
std::vector<std::string> bash_words(const CommandSpec& spec) {
    std::vector<std::string> words;
    for (const OptionSpec& option : spec.options)
        for (std::string& name : names_of(option)) words.push_back(std::move(name));
    for (const ArgumentSpec& argument : spec.arguments)
        words.insert(words.end(), argument.choices.begin(), argument.choices.end());
    return words;
}

std::string bash_value(const std::vector<std::string>& choices, Completion completion) {
    if (!choices.empty()) return fmt::format("-W {}", shell_quoted(join(choices, " ")));
    return completion == Completion::file ? "-f" : "-W ''";
}

void bash_values(std::string& out, std::string_view command, const CommandSpec& spec) {
    for (const OptionSpec& option : spec.options) {
        if (option.is_switch()) continue;
        std::vector<std::string> patterns;
        for (const std::string& name : names_of(option))
            patterns.push_back(command.empty() ? fmt::format("*' '{}", name)
                                               : shell_quoted(fmt::format("{} {}", command, name)));
        out += fmt::format("        {}) asks='' && set -- {} ;;\n", join(patterns, "|"),
                           bash_value(option.choices, option.completion));
    }
}

std::string escaped_for_zsh(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_action(const std::vector<std::string>& choices, Completion completion) {
    if (!choices.empty()) return fmt::format("({})", join(choices, " "));
    if (completion == Completion::ask) return "_parley_asks";
    return completion == Completion::file ? "_files" : "";
}

// How many of its arguments are asks.
enum class Asks : std::uint8_t { none, one, many };
Asks asks_of(const CommandSpec& spec) {
    for (const ArgumentSpec& argument : spec.arguments) {
        if (argument.completion != Completion::ask) continue;
        const bool is_list = std::holds_alternative<std::vector<std::string>*>(argument.target);
        return is_list ? Asks::many : Asks::one;
    }
    return Asks::none;
}

// One argument of _arguments for each option and argument.
std::vector<std::string> zsh_specs(const CommandSpec& spec) {
    std::vector<std::string> specs;
    for (const OptionSpec& option : spec.options) {
        const bool is_list = std::holds_alternative<std::vector<std::string>*>(option.target);
        const std::string help = fmt::format("[{}]", escaped_for_zsh(brief(option.help)));
        std::string value;
        if (!option.is_switch()) {
            value = fmt::format(":{}:{}", escaped_for_zsh(option.value),
                                zsh_action(option.choices, option.completion));
        }
        for (const std::string& name : names_of(option)) {
            const bool is_long = name.starts_with("--");
            const std::string_view joint = option.is_switch() ? "" : is_long ? "=" : "+";
            specs.push_back(shell_quoted(
                fmt::format("{}{}{}{}{}", is_list ? "*" : "", name, joint, help, value)));
        }
    }
    for (const ArgumentSpec& argument : spec.arguments) {
        const bool is_list = std::holds_alternative<std::vector<std::string>*>(argument.target);
        specs.push_back(
            shell_quoted(fmt::format("{}:{}:{}", is_list ? "*" : "", escaped_for_zsh(argument.name),
                                     zsh_action(argument.choices, argument.completion))));
    }
    return specs;
}

std::string zsh_call(const CommandSpec& spec, const CommandSpec& global, std::string_view indent) {
    std::vector<std::string> specs = zsh_specs(spec);
    for (std::string& each : zsh_specs(global)) specs.push_back(std::move(each));
    return fmt::format("{0}_arguments \\\n{0}    {1}\n", indent,
                       join(specs, fmt::format(" \\\n{}    ", indent)));
}

std::string zsh_descriptions(const std::vector<std::pair<std::string, std::string>>& entries,
                             std::string_view indent) {
    std::string out;
    for (const auto& [word, summary] : entries)
        out += fmt::format("{}{}\n", indent,
                           shell_quoted(fmt::format("{}:{}", word, escaped_for_zsh(summary))));
    return out;
}

void fish_options(std::string& out, std::string_view condition, const CommandSpec& spec) {
    for (const OptionSpec& option : spec.options) {
        std::string line = "complete -c parley";
        if (!condition.empty()) line += fmt::format(" -n {}", shell_quoted(condition));
        for (const std::string& name : names_of(option))
            line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        if (!option.is_switch()) line += option.completion == Completion::file ? " -rF" : " -x";
        if (!option.choices.empty()) line += " -a " + shell_quoted(join(option.choices, " "));
        out += fmt::format("{} -d {}\n", line, shell_quoted(brief(option.help)));
    }
    if (const Asks asks = asks_of(spec); asks != Asks::none)
        out +=
            fmt::format("complete -c parley -n {} -k -a '(__parley_asks)'\n",
                        shell_quoted(asks == Asks::many
                                         ? std::string(condition)
                                         : fmt::format("{}; and not __parley_has_ask", condition)));
    for (const ArgumentSpec& argument : spec.arguments) {
        if (argument.choices.empty()) continue;
        out += fmt::format("complete -c parley -n {} -a {}\n", shell_quoted(condition),
                           shell_quoted(join(argument.choices, " ")));
    }
}

}  // namespace

std::string bash_completions(const std::vector<DescribedCommand>& commands,
                             const CommandSpec& global) {
    std::set<std::string> prefixes;
    std::string cases;
    std::string values;
    for (const DescribedCommand& command : commands) {
        prefixes.insert(first_word(command.name));
        prefixes.insert(command.name);
        const Asks asks = asks_of(command.spec);
        cases += fmt::format("        {}) {}set -- -W {} ;;\n", shell_quoted(command.name),
                             asks == Asks::none   ? ""
                             : asks == Asks::many ? "asks=many && "
                                                  : "asks=one && ",
                             shell_quoted(join(bash_words(command.spec), " ") + " " +
                                          join(bash_words(global), " ")));
        bash_values(values, command.name, command.spec);
    }
    bash_values(values, "", global);
    std::vector<std::string> top = bash_words(global);
    for (const Group& group : groups_of(commands)) {
        top.push_back(group.word);
        if (group.members.empty()) continue;
        std::vector<std::string> words;
        for (const DescribedCommand* member : group.members)
            words.push_back(second_word(member->name));
        cases += fmt::format("        {}) set -- -W {} ;;\n", shell_quoted(group.word),
                             shell_quoted(join(words, " ")));
    }
    std::vector<std::string> known;
    for (const std::string& prefix : prefixes) known.push_back(shell_quoted(prefix));
    return fmt::format(R"(# bash completion for parley
# The asks that wait. Their titles are shown where several are listed, and never put in.
_parley_asks() {{
    local ids=() lines=() id title
    while IFS=$'\t' read -r id title; do
        [[ $id == "$2"* ]] || continue
        ids+=("$id")
        lines+=("$id  $title")
    done < <(timeout 2 "$1" list --brief 2>/dev/null)
    COMPREPLY=("${{ids[@]}}")
    case "${{COMP_TYPE:-9}}" in
        33 | 63 | 64) (( ${{#ids[@]}} > 1 )) && COMPREPLY=("${{lines[@]}}") ;;
    esac
    (( ${{#ids[@]}} > 0 ))
}}
_parley() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    local command='' asks='' has_ask='' word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "${{command:+$command }}$word" in
            {}) command=${{command:+$command }}$word ;;
        esac
        [[ $word == que_* ]] && has_ask=1
    done
    case "$command" in
{}        *) set -- -W {} ;;
    esac
    case "$command $previous" in
{}    esac
    [[ $asks == one && $has_ask ]] && asks=''
    if [[ $asks && $current != -* ]] && _parley_asks "${{COMP_WORDS[0]}}" "$current"; then
        return
    fi
    mapfile -t COMPREPLY < <(compgen "$@" -- "$current")
}}
complete -F _parley parley
)",
                       join(known, "|"), cases, shell_quoted(join(top, " ")), values);
}

std::string zsh_completions(const std::vector<DescribedCommand>& commands,
                            const CommandSpec& global) {
    using Entries = std::vector<std::pair<std::string, std::string>>;
    Entries top;
    std::string cases;
    for (const Group& group : groups_of(commands)) {
        top.emplace_back(group.word, group.summary);
        cases += fmt::format("                {})\n", group.word);
        if (group.members.empty()) {
            const auto command = std::ranges::find(commands, group.word, &DescribedCommand::name);
            cases += zsh_call(command->spec, global, "                    ");
        } else {
            Entries members;
            std::string inner;
            for (const DescribedCommand* member : group.members) {
                members.emplace_back(second_word(member->name), member->summary);
                inner += fmt::format("                        {})\n", second_word(member->name));
                inner += zsh_call(member->spec, global, "                            ");
                inner += "                            ;;\n";
            }
            cases += fmt::format(R"(                    commands=(
{}                    )
                    if (( CURRENT == 2 )); then _describe command commands; return; fi
                    shift words; (( CURRENT-- ))
                    case $words[1] in
{}                    esac
)",
                                 zsh_descriptions(members, "                        "), inner);
        }
        cases += "                    ;;\n";
    }
    return fmt::format(R"(#compdef parley
_parley_asks() {{
    local -a asks
    local id title
    while IFS=$'\t' read -r id title; do
        asks+=("$id:$title")
    done < <(timeout 2 $parley list --brief 2>/dev/null)
    _describe -V ask asks
}}
_parley() {{
    local context state state_descr line parley=$words[1]
    local -a commands
    typeset -A opt_args
    _arguments -C \
        {} \
        '1:command:->command' '*::argument:->argument'
    case $state in
        command)
            commands=(
{}            )
            _describe command commands
            ;;
        argument)
            case $words[1] in
{}            esac
            ;;
    esac
}}
compdef _parley parley
)",
                       join(zsh_specs(global), " \\\n        "),
                       zsh_descriptions(top, "                "), cases);
}

std::string fish_completions(const std::vector<DescribedCommand>& commands,
                             const CommandSpec& global) {
    std::string out = R"(# fish completion for parley
function __parley_asks
    set -l words (commandline -opc)
    timeout 2 $words[1] list --brief 2>/dev/null
end
function __parley_has_ask
    string match -q -- 'que_*' (commandline -opc)
end
complete -c parley -f
)";
    fish_options(out, "", global);
    for (const Group& group : groups_of(commands)) {
        out += fmt::format("complete -c parley -n __fish_use_subcommand -a {} -d {}\n", group.word,
                           shell_quoted(group.summary));
        std::vector<std::string> words;
        for (const DescribedCommand* member : group.members)
            words.push_back(second_word(member->name));
        for (const DescribedCommand* member : group.members) {
            out += fmt::format(
                "complete -c parley -n '__fish_seen_subcommand_from {}; and not "
                "__fish_seen_subcommand_from {}' -a {} -d {}\n",
                group.word, join(words, " "), second_word(member->name),
                shell_quoted(member->summary));
        }
    }
    for (const DescribedCommand& command : commands) {
        std::string condition =
            fmt::format("__fish_seen_subcommand_from {}", first_word(command.name));
        if (const std::string second = second_word(command.name); !second.empty())
            condition += fmt::format("; and __fish_seen_subcommand_from {}", second);
        fish_options(out, condition, command.spec);
    }
    return out;
}

}  // namespace parley::app
