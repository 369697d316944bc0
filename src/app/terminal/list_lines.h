// SPDX-License-Identifier: Apache-2.0
// Asks and events as lines of `list` and `watch`. Everything that comes from outside is made safe
// to print. Reads the time zone and nothing else.
#pragma once

#include <string>
#include <string_view>

#include "parley/event.h"
#include "parley/values.h"
#include "prompt/plain_page.h"

namespace parley::app {

// "que_…  3 min  [shop] Database: Which database?", and of what is settled what was decided and by
// whom; cut to the style's width, and below the id where little is left beside it. An empty session
// is left out.
std::string list_line(const Ask& ask, std::string_view session, Instant now,
                      const PlainStyle& style);
// "que_…", a tab, "[shop] Database: Which database?".
std::string brief_line(const Ask& ask, std::string_view session, const PlainStyle& style);
// One line for `watch`; empty for what people need not see.
std::string event_line(const Event& event, std::string_view session, const PlainStyle& style);

}  // namespace parley::app
