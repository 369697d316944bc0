// SPDX-License-Identifier: Apache-2.0
// From a server's answer to the value or the error that it is. Internal to the remote link.
#pragma once

#include <utility>

#include "base/result.h"
#include "base/unique_function.h"
#include "broker/requests.h"
#include "dialect/native/problem.h"
#include "net/http_calls.h"

namespace parley {

inline Error to_error(const net::ClientResponse& response) {
    return native::read_problem(response.body, response.status()).error;
}

inline bool is_good(const net::ClientResponse& response) {
    return response.status() >= 200 && response.status() < 300;
}

// An answer that cannot be read is the server's fault and not that of who asked: it may be another
// program, or another version.
inline Error not_ours(Error error) {
    return {ErrorCode::unsupported,
            "this is not what a broker answers (is it another program, or "
            "another version?): " +
                error.message};
}

// Turns an answer into a value by `read`, or into the problem that it is.
template <class T, class Read>
UniqueFunction<void(Result<net::ClientResponse>)> reading(Done<T> done, Read read) {
    return [done = std::move(done), read](Result<net::ClientResponse> response) mutable {
        if (!response) {
            done(reject(std::move(response).error()));
        } else if (!is_good(*response)) {
            done(reject(to_error(*response)));
        } else {
            auto value = read(*response);
            if (!value) value = reject(not_ours(std::move(value).error()));
            done(std::move(value));
        }
    };
}

inline UniqueFunction<void(Result<net::ClientResponse>)> reading_nothing(Done<void> done) {
    return reading<void>(std::move(done), [](const auto&) { return Result<void>(); });
}

}  // namespace parley
