// SPDX-License-Identifier: Apache-2.0
// What a look through a store has found wrong: a sentence for each, with the row's id. So many of
// one kind are told, and the others are counted.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/limits.h"

namespace parley {

class ArchiveFaults {
public:
    // `kind` is what they are counted by.
    void add(std::string_view kind, std::string text) {
        auto [counted, is_new] = counts_.try_emplace(std::string(kind), 0);
        if (++counted->second <= limits::kFaultsTold) told_.push_back(std::move(text));
    }

    bool empty() const { return told_.empty(); }
    const std::vector<std::string>& told() const { return told_; }
    // Those of which only the number is known.
    std::size_t untold() const {
        std::size_t all = 0;
        for (const auto& [kind, count] : counts_) all += count;
        return all - told_.size();
    }

private:
    std::map<std::string, std::size_t, std::less<>> counts_;
    std::vector<std::string> told_;
};

}  // namespace parley
