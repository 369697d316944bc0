// SPDX-License-Identifier: Apache-2.0
// The requests to a model's API: Anthropic's Messages and OpenAI's Chat Completions, which local
// servers speak too. Pure functions; writers never fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/llm/context.h"
#include "dialect/llm/conversation.h"

namespace parley::llm {

enum class Api : std::uint8_t { anthropic, openai };

std::string_view to_string(Api api);
std::optional<Api> parse_api(std::string_view name);

// Whom a conversation is held with, and how.
struct ModelProfile {
    Api api = Api::anthropic;
    std::string base_url = {};
    std::string model = {};
    std::string system = {};
    std::optional<std::int64_t> max_tokens = {};
    std::size_t context_tokens = 0;

    bool operator==(const ModelProfile&) const = default;
};

// What of a request depends on the server, not on the conversation.
struct Wishes {
    bool wants_usage = true;  // OpenAI: some servers refuse to be asked for it
    // OpenAI's own newer models take the limit under another name than all other servers.
    bool has_new_names = false;
};

std::string write_request(const ModelProfile& profile, const Context& context,
                          const Wishes& wishes);
// What stands in each request besides the conversation, in tokens.
std::size_t fixed_tokens(const ModelProfile& profile);

// The path below a server's address: with "/v1" where that is not in it already.
std::string request_path(Api api, std::string_view base_path);

}  // namespace parley::llm
