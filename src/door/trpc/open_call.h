// SPDX-License-Identifier: Apache-2.0
// A query or mutation that has begun, whichever transport brought it. Belongs to the loop's thread.
#pragma once

#include <memory>
#include <string_view>

#include "base/unique_function.h"
#include "broker/broker.h"
#include "dialect/trpc/envelope.h"
#include "door/access.h"

namespace parley::trpc {

inline constexpr std::string_view kSuccess = R"({"success":true})";

using CallDone = UniqueFunction<void(CallResult)>;
// What keeps a call going. Once it is dropped nobody is told; an ask that it opened stays.
using CallHandle = std::shared_ptr<void>;

// Its callbacks hold it weakly, its transport keeps it.
struct OpenCall {
    CallDone done;
    Viewer viewer = {};
    Wait wait = {};

    void finish(CallResult result);
    void fail(const Error& error);
};
std::shared_ptr<OpenCall> begin(const Caller& caller, CallDone done);
CallHandle refuse(CallDone done, Failure failure);

// Who acts through this door.
Actor actor_of(const Caller& caller);

}  // namespace parley::trpc
