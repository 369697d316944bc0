// SPDX-License-Identifier: Apache-2.0
// The methods tasks/…: an ask seen as a task, in both wire forms.
#include "dialect/mcp/tasks.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "bridge/mcp/conversation.h"
#include "bridge/mcp/pending_call.h"
#include "core/limits.h"
#include "dialect/mcp/elicitation.h"
#include "dialect/mcp/tools.h"

namespace parley::mcp {

namespace rpc = wire::rpc;

namespace {

// Keys of input requests are never used twice: each try has its own.
std::string form_key(int tries) {
    return fmt::format("form-{}", tries + 1);
}

void write_input(json::Writer& out, const Ask& ask, const ClientInfo& client, int tries) {
    out.key("inputRequests").begin_object().key(form_key(tries)).begin_object();
    out.field("method", "elicitation/create").key("params");
    write_form(out, ask, client);
    out.end_object().end_object();
}

}  // namespace

bool Conversation::may_use_tasks(Call& call) const {
    if (!call.is_modern() || call.client().has_tasks_extension) return true;
    std::string data;
    json::Writer out(data);
    out.begin_object().key("requiredCapabilities").begin_object();
    out.key("extensions").begin_object().key(kTasksExtension).begin_object();
    out.end_object().end_object().end_object().end_object();
    call.fail(kMissingCapability, "the client does not declare the tasks extension", data);
    return false;
}

void Conversation::find_task(const std::shared_ptr<Call>& call, UniqueFunction<void(AskPtr)> use) {
    if (!may_use_tasks(*call)) return;
    const auto text = text_member(call->params(), "taskId");
    const auto id = text ? AskId::parse(*text) : std::nullopt;
    if (!id) return call->fail(rpc::kInvalidParams, "there is no such task");
    wiring_.link.find_ask(*id,
                          alive_.guard([call, use = std::move(use)](Result<AskPtr> ask) mutable {
                              if (!ask)
                                  return call->fail(rpc::kInvalidParams, "there is no such task");
                              use(*std::move(ask));
                          }));
}

void Conversation::get_task(const std::shared_ptr<Call>& call) {
    find_task(call, [this, call](const AskPtr& ask) {
        if (!call->is_modern()) {
            return call->complete([&](json::Writer& out) { write_legacy_task(out, *ask); });
        }
        const bool wants_input = forms_.has_form(*ask, *call);
        if (wants_input) forms_.note_fetched(ask->id);
        call->complete([&](json::Writer& out) {
            write_detailed_task(out, *ask, wants_input ? "input_required" : task_status(*ask));
            if (wants_input) write_input(out, *ask, call->client(), forms_.tries(ask->id));
        });
    });
}

void Conversation::update_task(const std::shared_ptr<Call>& call) {
    find_task(call, [this, call](const AskPtr& ask) {
        const auto acknowledge = [call] { call->complete([](json::Writer&) {}); };
        const json::Value* responses = member(call->params(), "inputResponses");
        if (responses == nullptr || !responses->is_object())
            return call->fail(rpc::kInvalidParams, "\"inputResponses\" must be an object");
        const json::Value* reply = member(*responses, form_key(forms_.tries(ask->id)));
        if (reply == nullptr) return acknowledge();
        forms_.apply_fetched(ask, call, *reply, acknowledge);
    });
}

void Conversation::cancel_task(const std::shared_ptr<Call>& call) {
    find_task(call, [this, call](const AskPtr& ask) {
        if (!call->is_modern() && !ask->is_pending())
            return call->fail(rpc::kInvalidParams, "this task is over already");
        wiring_.link.withdraw(ask->id, "the agent cancelled its task",
                              [call](const Result<SettleReply>& reply) {
                                  if (!reply)
                                      return call->fail(rpc::kInternalError, reply.error().message);
                                  call->complete([&](json::Writer& out) {
                                      if (!call->is_modern()) write_legacy_task(out, *reply->ask);
                                  });
                              });
    });
}

void Conversation::give_task_result(const std::shared_ptr<Call>& call) {
    find_task(call, [this, call](const AskPtr& ask) {
        start_run(call).wait_for(ask->id, PendingCall::Bound::none);
    });
}

void Conversation::list_tasks(const std::shared_ptr<Call>& call) {
    const auto give = [call](const std::vector<AskPtr>& asks) {
        call->complete([&](json::Writer& out) {
            out.key("tasks").begin_array();
            for (const AskPtr& ask : asks) {
                out.begin_object();
                write_legacy_task(out, *ask);
                out.end_object();
            }
            out.end_array();
        });
    };
    wiring_.link.find_session(
        session_name(*call), alive_.guard([this, give](const Result<SessionPtr>& session) {
            // A client that has asked nothing yet has no session.
            if (!session) return give({});
            wiring_.link.list_asks({.session = (*session)->id, .limit = limits::kListPageMax},
                                   alive_.guard([give](const Result<AskPage>& page) {
                                       give(page ? page->asks : std::vector<AskPtr>());
                                   }));
        }));
}

}  // namespace parley::mcp
