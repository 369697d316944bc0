// SPDX-License-Identifier: Apache-2.0
// What a person means by an id that they typed: the whole of it, or a beginning that only one has.
// A beginning that several have is refused, with what it could be.
#pragma once

#include <string_view>

#include "client/link.h"

namespace parley::app {

// `link` outlives the call. Errors of wrong usage are `invalid`.
void look_up_ask(Link& link, std::string_view text, Done<AskPtr> done);
// A session's own name comes before the beginning of an id.
void look_up_session(Link& link, std::string_view text, Done<SessionPtr> done);

}  // namespace parley::app
