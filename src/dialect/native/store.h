// SPDX-License-Identifier: Apache-2.0
// The owner's documents about the store: a copy that is being made, and what is pruned. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "parley/values.h"

namespace parley::native {

// {url}
std::string store_document(std::string_view url);
[[nodiscard]] Result<std::string> read_store_document(std::string_view text);

// {id, bytes, total, ready}
struct CopyBody {
    std::string id;
    std::uint64_t bytes = 0;
    std::uint64_t total = 0;
    bool is_ready = false;
};
std::string copy_document(const CopyBody& copy);
[[nodiscard]] Result<CopyBody> read_copy_document(std::string_view text);

// {asks_before?, sessions_before?, messages_before?}
struct PruneBody {
    std::optional<Instant> asks = {};
    std::optional<Instant> sessions = {};
    std::optional<Instant> messages = {};
};
std::string prune_request(const PruneBody& body);
[[nodiscard]] Result<PruneBody> read_prune_request(std::string_view body);

// {asks, sessions, messages, events, more}
struct PrunedBody {
    std::uint64_t asks = 0;
    std::uint64_t sessions = 0;
    std::uint64_t messages = 0;
    std::uint64_t events = 0;
    bool has_more = false;
};
std::string pruned_document(const PrunedBody& pruned);
[[nodiscard]] Result<PrunedBody> read_pruned_document(std::string_view text);

}  // namespace parley::native
