// SPDX-License-Identifier: Apache-2.0
// An ask whole, as text for people. Everything that comes from outside is made safe to print. Reads
// the time zone and nothing else.
#pragma once

#include <string>

#include "parley/values.h"
#include "prompt/plain_page.h"

namespace parley::app {

// What it permits, its questions with their options and previews, what the asker said beside them,
// and how it ended.
std::string whole_text(const Ask& ask, std::string_view session, Instant now,
                       const PlainStyle& style);
// "shop / claude", or what there is of it.
std::string asker_name(const Ask& ask, std::string_view session);

}  // namespace parley::app
