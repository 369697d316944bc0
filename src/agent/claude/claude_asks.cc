// SPDX-License-Identifier: Apache-2.0
#include "agent/claude/claude_asks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "agent/limits.h"
#include "core/json_fields.h"
#include "core/model_text.h"
#include "core/settle.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/left_out.h"
#include "dialect/requested_form.h"

namespace parley {

using elicitation::form_result;

ClaudeAsks::ClaudeAsks(Wiring wiring, Rules rules, Listener& listener)
    : link_(wiring.link),
      rules_(std::move(rules)),
      listener_(listener),
      withdrawals_(wiring.home, wiring.clock, wiring.link) {}

void ClaudeAsks::take(claude::ControlRequest request) {
    if (const auto* callback = std::get_if<claude::CallbackWish>(&request.wish))
        return take_callback(request.id, *callback);
    if (const auto* unknown = std::get_if<claude::UnknownWish>(&request.wish))
        return listener_.reply(claude::refusal_line(
            request.id, fmt::format("parley does not serve {}", unknown->subtype)));
    const std::string id = request.id;
    auto open = std::make_shared<Open>(Open{.request = std::move(request)});
    if (open_.size() >= limits::kClaudeAsksMax)
        return refuse(open, "too many questions are open at once; wait for their answers");
    open_[id] = open;
    if (const auto* tool = std::get_if<claude::ToolWish>(&open->request.wish)) {
        take_tool(open, *tool);
    } else if (const auto* form = std::get_if<claude::FormWish>(&open->request.wish)) {
        take_form(open, *form, {});
    }
}

void ClaudeAsks::take_callback(const std::string& request_id, const claude::CallbackWish& wish) {
    std::string text = json::text_field(wish.input, "message");
    const bool says_less_than_an_ask =
        json::text_field(wish.input, "notification_type") == "permission_prompt";
    if (wish.callback_id == claude::kNotificationCallback && !text.empty() &&
        !says_less_than_an_ask)
        link_.give_notice(rules_.session, {.text = std::move(text)}, [](Result<void>) {});
    listener_.reply(claude::reply_line(request_id, "{}"));
}

AskSpec ClaudeAsks::new_spec() const {
    return {.questions = {}, .agent = std::string(kAgent), .timeout = rules_.timeout};
}

void ClaudeAsks::take_tool(const OpenPtr& open, const claude::ToolWish& wish) {
    AskSpec spec = new_spec();
    if (wish.permission.tool == claude::kAskTool) {
        std::vector<Fault> warnings;
        auto questions = claude::read_input(wish.permission.input, kOpenProfile, {}, &warnings);
        if (!questions) return refuse(open, questions.error().message);
        if (!warnings.empty()) listener_.trouble(left_out_text(warnings));
        spec.questions = std::move(*questions);
    } else {
        claude::fill_permission(spec, wish.permission);
    }
    if (wish.call_id.empty()) {
        spec.key = "request-" + open->request.id;
    } else {
        spec.tool = ToolCall{{}, wish.call_id};
    }
    ask(open, std::move(spec));
}

void ClaudeAsks::take_form(const OpenPtr& open, const claude::FormWish& wish,
                           std::string_view complaint) {
    AskSpec spec = new_spec();
    if (wish.mode == "url") {
        spec.questions = elicitation::link_questions(fmt::format("The MCP server {}", wish.server),
                                                     wish.message, wish.url);
    } else {
        auto questions = elicitation::read_form(wish.message, wish.schema);
        if (!questions) return refuse(open, questions.error().message);
        spec.questions = std::move(*questions);
        spec.context = fmt::format("{}{}The MCP server {} asks: {}", complaint,
                                   complaint.empty() ? "" : "\n\n", wish.server, wish.message);
    }
    spec.key = fmt::format("form-{}-{}", open->request.id, ++open->tries);
    ask(open, std::move(spec));
}

void ClaudeAsks::ask(const OpenPtr& open, AskSpec spec) {
    open->asked = {.spec = std::move(spec), .session = rules_.session};
    link_.ask(open->asked, alive_.guard([this, open](Result<OpenedAsk> result) {
        opened(open, std::move(result));
    }));
}

void ClaudeAsks::opened(const OpenPtr& open, Result<OpenedAsk> opened) {
    if (!opened) return refuse(open, opened.error().message);
    open->ask = opened->ask;
    if (open->withdrawing) return withdraw(open);
    if (!open->ask->is_pending()) return settled(open, open->ask);
    open->wait =
        link_.wait(open->ask->id,
                   alive_.guard([this, open](const Result<AskPtr>& ask) { settled(open, ask); }));
    listener_.asked(open->asked);
}

void ClaudeAsks::settled(const OpenPtr& open, const Result<AskPtr>& ask) {
    if (!ask) return refuse(open, ask.error().message);
    if (open->withdrawing) return;
    const Settlement& settlement = *(*ask)->settlement;
    if (withdrawal_rule(settlement) == WithdrawalRule::turn_stopped) {
        // Claude Code takes the request back itself once it is told.
        listener_.turn_stopped();
        return forget(open);
    }
    if (const auto* tool = std::get_if<claude::ToolWish>(&open->request.wish)) {
        settle_tool(open, *tool, **ask);
    } else if (const auto* form = std::get_if<claude::FormWish>(&open->request.wish)) {
        settle_form(open, *form, **ask);
    }
}

void ClaudeAsks::settle_tool(const OpenPtr& open, const claude::ToolWish& wish, const Ask& ask) {
    const bool is_over_unanswered =
        ask.state() == AskState::dismissed || ask.state() == AskState::timed_out;
    if (is_over_unanswered && rules_.interrupts_on_dismiss) {
        listener_.interrupting();
        return close(open, claude::deny_response("User response timeout", true));
    }
    if (wish.permission.tool != claude::kAskTool) {
        const claude::Permission permission = claude::read_permission(ask);
        if (!permission.is_allowed)
            return close(open, claude::deny_response(permission.message, false));
        return close(
            open, claude::allow_response(
                      json::serialize(wish.permission.input),
                      permission.lasts ? claude::session_rules(wish.permission) : std::string()));
    }
    if (ask.state() != AskState::answered)
        return close(open, claude::deny_response(model_text(ask), false));
    std::string input =
        claude::updated_input(wish.permission.input, ask.spec->questions, ask.settlement->answers);
    listener_.answered(wish.call_id, input);
    close(open, claude::allow_response(input, {}));
}

void ClaudeAsks::settle_form(const OpenPtr& open, const claude::FormWish& wish, const Ask& ask) {
    if (ask.state() == AskState::dismissed) return close(open, form_result("decline"));
    if (ask.state() != AskState::answered) return close(open, form_result("cancel"));
    if (wish.mode == "url") {
        const bool is_open = elicitation::is_opened(ask.settlement->answers);
        return close(open, form_result(is_open ? "accept" : "decline"));
    }
    auto content =
        elicitation::form_content(wish.schema, ask.spec->questions, ask.settlement->answers);
    if (!content) return take_form(open, wish, content.error().message);
    close(open, form_result("accept", *content));
}

void ClaudeAsks::cancel(const std::string& request_id) {
    const auto found = open_.find(request_id);
    if (found == open_.end()) return;
    const OpenPtr open = found->second;
    open->withdrawing = "Claude Code needs it no longer";
    if (open->ask) withdraw(open);
}

void ClaudeAsks::withdraw_all(const std::string& reason, Task done) {
    all_withdrawn_ = std::move(done);
    const auto all = open_;
    for (const auto& [id, open] : all) {
        open->withdrawing = reason;
        if (open->ask) withdraw(open);
    }
    if (open_.empty()) std::exchange(all_withdrawn_, std::nullopt).value()();
}

// One that is being asked has no id yet, and may be any of those that are open.
bool ClaudeAsks::awaits(const AskId& ask) const {
    return std::ranges::any_of(open_, [&](const auto& entry) {
        return !entry.second->ask || entry.second->ask->id == ask;
    });
}

void ClaudeAsks::withdraw(const OpenPtr& open) {
    open->wait.cancel();
    withdrawals_.add(open->ask->id, *open->withdrawing,
                     [this, open](const Result<SettleReply>& reply) { withdrawn(open, reply); });
}

void ClaudeAsks::withdrawn(const OpenPtr& open, const Result<SettleReply>& reply) {
    if (reply && reply->ask->state() == AskState::answered) listener_.missed(reply->ask);
    forget(open);
}

void ClaudeAsks::refuse(const OpenPtr& open, const std::string& why) {
    listener_.trouble(why);
    const std::string text = fmt::format("The user could not be asked: {}", why);
    const bool is_tool = std::holds_alternative<claude::ToolWish>(open->request.wish);
    close(open, is_tool ? claude::deny_response(text, false) : form_result("cancel"));
}

void ClaudeAsks::close(const OpenPtr& open, std::string response) {
    listener_.reply(claude::reply_line(open->request.id, response));
    forget(open);
}

void ClaudeAsks::forget(const OpenPtr& open) {
    open_.erase(open->request.id);
    listener_.closed();
    if (open_.empty() && all_withdrawn_) std::exchange(all_withdrawn_, std::nullopt).value()();
}

}  // namespace parley
