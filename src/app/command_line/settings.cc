// SPDX-License-Identifier: Apache-2.0
// With toml_table.cc, the only file that knows toml++.
#include "app/command_line/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>

#include "app/command_line/read_file.h"
#include "app/limits.h"
#include "core/text_rules.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace parley::app {

namespace {

using Entries = std::map<std::string, ConfigFile::Entry, std::less<>>;

std::string place_of(std::string_view file_name, const toml::source_position& at) {
    return fmt::format("{}:{}:{}", file_name, at.line, at.column);
}

std::optional<std::string> scalar_text(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    return std::nullopt;
}

// Flattens the tables of one file.
class Flattening {
public:
    Flattening(std::string_view file_name, const std::vector<std::string>& known)
        : file_name_(file_name), known_(known) {}

    Result<void> table(const toml::table& table, const std::string& prefix) {
        for (const auto& [key, node] : table) {
            const std::string name = prefix + std::string(key.str());
            const std::string place = place_of(file_name_, key.source().begin);
            if (const auto* inner = node.as_table(); inner != nullptr && has_below(name)) {
                CHECK_OK(this->table(*inner, name + "."));
                continue;
            }
            if (std::ranges::find(known_, name) == known_.end()) return unknown(name, place);
            TRY(values, values_of(node, name, place));
            entries_[name] = {.values = std::move(values), .place = place};
        }
        return {};
    }

    Entries take() { return std::move(entries_); }

private:
    bool has_below(const std::string& name) const {
        return std::ranges::any_of(
            known_, [&](const std::string& known) { return known.starts_with(name + "."); });
    }

    Rejection unknown(const std::string& name, const std::string& place) const {
        const std::string near = nearest(name, known_);
        std::string message =
            fmt::format("{}: there is no setting {}", place, quoted_excerpt(name));
        if (!near.empty()) message += fmt::format("; did you mean \"{}\"?", near);
        return reject(ErrorCode::invalid, "{}", message);
    }

    Result<std::vector<std::string>> values_of(const toml::node& node, const std::string& name,
                                               const std::string& place) const {
        std::vector<std::string> values;
        const auto add = [&](const toml::node& each) {
            auto text = scalar_text(each);
            if (text) values.push_back(std::move(*text));
            return text.has_value();
        };
        bool is_fine = true;
        if (const auto* list = node.as_array()) {
            for (const toml::node& each : *list) is_fine = is_fine && add(each);
        } else {
            is_fine = add(node);
        }
        if (is_fine) return values;
        return reject(
            ErrorCode::invalid,
            "{}: the setting \"{}\" must be a text, a number, true or false, or a list of "
            "these",
            place, name);
    }

    std::string_view file_name_;
    const std::vector<std::string>& known_;
    Entries entries_;
};

}  // namespace

Result<ConfigFile> ConfigFile::parse(std::string_view text, std::string_view file_name,
                                     const std::vector<std::string>& known) {
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
        return reject(ErrorCode::invalid, "{}: {}",
                      place_of(file_name, parsed.error().source().begin),
                      parsed.error().description());
    }
    Flattening flattening(file_name, known);
    CHECK_OK(flattening.table(parsed.table(), ""));
    ConfigFile file;
    file.entries_ = flattening.take();
    return file;
}

Result<ConfigFile> ConfigFile::load(const std::filesystem::path& path,
                                    const std::vector<std::string>& known) {
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error) return ConfigFile();
    TRY(text, read_file(path.native(), limits::kConfigBytes));
    return parse(text, path.native(), known);
}

const ConfigFile::Entry* ConfigFile::find(std::string_view setting) const {
    const auto found = entries_.find(setting);
    return found == entries_.end() ? nullptr : &found->second;
}

std::string variable_name(std::string_view setting) {
    std::string name = "PARLEY_";
    for (const char c : setting) {
        const bool is_separator = c == '.' || c == '-';
        name += is_separator ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return name;
}

Result<void> apply_settings(const CommandSpec& spec, const GivenOptions& given,
                            const Environment& environment, const ConfigFile& file) {
    for (const OptionSpec& option : spec.options) {
        if (option.setting.empty() || given.contains(long_name(option))) continue;
        const std::string variable = variable_name(option.setting);
        std::string place = variable;
        std::vector<std::string> values;
        if (auto text = environment.find(variable)) {
            values.push_back(std::move(*text));
        } else if (const ConfigFile::Entry* entry = file.find(option.setting)) {
            values = entry->values;
            place = entry->place;
        } else {
            continue;
        }
        CHECK_OK(fill(option, values, place));
    }
    return {};
}

}  // namespace parley::app
