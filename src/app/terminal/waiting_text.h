// SPDX-License-Identifier: Apache-2.0
// What waits for an answer, in one line: for shell prompts, bars and scripts. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "parley/values.h"

namespace parley::app {

// A fold over pending asks. Who reads it leaves out what the person has put off.
struct Waiting {
    std::size_t count = 0;
    std::size_t urgent = 0;
    bool has_more = false;                 // nobody counted further
    AskPtr first = {};                     // urgent before others, then the oldest
    std::optional<Instant> deadline = {};  // the next one

    void add(const AskPtr& ask);
};

// "2 waiting, 1 urgent, 45 s left: Release: What shall I do?", or "Nothing waits.". The number
// comes first and a blank after it, for who wants no more.
std::string waiting_line(const Waiting& waiting, Instant now);
// {"reachable":true,"waiting":2,"more":false,"urgent":1,"deadline":…,"first":{…}}, and without a
// broker {"reachable":false}.
std::string waiting_document(const std::optional<Waiting>& waiting);

}  // namespace parley::app
