// SPDX-License-Identifier: Apache-2.0
// What must hold once everything that is owed was delivered. Each throws Broken.
#pragma once

#include "oracle.h"
#include "process.h"

namespace parley::sim {

inline constexpr int kResponders = 3;

void check_deadlines_fired(const Oracle& oracle);
// What a process remembers is what the durable events tell, and nothing else.
void check_memory_agrees(Process& process, const Oracle& oracle);

}  // namespace parley::sim
