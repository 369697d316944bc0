// SPDX-License-Identifier: Apache-2.0
#include "parley/error.h"

namespace parley {

std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid: return "invalid";
        case ErrorCode::not_found: return "not-found";
        case ErrorCode::conflict: return "conflict";
        case ErrorCode::key_conflict: return "key-conflict";
        case ErrorCode::denied: return "denied";
        case ErrorCode::session_of_another: return "session-of-another";
        case ErrorCode::too_large: return "too-large";
        case ErrorCode::overloaded: return "overloaded";
        case ErrorCode::over_quota: return "over-quota";
        case ErrorCode::unavailable: return "unavailable";
        case ErrorCode::corrupt: return "corrupt";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::interrupted: return "interrupted";
        case ErrorCode::timed_out: return "timed-out";
        case ErrorCode::internal: return "internal";
    }
    return "internal";
}

}  // namespace parley
