// SPDX-License-Identifier: Apache-2.0
// What the model is told about a settled ask. One text per outcome, never alike, deterministic,
// with question and answer texts as JSON strings so that the pairs parse back. Pure functions.
#pragma once

#include <string>

#include "parley/values.h"

namespace parley {

// Answered:  User has answered your questions: "Which database?"="PostgreSQL", "Name?"=Unanswered.
// … Dismissed, timed out, withdrawn and "answered by the timer" each read differently and carry the
// reason where one was given.
std::string model_text(const Ask& ask);

// The labels and the free text of one answer, joined by ", ".
std::string joined_answer(const Answer& answer);

}  // namespace parley
