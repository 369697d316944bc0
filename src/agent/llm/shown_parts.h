// SPDX-License-Identifier: Apache-2.0
// Which parts a session's log has already, read once when its agent has come back: what was said
// just before a crash may have been kept here and not have arrived there. Lives on its link's
// executor, and tells nothing once it is gone.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/lifetime.h"
#include "client/link.h"

namespace parley {

class ShownParts {
public:
    using Key = std::pair<Part::Kind, std::string>;

    ShownParts(Link& link, std::string session) : link_(link), session_(std::move(session)) {}

    void start(Done<std::set<Key>> done);

private:
    void read(std::optional<Cursor> before);
    void taken(const Result<SessionLog>& page);

    Link& link_;
    std::string session_;
    Done<std::set<Key>> done_;
    std::set<Key> found_;
    std::size_t events_seen_ = 0;
    Lifetime alive_;
};

}  // namespace parley
