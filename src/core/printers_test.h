// SPDX-License-Identifier: Apache-2.0
// How failed tests show our values.
#pragma once

#include <ostream>

#include "core/record.h"
#include "parley/error.h"
#include "parley/values.h"

namespace parley {

inline void PrintTo(const Fault& fault, std::ostream* out) {
    *out << '{' << fault.path << ": " << fault.detail << '}';
}

inline void PrintTo(const Error& error, std::ostream* out) {
    *out << to_string(error.code) << ": " << error.message;
    for (const Fault& fault : error.faults) PrintTo(fault, out);
}

inline void PrintTo(const Answer& answer, std::ostream* out) {
    *out << to_record(Draft{.answers = {answer}});
}

inline void PrintTo(const Question& question, std::ostream* out) {
    AskSpec spec;
    spec.questions = {question};
    *out << to_record(spec);
}

inline void PrintTo(const Settlement& settlement, std::ostream* out) {
    *out << to_record(settlement);
}

}  // namespace parley
