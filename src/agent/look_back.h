// SPDX-License-Identifier: Apache-2.0
// Reads the newest part of a session's log once, when its agent has come back, for what was settled
// while it was away. Lives on its link's executor, and tells nothing once it is gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/late_answers.h"
#include "base/lifetime.h"
#include "client/link.h"

namespace parley {

class LookBack {
public:
    // `late` as it begins.
    LookBack(Link& link, std::string session, LateAnswers late)
        : link_(link), session_(std::move(session)), late_(std::move(late)) {}

    // The settled asks that the agent has not been told of.
    void start(Done<std::vector<AskPtr>> done);

private:
    void read(std::optional<Cursor> before);
    void taken(Result<SessionLog> page);
    void finish();

    Link& link_;
    std::string session_;
    LateAnswers late_;
    Done<std::vector<AskPtr>> done_;
    std::vector<EventPtr> events_;  // newest first
    std::size_t events_seen_ = 0;
    Lifetime alive_;
};

}  // namespace parley
