// SPDX-License-Identifier: Apache-2.0
// What of a model's questions was not known, and so left out, in words for the model and its
// people.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace parley {

// "Left out of your call:", then a line for each; empty if nothing was.
std::string left_out_text(std::span<const Fault> warnings);

}  // namespace parley
