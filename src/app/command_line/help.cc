// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/width.h"

namespace parley::app {

namespace {

using Look = PlainPage::Look;

// Where descriptions begin; a longer name has its description on the next line.
constexpr int kHelpColumn = 26;

void entry(PlainPage& page, std::string_view name, std::string_view help) {
    const int width = text_width(name) + 2;
    const std::string indent(kHelpColumn, ' ');
    if (width > kHelpColumn - 2) {
        page.hanging("  ", name);
        page.hanging(indent, help);
        return;
    }
    page.hanging(fmt::format("  {:<{}}", name, kHelpColumn - 2), help);
}

// "-o, --option LABEL"; options without a short name stand under the long names of the others.
std::string shown_names(const OptionSpec& option) {
    std::string shown = option.names;
    if (const std::size_t comma = shown.find(','); comma != std::string::npos)
        shown.insert(comma + 1, " ");
    else
        shown.insert(0, "    ");
    if (!option.value.empty()) shown += " " + option.value;
    return shown;
}

void show_options(PlainPage& page, std::string_view title, const CommandSpec& spec) {
    if (spec.options.empty()) return;
    page.blank();
    page.line(title, Look::bold);
    for (const OptionSpec& option : spec.options) entry(page, shown_names(option), option.help);
}

}  // namespace

std::string usage_line(std::string_view name, const CommandSpec& spec) {
    std::string usage = fmt::format("usage: parley {} [OPTIONS]", name);
    for (const ArgumentSpec& argument : spec.arguments) {
        const bool is_list = std::holds_alternative<std::vector<std::string>*>(argument.target);
        const std::string shown = argument.name + (is_list ? "..." : "");
        usage += argument.is_required ? fmt::format(" {}", shown) : fmt::format(" [{}]", shown);
    }
    return spec.passed_on != nullptr ? usage + " [-- ARGUMENTS...]" : usage;
}

std::string command_help(std::string_view name, const CommandSpec& spec, const CommandSpec& global,
                         const PlainStyle& style) {
    PlainPage page(style);
    page.line(spec.about);
    page.blank();
    page.line(usage_line(name, spec));
    if (!spec.arguments.empty()) {
        page.blank();
        page.line("arguments:", Look::bold);
        for (const ArgumentSpec& argument : spec.arguments)
            entry(page, argument.name, argument.help);
    }
    show_options(page, "options:", spec);
    show_options(page, "options of every command:", global);
    if (!spec.examples.empty()) {
        page.blank();
        page.line("examples:", Look::bold);
        for (const Example& example : spec.examples) {
            page.hanging("  ", example.command);
            page.hanging("      ", example.meaning, Look::dim);
        }
    }
    if (!spec.notes.empty()) {
        page.blank();
        page.line(spec.notes);
    }
    return page.take();
}

std::string overview(std::span<const CommandEntry> table, std::string_view group,
                     const CommandSpec& global, const PlainStyle& style) {
    PlainPage page(style);
    if (group.empty()) {
        page.line("Agents ask, people answer: from a terminal, a browser or a program.");
        page.blank();
    }
    page.line(fmt::format("usage: parley {}{}COMMAND [OPTIONS]", group, group.empty() ? "" : " "));
    page.blank();
    page.line("commands:", Look::bold);
    for (const CommandEntry& command : table) {
        const bool is_in_group = command.name.starts_with(group) && !group.empty();
        if (group.empty() || is_in_group) entry(page, command.name, command.summary);
    }
    show_options(page, "options of every command:", global);
    page.blank();
    page.line("'parley COMMAND --help' tells more, with examples.");
    return page.take();
}

}  // namespace parley::app
