// SPDX-License-Identifier: Apache-2.0
// The error codes of tRPC: the keys and numbers that its clients branch on, and which of them an
// error of ours or an HTTP status has. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace parley::trpc {

enum class FailureKey : std::uint8_t {
    parse_error,
    bad_request,
    unauthorized,
    forbidden,
    not_found,
    method_not_supported,
    timeout,
    conflict,
    payload_too_large,
    unsupported_media_type,
    too_many_requests,
    client_closed_request,
    internal_server_error,
    service_unavailable,
};

struct FailureCode {
    std::string_view name;
    int number;  // of JSON-RPC
    int status;
};
const FailureCode& code_of(FailureKey key);
int http_status(FailureKey key);

FailureKey failure_key(ErrorCode code);
FailureKey failure_key_of_status(int status);

}  // namespace parley::trpc
