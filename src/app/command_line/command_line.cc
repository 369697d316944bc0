// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/text_rules.h"

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

// A switch takes true or false, a single value one text.
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

Result<void> fill_arguments(const CommandSpec& spec, std::span<const std::string> rest) {
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

bool has_name(const OptionSpec& option, std::string_view name) {
    const std::string_view names = option.names;
    const std::size_t comma = names.find(',');
    return name == names.substr(0, comma) || name == long_name(option);
}

// Arguments in two heaps: what was given for each option, and the rest. An option that takes a
// value takes the next argument, whatever that looks like.
class Splitting {
public:
    explicit Splitting(const CommandSpec& spec) : spec_(spec), values_(spec.options.size()) {}

    Result<void> split(std::span<const std::string> arguments) {
        while (!arguments.empty()) {
            const std::string_view argument = arguments.front();
            arguments = arguments.subspan(1);
            if (!looks_like_option(argument)) {
                rest_.emplace_back(argument);
            } else if (argument.starts_with("--")) {
                CHECK_OK(take_long(argument, arguments));
            } else {
                CHECK_OK(take_short(argument, arguments));
            }
        }
        return {};
    }

    // As the options of the description stand.
    const std::vector<std::vector<std::string>>& values() const { return values_; }
    std::vector<std::string> take_rest() { return std::move(rest_); }

private:
    using Rest = std::span<const std::string>;

    // "--name", "--name=value", "--name value".
    Result<void> take_long(std::string_view argument, Rest& following) {
        const std::size_t sign = argument.find('=');
        const std::string_view name = argument.substr(0, sign);
        const std::size_t option = find(name);
        if (option == spec_.options.size()) return unknown_option(spec_, argument);
        if (sign != std::string_view::npos) return take(option, argument.substr(sign + 1));
        if (spec_.options[option].is_switch()) return take(option, "true");
        return take_next(option, name, following);
    }

    // "-m", "-mv" for two switches, "-o value", "-ovalue".
    Result<void> take_short(std::string_view argument, Rest& following) {
        for (std::size_t i = 1; i < argument.size(); ++i) {
            const std::string name = {'-', argument[i]};
            const std::size_t option = find(name);
            const std::string_view behind = argument.substr(i + 1);
            if (option == spec_.options.size())
                return unknown_option(spec_, fmt::format("-{}", argument.substr(i)));
            if (spec_.options[option].is_switch()) {
                CHECK_OK(take(option, "true"));
                continue;
            }
            return behind.empty() ? take_next(option, name, following) : take(option, behind);
        }
        return {};
    }

    Result<void> take_next(std::size_t option, std::string_view name, Rest& following) {
        if (following.empty()) return reject(ErrorCode::invalid, "{} needs a value", name);
        const std::string_view value = following.front();
        following = following.subspan(1);
        return take(option, value);
    }

    Result<void> take(std::size_t option, std::string_view value) {
        values_[option].emplace_back(value);
        return {};
    }

    std::size_t find(std::string_view name) const {
        const auto found = std::ranges::find_if(
            spec_.options, [&](const OptionSpec& option) { return has_name(option, name); });
        return static_cast<std::size_t>(found - spec_.options.begin());
    }

    const CommandSpec& spec_;
    std::vector<std::vector<std::string>> values_;
    std::vector<std::string> rest_;
};

bool is_choice(const OptionSpec& option, std::string_view value) {
    return std::ranges::any_of(option.choices, [&](const std::string& choice) {
        return choice.ends_with('=') ? value.starts_with(choice) : value == choice;
    });
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

Result<void> fill(const OptionSpec& option, std::span<const std::string> values,
                  std::string_view place) {
    for (const std::string& value : values) {
        if (option.choices.empty() || is_choice(option, value)) continue;
        const std::span<const std::string> all = option.choices;
        return reject(ErrorCode::invalid, "{} must be {} or {}, not {}", place,
                      fmt::join(all.first(all.size() - 1), ", "), all.back(),
                      quoted_excerpt(value));
    }
    if (auto filled = fill(option.target, values); !filled)
        return reject(ErrorCode::invalid, "{}: {}", place, filled.error().message);
    return {};
}

Result<GivenOptions> parse_arguments(const CommandSpec& spec, std::vector<std::string> arguments) {
    const std::span<const std::string> all = arguments;
    const auto mark = std::ranges::find(all, "--");
    Splitting splitting(spec);
    CHECK_OK(splitting.split({all.begin(), mark}));
    std::vector<std::string> positional = splitting.take_rest();
    if (mark != all.end()) positional.insert(positional.end(), std::next(mark), all.end());

    GivenOptions given;
    for (std::size_t i = 0; i < spec.options.size(); ++i) {
        const std::vector<std::string>& values = splitting.values()[i];
        if (values.empty()) continue;
        const OptionSpec& option = spec.options[i];
        const bool is_list = std::holds_alternative<std::vector<std::string>*>(option.target);
        if (values.size() > 1 && !is_list && !option.is_switch()) {
            return reject(ErrorCode::invalid, "{} is given {} times; give it once",
                          long_name(option), values.size());
        }
        const auto used = option.is_switch() ? std::span(values).last(1) : std::span(values);
        CHECK_OK(fill(option, used, long_name(option)));
        given.emplace(long_name(option));
    }
    CHECK_OK(fill_arguments(spec, positional));
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
