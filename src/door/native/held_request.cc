// SPDX-License-Identifier: Apache-2.0
#include "door/native/held_request.h"

#include <utility>

#include "base/assert.h"
#include "dialect/native/server.h"
#include "door/native/native_replies.h"

namespace parley {

void HeldRequest::hold(net::Exchange exchange, Wiring wiring, Subject subject,
                       std::chrono::seconds time) {
    std::make_shared<HeldRequest>(std::move(exchange), std::move(wiring), std::move(subject))
        ->start(time);
}

void HeldRequest::start(std::chrono::seconds time) {
    const std::weak_ptr<HeldRequest> weak = weak_from_this();
    const auto give_up = [weak] {
        if (const auto self = weak.lock()) self->finish(self->subject_.ask);
    };
    ASSERT(exchange_.has_value());
    alarm_ = wiring_.alarms->set(time, give_up);
    exchange_->on_server_closing(give_up);
    // One that has only closed its sending half gets to read how things stand.
    exchange_->on_peer_gone(give_up);
    wait_ = wiring_.broker.wait(
        subject_.ask->id, native::viewer(*exchange_),
        [self = shared_from_this()](const Result<AskPtr>& ask) { self->finish(ask); });
}

// Whatever ends the wait first answers; the rest finds it answered.
void HeldRequest::finish(const Result<AskPtr>& ask) {
    if (!exchange_) return;
    if (ask) {
        const int status = (*ask)->is_pending() ? subject_.unsettled_status : 200;
        native::reply(*exchange_, status,
                      native::ask_document(
                          **ask, {.names = wiring_.names.get(), .texts = wiring_.texts.get()}));
    } else {
        native::reply_problem(*exchange_, ask.error());
    }
    exchange_.reset();
    wiring_.alarms->drop(alarm_);
    wait_.cancel();
}

}  // namespace parley
