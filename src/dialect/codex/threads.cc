// SPDX-License-Identifier: Apache-2.0
#include "dialect/codex/threads.h"

#include "dialect/codex/object_text.h"
#include "dialect/limits.h"
#include "text/json.h"

namespace parley::codex {

namespace {

void write_list(json::Writer& out, std::span<const std::string> texts) {
    out.begin_array();
    for (const std::string& text : texts) out.string(text);
    out.end_array();
}

void write_server(json::Writer& out, const OwnServer& server) {
    out.begin_object().field("command", server.command.front()).key("args");
    write_list(out, std::span(server.command).subspan(1));
    write_list(out.key("env_vars"), server.variables);
    out.field_int("tool_timeout_sec", limits::kCodexToolSeconds);
    // It asks by itself: nobody is asked whether it may.
    out.field("default_tools_approval_mode", "approve").end_object();
}

// Settings that count for this thread alone.
void write_config(json::Writer& out, const OwnServer& server) {
    out.key("config").begin_object();
    // Without it the model may ask in Plan mode alone.
    out.field_bool("features.default_mode_request_user_input", true);
    out.field_bool("suppress_unstable_features_warning", true);
    if (!server.command.empty()) write_server(out.key("mcp_servers.parley"), server);
    out.end_object();
}

void write_plan(json::Writer& out, const ThreadPlan& plan) {
    if (plan.model) out.field("model", *plan.model);
    if (plan.sandbox) out.field("sandbox", *plan.sandbox);
    if (plan.approvals) out.field("approvalPolicy", *plan.approvals);
    write_config(out, plan.server);
}

}  // namespace

std::string start_params(const ThreadPlan& plan) {
    return object_text([&](json::Writer& out) {
        out.field("cwd", plan.folder);
        write_plan(out, plan);
    });
}

std::string resume_params(std::string_view thread, const ThreadPlan& plan) {
    return object_text([&](json::Writer& out) {
        out.field("threadId", thread).field_bool("excludeTurns", true);
        write_plan(out, plan);
    });
}

std::string turn_params(const TurnPlan& plan, std::span<const std::string> texts) {
    return object_text([&](json::Writer& out) {
        out.field("threadId", plan.thread).key("input").begin_array();
        for (const std::string& words : texts) {
            out.begin_object().field("type", "text").field("text", words);
            out.key("text_elements").begin_array().end_array().end_object();
        }
        out.end_array();
        if (plan.mode.empty()) return;
        out.key("collaborationMode").begin_object().field("mode", plan.mode);
        out.key("settings").begin_object().field("model", plan.model);
        out.key("reasoning_effort").null().key("developer_instructions").null();
        out.end_object().end_object();
    });
}

}  // namespace parley::codex
