// SPDX-License-Identifier: Apache-2.0
// How a tRPC procedure's end is written: the result or the error shape. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/trpc/error_codes.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::trpc {

struct Failure {
    FailureKey key = FailureKey::internal_server_error;
    std::string message = {};
    std::vector<Fault> faults = {};
    AskPtr settled = {};               // the ask whose settlement stands in the way
    std::vector<Fault> warnings = {};  // what of the input was not known, and left out
};

// What a query or mutation gives: its data as JSON.
using CallResult = tl::expected<std::string, Failure>;

Failure failure_of(const Error& error);
// Of an HTTP status with which a request was refused before any procedure saw it.
Failure failure_of_status(int status, std::string message);

// [{path, detail}, …]
void write_faults(json::Writer& out, const std::vector<Fault>& faults);
// {"message":…,"code":…,"data":{"code":…,"httpStatus":…,"path"?,"errors"?,"settlement"?,
// "warnings"?}}. An empty `path` is left out: no procedure was reached.
void write_shape(json::Writer& out, const Failure& failure, std::string_view path);
std::string error_shape(const Failure& failure, std::string_view path);

// {"result":{"data":…}} or {"error":…}, of an HTTP call.
std::string call_document(const CallResult& result, std::string_view path);
// The same as a frame of a socket; `id` is JSON.
std::string call_frame(std::string_view id, const CallResult& result, std::string_view path);
// {"id":…,"result":{"type":"started"}}, or "stopped".
std::string state_frame(std::string_view id, std::string_view state);

}  // namespace parley::trpc
