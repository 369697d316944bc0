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

}  // namespace

std::vector<OptionSpec> LlmServeOptions::specs() {
    std::vector<OptionSpec> specs = flags_.specs();
    for (OptionSpec& spec : specs) {
        spec.help = "With --agent llm. " + spec.help;
        spec.setting = setting_of(spec);
    }
    return specs;
}

std::string LlmServeOptions::first_given() const {
    LlmFlags flags = flags_;
    for (const OptionSpec& option : flags.specs()) {
        const auto* text = std::get_if<std::optional<std::string>*>(&option.target);
        if (text != nullptr && (*text)->has_value()) return std::string(long_name(option));
    }
    return {};
}

Result<std::optional<LlmServeOptions::Model>> LlmServeOptions::read_model(
    const RunContext& context, const std::optional<std::string>& agent) const {
    if (const std::string given = first_given(); !agent && !given.empty())
        return reject(ErrorCode::invalid,
                      "{} says which model serves sessions: say --agent llm too, or leave it out",
                      given);
    if (agent != "llm") return std::nullopt;
    TRY(profile, read_profile(flags_, std::nullopt));
    TRY(server, read_server(context, flags_, profile));
    return Model{.profile = std::move(profile), .server = std::move(server)};
}

Result<std::optional<LlmHost::Settings>> LlmServeOptions::read(
    const RunContext& context, const std::optional<std::string>& agent) const {
    TRY(model, read_model(context, agent));
    if (!model) return std::nullopt;
    TRY(folder, journal_folder(context));
    TRY(journals, JournalFolder::open(std::move(folder), system_random()));
    return LlmHost::Settings{.profile = std::move(model->profile),
                             .server = std::move(model->server),
                             .journals = std::move(journals)};
}

}  // namespace parley::app
