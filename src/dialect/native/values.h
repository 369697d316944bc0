// SPDX-License-Identifier: Apache-2.0
// Inside dialect: an ask and a session read back from the native wire's JSON, for documents and for
// events alike.
#pragma once

#include "core/faults.h"
#include "core/object_reader.h"
#include "dialect/native/server.h"
#include "text/limits.h"

namespace parley::native {

// A server's documents hold many asks, and escapes can make each longer than what was sent to it.
inline constexpr json::ParseLimits kServerLimits = {.bytes_max = limits::kServerDocumentBytes,
                                                    .depth_max = limits::kJsonDepth};

AskPtr read_ask_object(const json::Value& value, const json::Path& at, Faults& faults);
ListedSession read_session_object(const json::Value& value, const json::Path& at, Faults& faults);

// The session that a document belongs to: "session_id", or "session" where that is an id.
SessionId read_session_ref(const ObjectReader& object, Faults& faults);

}  // namespace parley::native
