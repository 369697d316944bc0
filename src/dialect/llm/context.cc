// SPDX-License-Identifier: Apache-2.0
#include "dialect/llm/context.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/overload.h"

namespace parley::llm {

namespace {

constexpr std::size_t kBytesPerToken = 4;
constexpr std::size_t kTokensPerEntry = 8;  // roles, ids, brackets

std::size_t bytes_of(const Block& block) {
    return std::visit(
        Overload{
            [](const TextBlock& text) { return text.text.size(); },
            [](const ThinkingBlock& text) { return text.text.size() + text.signature.size(); },
            [](const SealedBlock& sealed) { return sealed.data.size(); },
            [](const CallBlock& call) { return call.tool.size() + call.input.size(); },
        },
        block);
}

std::size_t tokens_of(const Entry& entry) {
    std::size_t bytes = 0;
    std::visit(Overload{
                   [&](const UserSaid& said) {
                       for (const std::string& text : said.texts) bytes += text.size();
                   },
                   [&](const ModelSaid& said) {
                       for (const Block& block : said.response.blocks) bytes += bytes_of(block);
                   },
                   [&](const CallDone& done) { bytes += done.text.size(); },
                   [](const TurnStopped&) {},
               },
               entry);
    return estimate_tokens(bytes) + kTokensPerEntry;
}

// What goes or stays together: [begin, end) of the entries.
struct Unit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t tokens = 0;
    std::size_t responses = 0;
    bool is_kept = false;
};

bool is_message(const Entry& entry) {
    return std::holds_alternative<UserSaid>(entry);
}

// Whole turns; of the last turn each response with its results, its message apart.
std::vector<Unit> units_of(std::span<const Entry> entries) {
    std::size_t first = 0;
    while (first < entries.size() && !is_message(entries[first])) ++first;
    std::size_t last = entries.size();
    while (last > 0 && !is_message(entries[last - 1])) --last;
    std::vector<Unit> units;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool is_response = std::holds_alternative<ModelSaid>(entries[i]);
        const bool is_in_last_turn = i + 1 >= last;
        if (units.empty() || is_message(entries[i]) || i == first + 1 ||
            (is_in_last_turn && is_response))
            units.push_back({.begin = i});
        Unit& unit = units.back();
        unit.end = i + 1;
        unit.tokens += tokens_of(entries[i]);
        unit.responses += is_response ? 1U : 0U;
        if (i == first || i + 1 == last) unit.is_kept = true;
    }
    if (!units.empty()) units.back().is_kept = true;
    return units;
}

}  // namespace

std::size_t estimate_tokens(std::size_t bytes) {
    return (bytes + kBytesPerToken - 1) / kBytesPerToken;
}

Context trim(const ModelConversation& conversation, std::size_t tokens_max) {
    const std::span<const Entry> entries = conversation.entries();
    const std::vector<Unit> units = units_of(entries);
    std::size_t tokens = 0;
    for (const Unit& unit : units) tokens += unit.tokens;
    Context context;
    for (const Unit& unit : units) {
        if (tokens > tokens_max && !unit.is_kept) {
            tokens -= unit.tokens;
            context.left_out += unit.responses;
            continue;
        }
        for (std::size_t i = unit.begin; i < unit.end; ++i) context.entries.push_back(&entries[i]);
    }
    return context;
}

}  // namespace parley::llm
