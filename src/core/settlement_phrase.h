// SPDX-License-Identifier: Apache-2.0
// How a settlement is told to people: what was done, by whom, where, when and why. Pure; text comes
// out safe to print (text/safe_text.h).
#pragma once

#include <string>
#include <string_view>

#include "parley/values.h"

namespace parley {

// "answered by ada in the web page at 14:03", "timed out at 14:03", "dismissed by …: reason".
// `shown_time` is the settlement's time as this person reads it; without one there is no "at".
std::string settlement_phrase(const Settlement& settlement, std::string_view shown_time = {});

}  // namespace parley
