// SPDX-License-Identifier: Apache-2.0
// Answers an ask by the tool call that it stands for: what a page knows of a question card. Belongs
// to the loop's thread.
#pragma once

#include <string>

#include "base/executor.h"
#include "base/result.h"
#include "broker/broker.h"

namespace parley {

struct CallResolution {
    bool is_resolved = false;
    AskPtr ask = {};  // as it stands; null when that call never asked
};

// The answers to the questions of an ask, or why they cannot be.
using MakeAnswers = UniqueFunction<Result<Answers>(const Ask&)>;

// An ask without a tool call is meant by its own id. Questions may be left out, but not all. An
// invalid answer is an Error and leaves the ask pending; who comes late is told what stands.
// `broker` outlives `done`.
void answer_call(LoopBroker& broker, SessionId session, const std::string& tool_use_id,
                 MakeAnswers make, const Actor& responder, Done<CallResolution> done);

}  // namespace parley
