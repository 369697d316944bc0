// SPDX-License-Identifier: Apache-2.0
// What an MCP client may send: params of initialize and of modern requests, arguments of the tools,
// the content of a form. What is read as a question is written as a form, as a result and as a
// task, and all of that is JSON.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "core/settle.h"
#include "core/test_asks.h"
#include "dialect/mcp/client.h"
#include "dialect/mcp/elicitation.h"
#include "dialect/mcp/tasks.h"
#include "dialect/mcp/tools.h"
#include "text/limits.h"

namespace parley::mcp {

namespace {

template <class Write>
void expect_json(Write write) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    write(out);
    out.end_object();
    ASSERT(json::parse(text, {.depth_max = limits::kJsonDepthMax}).has_value());
}

void write_everything(const Ask& ask, const ClientInfo& client) {
    expect_json([&](json::Writer& out) { write_form(out.key("form"), ask, client, "again"); });
    expect_json([&](json::Writer& out) { write_ask_result(out, ask); });
    expect_json([&](json::Writer& out) { write_legacy_task(out, ask); });
    expect_json([&](json::Writer& out) { write_modern_task(out, ask, task_status(ask)); });
}

void try_form(const Ask& ask, const json::Value& value) {
    const auto form = read_form(ask.spec->questions, value);
    if (!form || form->action != FormReply::Action::accept) return;
    ASSERT(form->answers.size() == ask.spec->questions.size());
    auto settlement = make_answer(ask, form->answers, {.completeness = Completeness::may_be_empty},
                                  {.principal = "ada", .door = "mcp"}, {});
    if (settlement) write_everything(*with_settlement(ask, *std::move(settlement)), {});
}

}  // namespace

}  // namespace parley::mcp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const auto value = json::parse({reinterpret_cast<const char*>(data), size});
    if (!value) return 0;
    mcp::ClientInfo client;
    if (const auto read = mcp::read_initialize(*value)) client = *read;
    if (mcp::is_modern(*value)) {
        if (const auto read = mcp::read_meta(*value)) client = *read;
    }
    (void)mcp::read_wait_answer(*value);
    (void)mcp::read_notify_user(*value);
    const json::Value* arguments = mcp::member(*value, "arguments");
    const auto spec = mcp::read_ask_user(arguments == nullptr ? *value : *arguments);
    if (!spec) {
        mcp::expect_json([&](json::Writer& out) { mcp::write_error_result(out, spec.error()); });
        return 0;
    }
    const Ask ask{.id = {}, .session = {}, .spec = std::make_shared<AskSpec>(spec->spec)};
    mcp::write_everything(ask, client);
    const json::Value* reply = mcp::member(*value, "reply");
    mcp::try_form(ask, reply == nullptr ? *value : *reply);
    return 0;
}
