// SPDX-License-Identifier: Apache-2.0
// Short ways to fail with an Error. `return reject(...)` is for their input and the outside world;
// ASSERT (base/assert.h) is for our own bugs. Never mix them.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "parley/result.h"

namespace parley {

using Rejection = tl::unexpected<Error>;

template <class... Args>
[[nodiscard]] Rejection reject(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
    return Rejection(
        Error{.code = code, .message = fmt::format(format, std::forward<Args>(args)...)});
}

[[nodiscard]] inline Rejection reject(Error error) {
    return Rejection(std::move(error));
}

// A document with one wrong field.
[[nodiscard]] inline Rejection reject_field(std::string path, std::string detail) {
    Error error{.code = ErrorCode::invalid, .message = detail};
    error.faults.push_back({std::move(path), std::move(detail)});
    return Rejection(std::move(error));
}

}  // namespace parley

#define PARLEY_CONCAT_INNER(a, b) a##b
#define PARLEY_CONCAT(a, b) PARLEY_CONCAT_INNER(a, b)

// TRY(name, expression): binds the value of a Result, or returns its Error to our own caller.
#define TRY(name, ...)                                                                \
    auto PARLEY_CONCAT(result_, __LINE__) = (__VA_ARGS__);                            \
    if (!PARLEY_CONCAT(result_, __LINE__))                                            \
        return ::parley::reject(std::move(PARLEY_CONCAT(result_, __LINE__)).error()); \
    auto name = std::move(*PARLEY_CONCAT(result_, __LINE__))

// CHECK_OK(expression): the same for a Result<void>.
#define CHECK_OK(...)                                                                \
    do {                                                                             \
        auto check_result = (__VA_ARGS__);                                           \
        if (!check_result) return ::parley::reject(std::move(check_result).error()); \
    } while (false)
