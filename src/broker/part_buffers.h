// SPDX-License-Identifier: Apache-2.0
// The unfinished parts of one session's stream: what the deltas added up to so far. Streamed input
// is append-only by construction; what arrives against that order is refused or dropped here, so
// that no subscriber ever sees it. Owned by the broker, confined to its thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/event.h"

namespace parley {

class PartBuffers {
public:
    // The delta as subscribers see it, or nothing when the part is complete already and the delta
    // comes too late. Only a start opens a part; the start of an open one begins it again.
    [[nodiscard]] Result<std::optional<PartDelta>> append(PartDelta delta);

    // The whole part, ready to be kept; nothing when it must be dropped: a second input of the same
    // call, or an input error after input began. It stays open until it is closed, so that an end
    // that could not be kept can be sent again.
    [[nodiscard]] Result<std::optional<Part>> complete(StreamPart end) const;
    // The part is kept. After the end of a turn what was not finished never will be.
    void close(const Part& part);

    // Every unfinished part from its start, for who joins in the middle.
    std::vector<PartDelta> replacements() const;
    // Of all unfinished parts.
    std::size_t bytes() const { return bytes_; }

private:
    using Key = std::pair<PartDelta::Kind, std::string>;
    struct Buffer {
        std::string tool;
        PartPlace place;
        std::string text;
    };

    static Key key_of(const Part& part);
    void clear() {
        open_.clear();
        bytes_ = 0;
    }
    bool is_complete(const std::string& call_id) const;
    void remember(const std::string& call_id);

    std::map<Key, Buffer> open_;
    std::size_t bytes_ = 0;
    std::deque<std::string> complete_calls_;
};

}  // namespace parley
