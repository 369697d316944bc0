// SPDX-License-Identifier: Apache-2.0
// For routes that name a session: another node may have opened it just now, so who does not know
// it hears first what the others wrote. On the loop's thread; `broker` outlives them.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "broker/broker.h"
#include "door/access.h"
#include "net/co.h"
#include "net/exchange.h"

namespace parley {

// Where `ref` is empty, none is named.
inline void hear_of_session(LoopBroker& broker, std::string_view ref, const Viewer& viewer,
                            UniqueFunction<void()> then) {
    const bool is_known = ref.empty() || broker.find_live(ref, viewer) != nullptr;
    if (is_known || !broker.is_shared()) return then();
    broker.catch_up(std::move(then));
}

// For a plain handler that reads no body: that is gone once it had to wait. `param` is a literal.
template <class Handler>
auto knowing_session(LoopBroker& broker, std::string_view param, Handler handler) {
    return [&broker, param, handler](net::Exchange exchange) {
        const std::string ref(exchange.param(param));
        const Viewer who = viewer(exchange);
        hear_of_session(broker, ref, who, [handler, exchange = std::move(exchange)]() mutable {
            handler(std::move(exchange));
        });
    };
}

namespace detail {

template <class Handler>
net::Co<void> hear_and_serve(LoopBroker* broker, std::string_view param, Handler handler,
                             net::Exchange exchange) {
    if (broker->is_shared()) {
        co_await net::await_callback<bool>([broker, ref = std::string(exchange.param(param)),
                                            who =
                                                viewer(exchange)](UniqueFunction<void(bool)> done) {
            hear_of_session(*broker, ref, who, [done = std::move(done)]() mutable { done(true); });
        });
    }
    if constexpr (std::is_void_v<std::invoke_result_t<Handler&, net::Exchange>>)
        handler(std::move(exchange));
    else
        co_await handler(std::move(exchange));
}

}  // namespace detail

// For coroutines, and for plain handlers that read a body.
template <class Handler>
auto knowing_session_co(LoopBroker& broker, std::string_view param, Handler handler) {
    return [&broker, param, handler](net::Exchange exchange) {
        return detail::hear_and_serve(&broker, param, handler, std::move(exchange));
    };
}

}  // namespace parley
