// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/command_line/help.h"
#include "app/command_line/settings.h"

namespace parley::app {

namespace {

// Text of a page: nothing of it is a request, and hyphens stay what they are when they are copied.
std::string roff(std::string_view text) {
    std::string out;
    bool begins_line = true;
    for (const char c : text) {
        if (begins_line && (c == '.' || c == '\'')) out += "\\&";
        begins_line = c == '\n';
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

std::string section(std::string_view title) {
    return fmt::format(".SH {}\n", title);
}

std::string described(std::string_view bold, std::string_view value, std::string_view text) {
    std::string line = fmt::format(".TP\n\\fB{}\\fR", roff(bold));
    if (!value.empty()) line += fmt::format(" \\fI{}\\fR", roff(value));
    return line + "\n" + roff(text) + "\n";
}

// "-o,--option" as "-o, --option".
std::string spaced(std::string names) {
    if (const std::size_t comma = names.find(','); comma != std::string::npos)
        names.insert(comma + 1, " ");
    return names;
}

std::string how_else(const OptionSpec& option) {
    if (option.setting.empty()) return {};
    return fmt::format(" Setting: {}. Variable: {}.", option.setting,
                       variable_name(option.setting));
}

std::string sentence(std::string text) {
    if (!text.empty() && !text.ends_with('.')) text += '.';
    return text;
}

std::string option_list(std::string_view title, const CommandSpec& spec) {
    if (spec.options.empty()) return {};
    std::string out = section(title);
    for (const OptionSpec& option : spec.options)
        out +=
            described(spaced(option.names), option.value, sentence(option.help) + how_else(option));
    return out;
}

std::string examples(const CommandSpec& spec) {
    if (spec.examples.empty()) return {};
    std::string out = section("EXAMPLES");
    for (const Example& example : spec.examples)
        out += fmt::format(".PP\n{}\n.PP\n.RS\n.nf\n{}\n.fi\n.RE\n", roff(example.meaning),
                           roff(example.command));
    return out;
}

std::string head(std::string_view page, std::string_view summary, const Edition& edition) {
    std::string title(page);
    std::ranges::transform(title, title.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return fmt::format(".TH {} 1 \"{}\" \"Parley {}\" \"User Commands\"\n.nh\n.ad l\n", roff(title),
                       edition.date, edition.version) +
           section("NAME") + fmt::format("{} \\- {}\n", roff(page), roff(summary));
}

// `parley-ask(1)`, in bold.
std::string reference_to(std::string_view page) {
    return fmt::format("\\fB{}\\fR(1)", roff(page));
}

constexpr std::pair<std::string_view, std::string_view> kExitCodes[] = {
    {"0", "Done; of ask and wait: answered."},
    {"1", "Failed; the message is on standard error."},
    {"2", "Wrong usage, or an invalid question."},
    {"3", "ask, wait: dismissed by the person."},
    {"4", "ask, wait: timed out."},
    {"5", "ask, wait: withdrawn, or its session ended."},
    {"6", "The broker cannot be reached."},
    {"130", "Interrupted."},
};

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"$XDG_CONFIG_HOME/parley/config.toml", "Settings; ~/.config unless the variable is set."},
    {"$XDG_STATE_HOME/parley/parley.db",
     "Asks, answers, sessions; ~/.local/state unless the variable is set."},
    {"$XDG_STATE_HOME/parley/token", "The owner's token."},
    {"$XDG_RUNTIME_DIR/parley.sock", "The local socket, where commands find the broker."},
};

std::string markdown_cell(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    std::ranges::replace(out, '\n', ' ');
    return out;
}

std::string option_table(const CommandSpec& spec) {
    if (spec.options.empty()) return {};
    std::string out = "\n| option | meaning | setting, variable |\n|---|---|---|\n";
    for (const OptionSpec& option : spec.options) {
        const std::string value = option.value.empty() ? "" : " " + option.value;
        const std::string setting =
            option.setting.empty()
                ? ""
                : fmt::format("`{}`, `{}`", option.setting, variable_name(option.setting));
        out += fmt::format("| `{}{}` | {} | {} |\n", spaced(option.names), markdown_cell(value),
                           markdown_cell(sentence(option.help)), setting);
    }
    return out;
}

std::string reference_of(const DescribedCommand& command) {
    std::string out =
        fmt::format("\n## parley {}\n\n{}\n\n    {}\n", command.name, command.spec.about,
                    usage_line(command.name, command.spec).substr(std::string("usage: ").size()));
    if (!command.spec.arguments.empty()) {
        out += "\n| argument | meaning |\n|---|---|\n";
        for (const ArgumentSpec& argument : command.spec.arguments)
            out += fmt::format("| `{}` | {} |\n", argument.name,
                               markdown_cell(sentence(argument.help)));
    }
    out += option_table(command.spec);
    if (!command.spec.notes.empty()) out += "\n" + command.spec.notes + "\n";
    return out;
}

}  // namespace

std::string man_page_name(std::string_view command) {
    std::string page = "parley-" + std::string(command);
    std::ranges::replace(page, ' ', '-');
    return page;
}

std::string man_page(const DescribedCommand& command, const CommandSpec& global,
                     const Edition& edition) {
    std::string out = head(man_page_name(command.name), command.summary, edition);
    const std::string usage =
        usage_line(command.name, command.spec).substr(std::string("usage: ").size());
    out += section("SYNOPSIS") + fmt::format("\\fB{}\\fR\n", roff(usage));
    out += section("DESCRIPTION") + roff(command.spec.about) + "\n";
    if (!command.spec.notes.empty()) out += ".PP\n" + roff(command.spec.notes) + "\n";
    if (!command.spec.arguments.empty()) {
        out += section("ARGUMENTS");
        for (const ArgumentSpec& argument : command.spec.arguments)
            out += described(argument.name, "", sentence(argument.help));
    }
    out += option_list("OPTIONS", command.spec);
    out += option_list("OPTIONS OF EVERY COMMAND", global);
    out += examples(command.spec);
    return out + section("SEE ALSO") + reference_to("parley") + "\n";
}

std::string man_overview(const std::vector<DescribedCommand>& commands, const CommandSpec& global,
                         const Edition& edition) {
    std::string out = head("parley", "agents ask, people answer", edition);
    out += section("SYNOPSIS") + "\\fBparley\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
    out += section("DESCRIPTION") +
           "An AI agent reaches a decision that only a person can make. It asks; a person answers, "
           "from a terminal,\na browser or a program, now or tomorrow; the agent goes on with "
           "exactly that answer. Parley is the\nbroker in the middle.\n";
    out += section("COMMANDS");
    for (const DescribedCommand& command : commands)
        out += fmt::format(".TP\n{}\n{}\n", reference_to(man_page_name(command.name)),
                           roff(sentence(command.summary)));
    out += option_list("OPTIONS OF EVERY COMMAND", global);
    out += section("EXIT STATUS");
    for (const auto& [code, meaning] : kExitCodes) out += described(code, "", meaning);
    out += section("FILES");
    for (const auto& [file, meaning] : kFiles) out += described(file, "", meaning);
    return out;
}

std::string reference_page(const std::vector<DescribedCommand>& commands,
                           const CommandSpec& global) {
    std::string out =
        "# Reference\n\n"
        "Every command with its options. Made by `parley man --markdown` from the table that also "
        "parses them,\nand compared with it by a test. A setting stands in the configuration file, "
        "a variable in the\nenvironment; a flag wins over both. [Running the broker](running.md) "
        "says where the file is.\n\n## Options of every command\n";
    out += option_table(global);
    for (const DescribedCommand& command : commands) out += reference_of(command);
    return out;
}

}  // namespace parley::app
