// SPDX-License-Identifier: Apache-2.0
#include "dialect/trpc/envelope.h"

#include <utility>

#include "core/value_json.h"
#include "text/safe_text.h"
#include "text/utf8.h"

namespace parley::trpc {

namespace {

// A message or a path may repeat what a URL said, and that can hold any bytes.
std::string printable(std::string_view text) {
    return utf8::is_valid(text) ? std::string(text) : escape_unsafe(text);
}

}  // namespace

Failure failure_of(const Error& error) {
    return {.key = failure_key(error.code), .message = error.message, .faults = error.faults};
}

Failure failure_of_status(int status, std::string message) {
    return {.key = failure_key_of_status(status), .message = std::move(message)};
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
    const FailureCode& code = code_of(failure.key);
    out.begin_object().field("message", printable(failure.message));
    out.field_int("code", code.number);
    out.key("data").begin_object().field("code", code.name).field_int("httpStatus", code.status);
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
