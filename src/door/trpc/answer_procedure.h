// SPDX-License-Identifier: Apache-2.0
// message.answerAsk: an answer to an ask of a session, and what one that is not taken is told.
// Belongs to the loop's thread.
#pragma once

#include "broker/broker.h"
#include "door/trpc/open_call.h"

namespace parley::trpc {

// `done` is called once, perhaps inside this call; null if that was so.
[[nodiscard]] CallHandle answer_ask(LoopBroker& broker, const Caller& caller,
                                    const json::Value& input, CallDone done);

}  // namespace parley::trpc
