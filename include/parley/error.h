// SPDX-License-Identifier: Apache-2.0
// What went wrong, as a value: a code that programs branch on, a sentence for people, and for a
// bad document the faults, each with the JSON pointer of the field it is about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley {

enum class ErrorCode : std::uint8_t {
    invalid,             // the caller's input is wrong; the faults say where
    not_found,           // no such ask, session, draft
    conflict,            // settled already, or forbidden by what the asker said
    key_conflict,        // the same key was used for other questions
    denied,              // this caller may not do that
    session_of_another,  // the session belongs to another agent
    too_large,           // over a named limit
    overloaded,          // a bounded queue is full; try again
    over_quota,          // this caller has too much open; others may go on
    unavailable,         // the store or the broker cannot serve now; nothing was acknowledged
    corrupt,             // stored data cannot be read
    unsupported,         // e.g. a store written by a newer version
    interrupted,         // the wait ended because the waiter gave up
    timed_out,           // the wait had a limit of its own, and it passed
    internal,            // our bug, caught at an edge
};

std::string_view to_string(ErrorCode code);

// One wrong field: `path` is an RFC 6901 JSON pointer into the document that was given.
struct Fault {
    std::string path;
    std::string detail;

    bool operator==(const Fault&) const = default;
};

struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message;
    std::vector<Fault> faults = {};

    bool operator==(const Error&) const = default;
};

}  // namespace parley
