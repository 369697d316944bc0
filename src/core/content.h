// SPDX-License-Identifier: Apache-2.0
// What is left of a settled ask whose content was deleted: its ids and its session, who asked and
// for which tool, how it ended, by whom, through which door and when. Every text of the asker's and
// of who answered is gone. Pure functions.
#pragma once

#include <string_view>

#include "core/event.h"
#include "parley/values.h"

namespace parley {

// Stands for every question, so that fronts that know of nothing show it.
inline constexpr std::string_view kDeletedContent = "(content deleted)";

// Of a settled ask, or of one as it was opened.
AskPtr without_content(const Ask& ask, Instant at);

// The event itself, unless it tells what that ask said.
EventPtr without_content_of(const EventPtr& event, AskId ask, Instant at);

}  // namespace parley
