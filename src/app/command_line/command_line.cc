// SPDX-License-Identifier: Apache-2.0
// The only file that knows CLI11, which splits the arguments into options and the rest.
#include "app/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace parley::app {

namespace {

bool looks_like_option(std::string_view argument) {
    return argument.size() > 1 && argument.front() == '-';
}

std::vector<std::string> option_names(const CommandSpec& spec) {
    std::vector<std::string> names;
    for (const OptionSpec& option : spec.options) names.emplace_back(long_name(option));
    return names;
}

Rejection unknown_option(const CommandSpec& spec, std::string_view argument) {
    const std::string_view name = argument.substr(0, argument.find('='));
    const std::string near = nearest(name, option_names(spec));
    if (near.empty()) return reject(ErrorCode::invalid, "there is no option {}", name);
    return reject(ErrorCode::invalid, "there is no option {}; did you mean {}?", name, near);
}

Result<void> fill_arguments(const CommandSpec& spec, std::vector<std::string> values) {
    std::span<const std::string> rest = values;
    for (const ArgumentSpec& argument : spec.arguments) {
        if (rest.empty()) return {};
        const bool takes_all = std::holds_alternative<std::vector<std::string>*>(argument.target);
        const std::size_t count = takes_all ? rest.size() : 1;
        CHECK_OK(fill(argument.target, rest.first(count)));
        rest = rest.subspan(count);
    }
    if (rest.empty()) return {};
    if (spec.arguments.empty())
        return reject(ErrorCode::invalid, "unexpected argument \"{}\"", rest.front());
    return reject(ErrorCode::invalid,
                  "unexpected argument \"{}\"; put a text that contains spaces in quotes",
                  rest.front());
}

// "--name=" gives an empty value; CLI11 would take the next argument for it.
std::vector<std::string> split_empty_values(std::vector<std::string> arguments) {
    std::vector<std::string> split;
    for (std::string& argument : arguments) {
        const bool is_empty_value = argument.starts_with("--") && argument.size() > 3 &&
                                    argument.find('=') == argument.size() - 1;
        if (is_empty_value) argument.pop_back();
        split.push_back(std::move(argument));
        if (is_empty_value) split.emplace_back();
    }
    return split;
}

Result<std::vector<CLI::Option*>> run_cli11(CLI::App& parser, const CommandSpec& spec,
                                            std::vector<std::string> arguments) {
    // The parser eats the arguments.
    const std::string last = arguments.empty() ? std::string() : arguments.back();
    try {
        parser.set_help_flag();
        parser.allow_extras();
        std::vector<CLI::Option*> options;
        for (const OptionSpec& option : spec.options) {
            options.push_back(option.is_switch()
                                  ? parser.add_flag(option.names)
                                  : parser.add_option(option.names)
                                        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
        }
        std::ranges::reverse(arguments);
        parser.parse(arguments);
        return options;
    } catch (const CLI::ArgumentMismatch&) {
        // Every option takes one value, whatever it looks like: only the last can be without.
        return reject(ErrorCode::invalid, "{} needs a value", last);
    } catch (const CLI::ParseError& error) {
        return reject(ErrorCode::invalid, "{}", error.what());
    }
}

// Two letters that changed places are one mistake.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last;
    std::vector<std::size_t> last;
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        before_last = std::exchange(last, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = last[j] + (a[i] == b[j] ? 0 : 1);
            row[j + 1] = std::min({replaced, row[j] + 1, last[j + 1] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
        }
    }
    return row.back();
}

}  // namespace

std::string_view long_name(const OptionSpec& option) {
    const std::string_view names = option.names;
    return names.substr(names.find("--"));
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
    std::string best;
    // A third of the word may be wrong; more is another word.
    std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
    for (const std::string& candidate : candidates) {
        const bool is_start = word.size() >= 3 && candidate.starts_with(word);
        const std::size_t distance = is_start ? 1 : edit_distance(word, candidate);
        if (distance >= best_distance) continue;
        best_distance = distance;
        best = candidate;
    }
    return best;
}

Result<void> fill(const Target& target, std::span<const std::string> values) {
    if (auto* const* list = std::get_if<std::vector<std::string>*>(&target)) {
        (*list)->assign(values.begin(), values.end());
        return {};
    }
    if (values.size() != 1)
        return reject(ErrorCode::invalid, "expected one value, not {}", values.size());
    if (auto* const* text = std::get_if<std::optional<std::string>*>(&target)) {
        **text = values.front();
        return {};
    }
    const std::string& value = values.front();
    if (value != "true" && value != "false" && value != "1" && value != "0")
        return reject(ErrorCode::invalid, "expected true or false, not \"{}\"", value);
    *std::get<bool*>(target) = value == "true" || value == "1";
    return {};
}

Result<GivenOptions> parse_arguments(const CommandSpec& spec, std::vector<std::string> arguments) {
    const auto mark = std::ranges::find(arguments, "--");
    const std::vector<std::string> after_mark(mark == arguments.end() ? mark : std::next(mark),
                                              arguments.end());
    arguments.erase(mark, arguments.end());

    CLI::App parser;
    TRY(options, run_cli11(parser, spec, split_empty_values(std::move(arguments))));
    std::vector<std::string> positional = parser.remaining();
    for (const std::string& argument : positional)
        if (looks_like_option(argument)) return unknown_option(spec, argument);
    positional.insert(positional.end(), after_mark.begin(), after_mark.end());

    GivenOptions given;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::vector<std::string>& values = options[i]->results();
        if (values.empty()) continue;
        const OptionSpec& option = spec.options[i];
        const bool is_list = std::holds_alternative<std::vector<std::string>*>(option.target);
        if (values.size() > 1 && !is_list && !option.is_switch()) {
            return reject(ErrorCode::invalid, "{} is given {} times; give it once",
                          long_name(option), values.size());
        }
        const auto used = option.is_switch() ? std::span(values).last(1) : std::span(values);
        if (auto filled = fill(option.target, used); !filled) {
            return reject(ErrorCode::invalid, "{}: {}", long_name(option), filled.error().message);
        }
        given.emplace(long_name(option));
    }
    CHECK_OK(fill_arguments(spec, std::move(positional)));
    return given;
}

Result<void> check_required(const CommandSpec& spec) {
    for (const ArgumentSpec& argument : spec.arguments) {
        if (!argument.is_required) continue;
        const auto* const* text = std::get_if<std::optional<std::string>*>(&argument.target);
        const auto* const* list = std::get_if<std::vector<std::string>*>(&argument.target);
        const bool is_missing = text != nullptr ? !(*text)->has_value() : (*list)->empty();
        if (is_missing) return reject(ErrorCode::invalid, "{} is missing", argument.name);
    }
    return {};
}

}  // namespace parley::app
