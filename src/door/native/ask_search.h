// SPDX-License-Identifier: Apache-2.0
// A page of asks by what the store has no index for: several states, or words in what was asked,
// answered and by whom. It reads the store in slices and keeps what fits; after a number of them,
// or of bytes, it gives what it has, maybe nothing, with the place where the next request goes on.
// Belongs to the loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/broker.h"

namespace parley {

struct AskFilter {
    std::vector<AskState> states = {};    // one of these; none: any
    std::vector<std::string> words = {};  // all of these, in any order; small letters

    bool is_simple() const { return states.size() <= 1 && words.empty(); }
    bool fits(const Ask& ask) const;
};

// What a person searches for, as the words of a filter.
std::vector<std::string> search_words(std::string_view text);

class AskSearch : public std::enable_shared_from_this<AskSearch> {
public:
    struct Found {
        std::vector<AskPtr> asks;
        std::optional<AskId> next = {};  // where the next page begins; none: this was the last
    };

    struct Wiring {
        LoopBroker& broker;
        Viewer viewer;
    };

    static void run(Wiring wiring, AskQuery query, AskFilter filter, Done<Found> done);

    AskSearch(Wiring wiring, AskQuery query, AskFilter filter, Done<Found> done);

private:
    void read();
    void take(AskPage page);

    Wiring wiring_;
    AskQuery query_;
    std::size_t limit_;
    std::size_t looked_at_ = 0;
    std::size_t looked_at_bytes_ = 0;
    std::size_t found_bytes_ = 0;
    AskFilter filter_;
    Found found_;
    Done<Found> done_;
};

}  // namespace parley
