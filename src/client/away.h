// SPDX-License-Identifier: Apache-2.0
// Whether a broker that did not do what it was asked may do it when it is asked again.
#pragma once

#include "base/result.h"

namespace parley {

inline bool is_away(const Error& error) {
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::overloaded;
}

}  // namespace parley
