// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/value_json.h"
#include "mcp_fixtures/fixtures.h"

namespace parley::mcp {

namespace {

constexpr std::string_view kPrefix = "fixture-";
constexpr int kPollMs = 100;

json::Value needed_extension() {
    return json::Object{{"extensions", json::Object{{kTasksExtension.data(), json::Object()}}}};
}

Millis seconds_of(const json::Value& task) {
    const json::Value* seconds = member(task, "seconds");
    const double count = seconds == nullptr ? 0.0 : seconds->to_number<double>();
    return Millis(static_cast<std::int64_t>(count * 1000));
}

}  // namespace

void FixtureTasks::run(const std::shared_ptr<Call>& call, const json::Value& tool,
                       const Words& words) {
    const json::Value& wanted = *member(tool, "task");
    const json::Value text = filled(tool.at("text"), words);
    FixtureTask task{.outcome = std::string(wanted.at("outcome").as_string()),
                     .text = std::string(text.as_string()),
                     .seconds = seconds_of(wanted),
                     .created = clock_.wall()};
    if (!call->client().has_tasks_extension) {
        if (member(wanted, "required") != nullptr) return refuse_without(*call, needed_extension());
        return complete_with_text(*call, task.text);
    }
    if (const json::Value* inputs = member(wanted, "inputs")) {
        task.inputs = inputs->as_object();
        task.status = "input_required";
    }
    const std::string id = fmt::format("{}{}", kPrefix, next_++);
    const bool is_ready = task.inputs.empty();
    const FixtureTask& kept = tasks_.emplace(id, std::move(task)).first->second;
    call->complete_as("task", [&](json::Writer& out) { write(out, id, kept); });
    if (is_ready) start(id);
}

void FixtureTasks::start(const std::string& id) {
    FixtureTask& started = tasks_.at(id);
    started.status = "working";
    home_.post_at(clock_.mono() + started.seconds, [this, id] {
        FixtureTask& task = tasks_.at(id);
        if (task.status != "working") return;
        task.status = task.outcome == "protocol error" ? "failed" : "completed";
    });
}

bool FixtureTasks::take(Call& call) {
    const auto id = text_member(call.params(), "taskId");
    if (!id || !id->starts_with(kPrefix)) return false;
    const auto found = tasks_.find(std::string(*id));
    if (!call.client().has_tasks_extension) {
        refuse_without(call, needed_extension());
    } else if (found == tasks_.end()) {
        call.fail(wire::rpc::kInvalidParams, "there is no such task");
    } else if (call.method() == "tasks/get") {
        call.complete([&](json::Writer& out) {
            write(out, found->first, found->second);
            write_outcome(out, found->second);
        });
    } else if (call.method() == "tasks/cancel") {
        FixtureTask& task = found->second;
        if (task.status == "working" || task.status == "input_required") task.status = "cancelled";
        call.complete([](json::Writer&) {});
    } else if (call.method() == "tasks/update") {
        FixtureTask& task = found->second;
        for (const auto& [key, word] : words_of(*member(call.params(), "inputResponses")))
            task.inputs.erase(key);
        if (task.status == "input_required" && task.inputs.empty()) start(found->first);
        call.complete([](json::Writer&) {});
    } else {
        return false;
    }
    return true;
}

void FixtureTasks::write(json::Writer& out, const std::string& id, const FixtureTask& task) const {
    out.field("taskId", id).field("status", task.status);
    write_time(out, "createdAt", task.created);
    write_time(out, "lastUpdatedAt", task.created);
    out.key("ttlMs").null();
    out.field_int("pollIntervalMs", kPollMs);
}

void FixtureTasks::write_outcome(json::Writer& out, const FixtureTask& task) {
    if (task.status == "input_required") out.key("inputRequests").value(task.inputs);
    if (task.status == "failed") {
        out.key("error").begin_object().field_int("code", wire::rpc::kInternalError);
        out.field("message", task.text).end_object();
    }
    if (task.status != "completed") return;
    out.key("result").begin_object().field("resultType", "complete");
    out.key("content").begin_array().begin_object();
    out.field("type", "text").field("text", task.text).end_object().end_array();
    if (task.outcome == "tool error") out.field_bool("isError", true);
    out.end_object();
}

}  // namespace parley::mcp
