// SPDX-License-Identifier: Apache-2.0
#include "app/commands/llm_options.h"

#include <algorithm>
#include <charconv>

#include "app/command_line/read_file.h"
#include "app/limits.h"
#include "app/serve/listen_address.h"
#include "app/serve/state_folder.h"
#include "core/text_rules.h"
#include "dialect/limits.h"
#include "wire/url.h"

namespace parley::app {

namespace {

std::string_view key_variable(llm::Api api) {
    return api == llm::Api::anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
}

std::string_view usual_address(llm::Api api) {
    return api == llm::Api::anthropic ? "https://api.anthropic.com" : "https://api.openai.com/v1";
}

// "32000" or "32k".
Result<std::int64_t> read_tokens(std::string_view option, std::string_view text) {
    std::int64_t number = 0;
    std::int64_t factor = 1;
    std::string_view digits = text;
    if (digits.ends_with('k') || digits.ends_with('K')) {
        digits.remove_suffix(1);
        factor = 1000;
    }
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_read = failed == std::errc{} && end == digits.data() + digits.size();
    if (!is_read || number < 1 || number > limits::kTokensMax / factor)
        return reject(ErrorCode::invalid, "{} {}: give a number of tokens, such as 32000 or 32k",
                      option, text);
    return number * factor;
}

Result<std::string> read_key_file(const std::string& path) {
    auto text = read_file(path, limits::kKeyBytes);
    if (!text) return reject(ErrorCode::invalid, "--key-file: {}", text.error().message);
    std::string key(trim_blanks(*text));
    const bool is_one_word = std::ranges::all_of(key, [](char c) { return c > ' ' && c < '\x7f'; });
    if (key.empty() || !is_one_word)
        return reject(ErrorCode::invalid, "--key-file {}: a key is one word, and alone in its file",
                      path);
    return key;
}

bool keeps_secrets(const wire::Url& address) {
    return address.scheme != wire::Url::Scheme::tcp || is_loopback(address.host);
}

Result<llm::ModelProfile> begin_profile(const LlmFlags& flags,
                                        const std::optional<llm::ModelProfile>& before) {
    llm::ModelProfile profile = before.value_or(llm::ModelProfile{});
    if (profile.context_tokens == 0) profile.context_tokens = limits::kLlmContextTokens;
    if (!flags.api && !before)
        return reject(ErrorCode::invalid,
                      "--api is missing: anthropic or openai, whichever the "
                      "server speaks");
    if (!flags.api) return profile;
    const auto api = llm::parse_api(*flags.api);
    if (!api) return reject(ErrorCode::invalid, "--api {}: anthropic or openai", *flags.api);
    // The address that was another's is not this one's.
    if (before && before->api != *api) profile.base_url.clear();
    profile.api = *api;
    return profile;
}

}  // namespace

std::vector<OptionSpec> LlmFlags::specs() {
    return {{.names = "--api",
             .value = "NAME",
             .help = "What the server speaks: anthropic (Messages) or openai (Chat Completions, "
                     "as llama.cpp, Ollama, vLLM, LM Studio and many others do).",
             .target = &api,
             .choices = {"anthropic", "openai"}},
            {.names = "--base-url",
             .value = "URL",
             .help = "The server: http://127.0.0.1:11434/v1, https://api.example.com. Default: "
                     "that of the API's maker.",
             .target = &base_url},
            {.names = "--model",
             .value = "NAME",
             .help = "The model, as the server knows it.",
             .target = &model},
            {.names = "--key-file",
             .value = "FILE",
             .help = "A file with the key. Default: the variable ANTHROPIC_API_KEY or "
                     "OPENAI_API_KEY; without one, none is sent.",
             .target = &key_file,
             .completion = Completion::file},
            {.names = "--system", .value = "TEXT", .help = "The system prompt.", .target = &system},
            {.names = "--system-file",
             .value = "FILE",
             .help = "A file with the system prompt.",
             .target = &system_file,
             .completion = Completion::file},
            {.names = "--max-tokens",
             .value = "N",
             .help = "Of one reply: 8192, 16k. Default: 8192 for anthropic, the server's own for "
                     "openai.",
             .target = &max_tokens},
            {.names = "--context",
             .value = "N",
             .help = "About so many tokens are sent at most: of a longer conversation the oldest "
                     "turns are left out. Default: 100k.",
             .target = &context}};
}

Result<llm::ModelProfile> read_profile(const LlmFlags& flags,
                                       const std::optional<llm::ModelProfile>& before) {
    TRY(profile, begin_profile(flags, before));
    if (flags.base_url) profile.base_url = *flags.base_url;
    if (profile.base_url.empty()) profile.base_url = usual_address(profile.api);
    if (flags.model) profile.model = trim_blanks(*flags.model);
    if (profile.model.empty())
        return reject(ErrorCode::invalid,
                      "--model is missing: the model's name, as its server "
                      "knows it");
    if (flags.system && flags.system_file)
        return reject(ErrorCode::invalid, "--system and --system-file say the same twice");
    if (flags.system) profile.system = *flags.system;
    if (flags.system_file) {
        auto text = read_file(*flags.system_file, limits::kSystemBytes);
        if (!text) return reject(ErrorCode::invalid, "--system-file: {}", text.error().message);
        profile.system = std::move(*text);
    }
    if (flags.max_tokens) {
        TRY(tokens, read_tokens("--max-tokens", *flags.max_tokens));
        profile.max_tokens = tokens;
    }
    if (flags.context) {
        TRY(tokens, read_tokens("--context", *flags.context));
        profile.context_tokens = static_cast<std::size_t>(tokens);
    }
    return profile;
}

Result<ModelServer::Options> read_server(const RunContext& context, const LlmFlags& flags,
                                         const llm::ModelProfile& profile) {
    auto address = wire::Url::parse(profile.base_url);
    if (!address)
        return reject(ErrorCode::invalid, "--base-url {}: {}", profile.base_url,
                      address.error().message);
    ModelServer::Options options{.address = std::move(*address), .api = profile.api};
    const bool may_send = keeps_secrets(options.address);
    const std::string_view variable = key_variable(profile.api);
    if (flags.key_file) {
        if (!may_send)
            return reject(ErrorCode::invalid,
                          "--base-url {}: a key is not sent unencrypted to another machine; use "
                          "https, or leave out --key-file",
                          profile.base_url);
        TRY(key, read_key_file(*flags.key_file));
        options.key = std::move(key);
        options.key_source = *flags.key_file;
    } else if (const auto key = context.environment.find(variable); key && may_send) {
        options.key = trim_blanks(*key);
        options.key_source = variable;
    }
    if (options.key.empty() && profile.base_url == usual_address(profile.api))
        return reject(ErrorCode::invalid, "there is no key for {}: set {}, or give --key-file",
                      profile.base_url, variable);
    return options;
}

Result<std::filesystem::path> journal_folder(const RunContext& context) {
    const auto state = context.environment.state_folder();
    if (!state)
        return reject(ErrorCode::invalid,
                      "there is no place to keep the conversation: set HOME or XDG_STATE_HOME");
    std::filesystem::path folder = *state / "llm";
    CHECK_OK(make_state_folder(folder));
    return folder;
}

Result<std::filesystem::path> journal_path(const RunContext& context, std::string_view session) {
    const std::string name = wire::percent_encode(session) + ".jsonl";
    if (name.size() > limits::kFileNameBytes)
        return reject(ErrorCode::invalid, "the session's name is too long; choose a shorter one");
    TRY(folder, journal_folder(context));
    return folder / name;
}

}  // namespace parley::app
