// SPDX-License-Identifier: Apache-2.0
// Reads the pairs of a text for a model back, so that tests can say: whatever stands in a question
// or an answer, nobody takes it for the end of one. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley {

class TextPairs {
public:
    // Question and answer as they are written: in quotes, or the bare word Unanswered.
    using Pair = std::pair<std::string, std::string>;

    // Nothing if `text` is not "LEAD: PAIR, PAIR. TAIL".
    static std::optional<std::vector<Pair>> read(std::string_view text) {
        const std::size_t lead = text.find(": \"");
        if (lead == std::string_view::npos) return std::nullopt;
        TextPairs reader(text.substr(lead + 2));
        std::vector<Pair> pairs;
        do {
            const std::string question(reader.take_quoted());
            if (question.empty() || !reader.take("=")) return std::nullopt;
            std::string answer(reader.take_quoted());
            if (answer.empty() && reader.take("Unanswered")) answer = "Unanswered";
            if (answer.empty()) return std::nullopt;
            if (reader.take(" (note: ") && (reader.take_quoted().empty() || !reader.take(")")))
                return std::nullopt;
            pairs.emplace_back(question, std::move(answer));
        } while (reader.take(", "));
        if (!reader.take(". ") || reader.rest_.empty()) return std::nullopt;
        return pairs;
    }

private:
    explicit TextPairs(std::string_view text) : rest_(text) {}

    bool take(std::string_view token) {
        if (!rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }

    std::string_view take_quoted() {
        if (!rest_.starts_with('"')) return {};
        std::size_t end = 1;
        while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2U : 1U;
        if (end >= rest_.size()) return {};
        const std::string_view quoted = rest_.substr(0, end + 1);
        rest_.remove_prefix(end + 1);
        return quoted;
    }

    std::string_view rest_;
};

}  // namespace parley
