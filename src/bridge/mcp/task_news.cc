// SPDX-License-Identifier: Apache-2.0
#include "bridge/mcp/task_news.h"

#include <algorithm>
#include <utility>

#include "bridge/mcp/conversation.h"
#include "bridge/mcp/limits.h"
#include "dialect/mcp/tasks.h"
#include "text/json_object.h"

namespace parley::mcp {

namespace rpc = wire::rpc;

namespace {

// The tasks that a client wants to hear of; only one that knows of tasks can.
std::vector<AskId> wanted_tasks(const Call& call) {
    std::vector<AskId> ids;
    if (!call.client().has_tasks_extension) return ids;
    const json::Value* notifications = member(call.params(), "notifications");
    const json::Value* listed =
        notifications == nullptr ? nullptr : member(*notifications, "taskIds");
    const json::Array* list = listed == nullptr ? nullptr : listed->if_array();
    if (list == nullptr) return ids;
    for (const json::Value& value : *list) {
        if (!value.is_string() || ids.size() == limits::kMcpCallsMax) continue;
        const auto id = AskId::parse({value.get_string().data(), value.get_string().size()});
        if (id && std::ranges::find(ids, *id) == ids.end()) ids.push_back(*id);
    }
    return ids;
}

void write_subscription(json::Writer& out, const Call& call) {
    out.key("_meta").begin_object().key(kMetaSubscription);
    rpc::write_id(out, call.id());
    out.end_object();
}

}  // namespace

void TaskNews::announce(const Ask& ask) {
    if (!ask.is_pending() || announced_.contains(ask.id)) return;
    if (announced_.size() >= limits::kMcpCallsMax) announced_.erase(announced_.begin());
    announced_[ask.id] = conversation_.link().wait(
        ask.id, alive_.guard([this, id = ask.id](const Result<AskPtr>& settled) {
            const auto finished = announced_.extract(id);
            if (!settled) return;
            conversation_.send_aside(rpc::write_notification(
                "notifications/tasks/status",
                json::object_text([&](json::Writer& out) { write_legacy_task(out, **settled); })));
        }));
}

void TaskNews::listen(const std::shared_ptr<Call>& call) {
    const auto wanted = wanted_tasks(*call);
    call->hold();
    const std::uint64_t number = next_number_++;
    listeners_.emplace(number, Listener{.call = call});
    call->on_cancelled(alive_.guard([this, number](Call::Leaving) { listeners_.erase(number); }));
    look_for(number, wanted);
}

void TaskNews::look_for(std::uint64_t number, const std::vector<AskId>& ids) {
    listeners_.at(number).looked_for = ids.size();
    if (ids.empty()) return begin(number);
    for (const AskId id : ids) {
        conversation_.link().find_ask(id, alive_.guard([this, number](const Result<AskPtr>& ask) {
            const auto found = listeners_.find(number);
            if (found == listeners_.end()) return;
            if (ask) found->second.tasks.push_back(*ask);
            if (--found->second.looked_for == 0) begin(number);
        }));
    }
}

// The first message says what will be told, of what was asked for.
void TaskNews::acknowledge(Listener& listener) const {
    listener.call->send(rpc::write_notification("notifications/subscriptions/acknowledged",
                                                json::object_text([&](json::Writer& out) {
                                                    out.key("notifications").begin_object();
                                                    if (!listener.tasks.empty()) {
                                                        out.key("taskIds").begin_array();
                                                        for (const AskPtr& task : listener.tasks)
                                                            out.string(task->id.str());
                                                        out.end_array();
                                                    }
                                                    out.end_object();
                                                    write_subscription(out, *listener.call);
                                                })));
}

void TaskNews::begin(std::uint64_t number) {
    Listener& listener = listeners_.at(number);
    acknowledge(listener);
    for (const AskPtr& task : std::exchange(listener.tasks, {})) {
        // What is over already is told at once: it may have ended before anyone listened.
        if (!task->is_pending()) {
            tell(number, task);
            continue;
        }
        listener.waits.push_back(conversation_.link().wait(
            task->id, alive_.guard([this, number](const Result<AskPtr>& ask) {
                if (ask) tell(number, *ask);
            })));
    }
}

void TaskNews::tell(std::uint64_t number, const AskPtr& ask) {
    const auto found = listeners_.find(number);
    if (found == listeners_.end()) return;
    Call& call = *found->second.call;
    call.send(
        rpc::write_notification("notifications/tasks", json::object_text([&](json::Writer& out) {
                                    write_detailed_task(out, *ask, task_status(*ask));
                                    write_subscription(out, call);
                                })));
}

}  // namespace parley::mcp
