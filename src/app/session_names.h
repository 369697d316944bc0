// SPDX-License-Identifier: Apache-2.0
// What people call the sessions, as far as the one who asks may see them.
#pragma once

#include <map>
#include <string>

#include "base/unique_function.h"
#include "client/link.h"

namespace parley::app {

using SessionNames = std::map<SessionId, std::string>;

// Its title, else its own name, else nothing.
std::string name_of(const Session& session);
// All of them; an agent, which sees no sessions, gets none. `link` outlives the call.
void list_session_names(Link& link, Done<SessionNames> done);

}  // namespace parley::app
