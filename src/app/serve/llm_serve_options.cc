// SPDX-License-Identifier: Apache-2.0
#include "app/serve/llm_serve_options.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/ids.h"

namespace parley::app {

namespace {

// "--base-url" is `base_url` in the table [llm].
std::string setting_of(const OptionSpec& option) {
    std::string name(long_name(option).substr(2));
    std::ranges::replace(name, '-', '_');
    return "llm." + name;
}

// The name of one, or nothing.
std::string first_given(LlmFlags flags) {
    for (const OptionSpec& option : flags.specs()) {
        const auto* text = std::get_if<std::optional<std::string>*>(&option.target);
        if (text != nullptr && (*text)->has_value()) return std::string(long_name(option));
    }
    return {};
}

}  // namespace

std::vector<OptionSpec> LlmServeOptions::specs() {
    std::vector<OptionSpec> specs = flags_.specs();
    for (OptionSpec& spec : specs) {
        spec.help = "With --agent llm. " + spec.help;
        spec.setting = setting_of(spec);
    }
    return specs;
}

Result<std::optional<LlmHost::Settings>> LlmServeOptions::read(
    const RunContext& context, const std::optional<std::string>& agent) const {
    if (const std::string given = first_given(flags_); !agent && !given.empty())
        return reject(ErrorCode::invalid,
                      "{} says which model serves sessions: say --agent llm too, or leave it out",
                      given);
    if (agent != "llm") return std::nullopt;
    TRY(profile, read_profile(flags_, std::nullopt));
    TRY(server, read_server(context, flags_, profile));
    TRY(folder, journal_folder(context));
    TRY(journals, JournalFolder::open(std::move(folder), system_random()));
    return LlmHost::Settings{.profile = std::move(profile),
                             .server = std::move(server),
                             .journals = std::move(journals)};
}

}  // namespace parley::app
