// SPDX-License-Identifier: Apache-2.0
// Coroutines of the network layer: the one awaitable type, and the bridges between it and plain
// callbacks. Everything runs on the loop's thread. A coroutine takes its parameters by value, or by
// reference to what outlives it.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <memory>
#include <utility>

#include "base/unique_function.h"

namespace parley::net {

namespace asio = boost::asio;

template <class T = void>
using Co = asio::awaitable<T>;

// For Asio operations: co_await gives a tuple that starts with the error_code, and nothing throws.
inline constexpr auto kUseCo = asio::as_tuple(asio::use_awaitable);

// Waits for a callback. `start` is called with a UniqueFunction<void(T)> that must be called once,
// on the loop's thread; the coroutine goes on in a later turn of the loop, never inside that call.
// If the callback is destroyed uncalled, the coroutine is destroyed with it.
template <class T, class Start>
Co<T> await_callback(Start start) {
    auto initiate = [](auto handler, Start begin) {
        begin(UniqueFunction<void(T)>([handler = std::move(handler)](T value) mutable {
            auto executor = asio::get_associated_executor(handler);
            asio::post(executor,
                       [handler = std::move(handler), value = std::move(value)]() mutable {
                           std::move(handler)(std::move(value));
                       });
        }));
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(T)>(
        initiate, asio::use_awaitable, std::move(start));
}

}  // namespace parley::net
