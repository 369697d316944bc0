// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/open_call.h"

#include <utility>

#include "core/door_names.h"
#include "core/told_error.h"

namespace parley::trpc {

void OpenCall::finish(CallResult result) {
    if (done) std::exchange(done, nullptr)(std::move(result));
}

void OpenCall::fail(const Error& error) {
    finish(tl::unexpected(failure_of(told_to(viewer, error))));
}

std::shared_ptr<OpenCall> begin(const Caller& caller, CallDone done) {
    auto call = std::make_shared<OpenCall>();
    call->done = std::move(done);
    call->viewer = caller.viewer();
    return call;
}

CallHandle refuse(CallDone done, Failure failure) {
    done(tl::unexpected(std::move(failure)));
    return nullptr;
}

Actor actor_of(const Caller& caller) {
    return as_actor(caller, door_names::kTrpc);
}

}  // namespace parley::trpc
