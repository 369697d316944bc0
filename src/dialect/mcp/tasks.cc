// SPDX-License-Identifier: Apache-2.0
#include "dialect/mcp/tasks.h"

#include <chrono>

#include "core/value_json.h"
#include "dialect/limits.h"
#include "dialect/mcp/client.h"
#include "dialect/mcp/tools.h"

namespace parley::mcp {

namespace {

constexpr Millis kPoll = limits::kMcpTaskPoll;

void write_task(json::Writer& out, const Ask& ask, std::string_view status) {
    out.field("taskId", ask.id.str()).field("status", status);
    if (ask.is_pending()) out.field("statusMessage", "waiting for the user");
    write_time(out, "createdAt", ask.created_at);
    write_time(out, "lastUpdatedAt", ask.is_pending() ? ask.created_at : ask.settlement->at);
}

}  // namespace

std::string_view task_status(const Ask& ask) {
    if (ask.is_pending()) return "working";
    return ask.state() == AskState::withdrawn ? "cancelled" : "completed";
}

void write_legacy_task(json::Writer& out, const Ask& ask) {
    write_task(out, ask, task_status(ask));
    out.key("ttl").null();
    out.field_int("pollInterval", kPoll.count());
}

void write_modern_task(json::Writer& out, const Ask& ask, std::string_view status) {
    write_task(out, ask, status);
    out.key("ttlMs").null();
    out.field_int("pollIntervalMs", kPoll.count());
}

void write_detailed_task(json::Writer& out, const Ask& ask, std::string_view status) {
    write_modern_task(out, ask, status);
    if (status != "completed") return;
    out.key("result").begin_object().field("resultType", "complete");
    write_ask_result(out, ask);
    out.end_object();
}

void write_related_task(json::Writer& out, AskId id) {
    out.key("_meta").begin_object().key(kMetaRelatedTask).begin_object();
    out.field("taskId", id.str()).end_object().end_object();
}

}  // namespace parley::mcp
