// SPDX-License-Identifier: Apache-2.0
// How many bytes of memory a value holds where it is kept, its blocks and places in lists included:
// never less, and little more. Equal values weigh the same. Limits on what is kept are counted in
// it.
#pragma once

#include <cstddef>

#include "core/event.h"
#include "core/mark.h"

namespace parley {

std::size_t weight_of(const Answers& answers);
std::size_t weight_of(const Draft& draft);
std::size_t weight_of(const Ask& ask);
std::size_t weight_of(const Session& session);
std::size_t weight_of(const MessageAdded& message);
std::size_t weight_of(const Part& part);
std::size_t weight_of(const PartDelta& delta);
std::size_t weight_of(const Mark& mark);
std::size_t weight_of(const Event& event);

}  // namespace parley
