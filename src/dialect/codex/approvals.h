// SPDX-License-Identifier: Apache-2.0
// Part of wishes.h: what Codex wants permitted, and its own decisions as options. Pure functions.
#pragma once

#include "dialect/codex/wishes.h"

namespace parley::codex {

// May this be done? What would be done stands in the permission, whole.
[[nodiscard]] Result<void> fill_approval(AskSpec& spec, const Wish& wish, const json::Value& edit);
Ruling read_approval(const Wish& wish, const Ask& settled);

}  // namespace parley::codex
