// SPDX-License-Identifier: Apache-2.0
#include "dialect/trpc/envelope.h"

#include <array>

#include "core/value_json.h"
#include "text/safe_text.h"
#include "text/utf8.h"

namespace parley::trpc {

namespace {

struct KeyRow {
    std::string_view name;
    int code;  // of JSON-RPC
    int status;
};

// In the order of FailureKey.
constexpr std::array kKeys = {
    KeyRow{"PARSE_ERROR", -32700, 400},
    KeyRow{"BAD_REQUEST", -32600, 400},
    KeyRow{"UNAUTHORIZED", -32001, 401},
    KeyRow{"FORBIDDEN", -32003, 403},
    KeyRow{"NOT_FOUND", -32004, 404},
    KeyRow{"METHOD_NOT_SUPPORTED", -32005, 405},
    KeyRow{"TIMEOUT", -32008, 408},
    KeyRow{"CONFLICT", -32009, 409},
    KeyRow{"PAYLOAD_TOO_LARGE", -32013, 413},
    KeyRow{"UNSUPPORTED_MEDIA_TYPE", -32015, 415},
    KeyRow{"TOO_MANY_REQUESTS", -32029, 429},
    KeyRow{"CLIENT_CLOSED_REQUEST", -32099, 499},
    KeyRow{"INTERNAL_SERVER_ERROR", -32603, 500},
    KeyRow{"SERVICE_UNAVAILABLE", -32603, 503},
};

const KeyRow& row_of(FailureKey key) {
    return kKeys[static_cast<std::size_t>(key)];
}

// A message or a path may repeat what a URL said, and that can hold any bytes.
std::string printable(std::string_view text) {
    return utf8::is_valid(text) ? std::string(text) : escape_unsafe(text);
}

}  // namespace

int http_status(FailureKey key) {
    return row_of(key).status;
}

Failure failure_of(const Error& error) {
    const auto key = [&] {
        switch (error.code) {
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
    };
    return {.key = key(), .message = error.message, .faults = error.faults};
}

Failure failure_of_status(int status, std::string message) {
    for (std::size_t i = 1; i < kKeys.size(); ++i)
        if (kKeys[i].status == status)
            return {.key = static_cast<FailureKey>(i), .message = std::move(message)};
    const bool is_theirs = status >= 400 && status < 500;
    return {.key = is_theirs ? FailureKey::bad_request : FailureKey::internal_server_error,
            .message = std::move(message)};
}

void write_faults(json::Writer& out, const std::vector<Fault>& faults) {
    out.begin_array();
    for (const Fault& fault : faults) {
        out.begin_object().field("path", printable(fault.path));
        out.field("detail", printable(fault.detail)).end_object();
    }
    out.end_array();
}

void write_shape(json::Writer& out, const Failure& failure, std::string_view path) {
    const KeyRow& row = row_of(failure.key);
    out.begin_object().field("message", printable(failure.message));
    out.field_int("code", row.code);
    out.key("data").begin_object().field("code", row.name).field_int("httpStatus", row.status);
    if (!path.empty()) out.field("path", printable(path));
    if (!failure.faults.empty()) write_faults(out.key("errors"), failure.faults);
    if (failure.settled && failure.settled->settlement)
        write_settlement(out.key("settlement"), *failure.settled->settlement);
    if (!failure.warnings.empty()) write_faults(out.key("warnings"), failure.warnings);
    out.end_object().end_object();
}

std::string error_shape(const Failure& failure, std::string_view path) {
    std::string text;
    json::Writer out(text);
    write_shape(out, failure, path);
    return text;
}

std::string call_document(const CallResult& result, std::string_view path) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    if (result) {
        out.key("result").begin_object().key("data").raw(*result).end_object();
    } else {
        write_shape(out.key("error"), result.error(), path);
    }
    out.end_object();
    return text;
}

std::string call_frame(std::string_view id, const CallResult& result, std::string_view path) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("id").raw(id);
    if (result) {
        out.key("result").begin_object().field("type", "data");
        out.key("data").raw(*result).end_object();
    } else {
        write_shape(out.key("error"), result.error(), path);
    }
    out.end_object();
    return text;
}

std::string state_frame(std::string_view id, std::string_view state) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("id").raw(id);
    out.key("result").begin_object().field("type", state).end_object().end_object();
    return text;
}

}  // namespace parley::trpc
