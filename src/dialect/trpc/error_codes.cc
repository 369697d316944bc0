// SPDX-License-Identifier: Apache-2.0
#include "dialect/trpc/error_codes.h"

#include <array>
#include <cstddef>

namespace parley::trpc {

namespace {

// In the order of FailureKey.
constexpr std::array kFailureCodes = {
    FailureCode{"PARSE_ERROR", -32700, 400},
    FailureCode{"BAD_REQUEST", -32600, 400},
    FailureCode{"UNAUTHORIZED", -32001, 401},
    FailureCode{"FORBIDDEN", -32003, 403},
    FailureCode{"NOT_FOUND", -32004, 404},
    FailureCode{"METHOD_NOT_SUPPORTED", -32005, 405},
    FailureCode{"TIMEOUT", -32008, 408},
    FailureCode{"CONFLICT", -32009, 409},
    FailureCode{"PAYLOAD_TOO_LARGE", -32013, 413},
    FailureCode{"UNSUPPORTED_MEDIA_TYPE", -32015, 415},
    FailureCode{"TOO_MANY_REQUESTS", -32029, 429},
    FailureCode{"CLIENT_CLOSED_REQUEST", -32099, 499},
    FailureCode{"INTERNAL_SERVER_ERROR", -32603, 500},
    FailureCode{"SERVICE_UNAVAILABLE", -32603, 503},
};

}  // namespace

const FailureCode& code_of(FailureKey key) {
    return kFailureCodes[static_cast<std::size_t>(key)];
}

int http_status(FailureKey key) {
    return code_of(key).status;
}

FailureKey failure_key(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid: return FailureKey::bad_request;
        case ErrorCode::not_found: return FailureKey::not_found;
        case ErrorCode::conflict:
        case ErrorCode::key_conflict: return FailureKey::conflict;
        case ErrorCode::denied:
        case ErrorCode::session_of_another: return FailureKey::forbidden;
        case ErrorCode::too_large: return FailureKey::payload_too_large;
        case ErrorCode::overloaded:
        case ErrorCode::over_quota: return FailureKey::too_many_requests;
        case ErrorCode::timed_out: return FailureKey::timeout;
        case ErrorCode::unavailable: return FailureKey::service_unavailable;
        case ErrorCode::interrupted: return FailureKey::client_closed_request;
        case ErrorCode::corrupt:
        case ErrorCode::unsupported:
        case ErrorCode::internal: break;
    }
    return FailureKey::internal_server_error;
}

FailureKey failure_key_of_status(int status) {
    // The first that has 400 is of what is no JSON.
    for (std::size_t i = 1; i < kFailureCodes.size(); ++i)
        if (kFailureCodes[i].status == status) return static_cast<FailureKey>(i);
    const bool is_theirs = status >= 400 && status < 500;
    return is_theirs ? FailureKey::bad_request : FailureKey::internal_server_error;
}

}  // namespace parley::trpc
