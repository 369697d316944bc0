// SPDX-License-Identifier: Apache-2.0
// An ask as lines for people: in a list, whole, and as something that happened. Everything that
// comes from outside is made safe to print. Reads the time zone and nothing else.
#pragma once

#include <string>

#include "parley/event.h"
#include "parley/values.h"
#include "prompt/plain_page.h"

namespace parley::app {

// "que_…  3 min  [shop] Database: Which database?", and of what is settled what was decided and by
// whom; cut to the style's width. An empty session is left out.
std::string list_line(const Ask& ask, std::string_view session, Instant now,
                      const PlainStyle& style);
// "que_…", a tab, "[shop] Database: Which database?".
std::string brief_line(const Ask& ask, std::string_view session, const PlainStyle& style);
// What it permits, its questions with their options and previews, what the asker said beside them,
// and how it ended.
std::string whole_text(const Ask& ask, std::string_view session, Instant now,
                       const PlainStyle& style);
// One line for `watch`; empty for what people need not see.
std::string event_line(const Event& event, std::string_view session, const PlainStyle& style);
// "shop / claude", or what there is of it.
std::string asker_name(const Ask& ask, std::string_view session);

}  // namespace parley::app
