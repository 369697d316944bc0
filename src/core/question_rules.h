// SPDX-License-Identifier: Apache-2.0
// Inside core: the rules over one question and over the size of an ask, shared by the readers of
// values and of JSON.
#pragma once

#include <cstddef>
#include <vector>

#include "core/faults.h"
#include "core/profile.h"
#include "parley/values.h"

namespace parley {

// Normalises and checks one question that stands at `at`.
void check_question(Question& question, const Profile& profile, const json::Path& at,
                    Faults& faults);

std::size_t text_bytes(const std::vector<Question>& questions);
void check_ask_bytes(std::size_t bytes, const json::Path& at, Faults& faults);

}  // namespace parley
