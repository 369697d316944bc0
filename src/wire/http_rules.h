// SPDX-License-Identifier: Apache-2.0
// What our parsers demand of a head beyond its syntax: one unambiguous length, one Host, an ASCII
// target. Part of the parsers; pure functions.
#pragma once

#include <optional>

#include "wire/http_message.h"
#include "wire/http_parser.h"

namespace parley::wire {

// The forms of message length that two readers can understand differently; null when it is clear.
const char* find_ambiguous_length(const Fields& fields, int minor_version);

std::optional<ParseFault> find_request_fault(const Request& request, const ParserLimits& limits);

}  // namespace parley::wire
