// SPDX-License-Identifier: Apache-2.0
#include "agent/acp/acp_asks.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "agent/limits.h"
#include "core/settle.h"
#include "dialect/acp/tool_call.h"
#include "dialect/requested_form.h"

namespace parley {

AcpAsks::AcpAsks(Wiring wiring, Rules rules, Listener& listener)
    : link_(wiring.link),
      rules_(std::move(rules)),
      listener_(listener),
      withdrawals_(wiring.home, wiring.clock, wiring.link) {}

std::string AcpAsks::cancelled(const acp::Request& request) {
    return std::holds_alternative<acp::FormWish>(request.wish) ? elicitation::form_result("cancel")
                                                               : acp::cancelled_result();
}

// Our own tools and forms ask by themselves.
bool AcpAsks::pass(const acp::Request& request) {
    if (const auto* form = std::get_if<acp::FormWish>(&request.wish)) {
        if (!acp::is_own_form(*form)) return false;
        // To its server that is a form that was closed, and its ask waits on.
        listener_.reply(acp::reply_line(request.id, elicitation::form_result("cancel")));
        listener_.passed("a form of its MCP server");
        return true;
    }
    const auto& wish = std::get<acp::PermissionWish>(request.wish);
    if (!acp::is_own_tool(wish.call, rules_.titles_are_names)) return false;
    const std::string result = acp::allow_once_result(wish);
    if (result.empty()) return false;
    listener_.reply(acp::reply_line(request.id, result));
    listener_.passed(acp::shown_name(wish.call));
    return true;
}

void AcpAsks::take(acp::Request request) {
    if (const auto* unknown = std::get_if<acp::UnknownWish>(&request.wish))
        return listener_.reply(acp::refusal_line(
            request.id, acp::kNoMethod, fmt::format("parley does not serve {}", unknown->method)));
    // The same request said twice: its one answer is for both.
    if (open_.contains(request.id) || pass(request)) return;
    const std::string id = request.id;
    auto open = std::make_shared<Open>(Open{.request = std::move(request)});
    if (open_.size() >= limits::kAcpAsksMax)
        return refuse(open, "too many questions are open at once");
    open_[id] = open;
    if (const auto* form = std::get_if<acp::FormWish>(&open->request.wish))
        return take_form(open, *form, {});
    AskSpec spec = new_spec();
    acp::fill_permission(spec, std::get<acp::PermissionWish>(open->request.wish), rules_.called);
    // One call may ask more than once, and each time it is another question: an answer to the first
    // is none to the second.
    spec.tool.reset();
    // Nor is a request that has the number of one that was answered before.
    spec.key = fmt::format("request-{}-{}-{}", rules_.run, id, ++asked_);
    ask(open, std::move(spec));
}

AskSpec AcpAsks::new_spec() const {
    return {.questions = {}, .agent = rules_.agent, .timeout = rules_.timeout};
}

void AcpAsks::take_form(const OpenPtr& open, const acp::FormWish& wish,
                        std::string_view complaint) {
    AskSpec spec = new_spec();
    if (const auto filled = acp::fill_form(spec, wish, rules_.called, complaint); !filled)
        return refuse(open, filled.error().message);
    spec.key = fmt::format("form-{}-{}-{}", rules_.run, open->request.id, ++asked_);
    ask(open, std::move(spec));
}

void AcpAsks::ask(const OpenPtr& open, AskSpec spec) {
    open->asked = {.spec = std::move(spec), .session = rules_.session};
    link_.ask(open->asked, alive_.guard([this, open](const Result<OpenedAsk>& result) {
        opened(open, result);
    }));
}

void AcpAsks::opened(const OpenPtr& open, const Result<OpenedAsk>& opened) {
    if (!opened) return refuse(open, opened.error().message);
    open->ask = opened->ask;
    if (open->withdrawing) return withdraw(open, *open->withdrawing);
    if (!open->ask->is_pending()) return settled(open, open->ask);
    open->wait =
        link_.wait(open->ask->id,
                   alive_.guard([this, open](const Result<AskPtr>& ask) { settled(open, ask); }));
    listener_.asked(open->asked);
}

void AcpAsks::settled(const OpenPtr& open, const Result<AskPtr>& ask) {
    if (open->withdrawing) return;
    if (!ask) return refuse(open, ask.error().message);
    if (withdrawal_rule(*(*ask)->settlement) == WithdrawalRule::turn_stopped)
        listener_.turn_stopped();
    if (const auto* form = std::get_if<acp::FormWish>(&open->request.wish)) {
        auto decision = acp::form_decision(*form, **ask);
        if (!decision) {
            open->ask.reset();
            return take_form(open, *form, decision.error().message);
        }
        return decided(open, std::move(*decision));
    }
    decided(open,
            acp::permission_decision(std::get<acp::PermissionWish>(open->request.wish), **ask));
}

void AcpAsks::decided(const OpenPtr& open, acp::Decision decision) {
    listener_.reply(acp::reply_line(open->request.id, decision.result));
    forget(open);
    if (!decision.words.empty()) listener_.said(std::move(decision.words));
}

void AcpAsks::refuse(const OpenPtr& open, const std::string& why) {
    listener_.trouble(fmt::format("{} could not ask: {}", rules_.called, why));
    if (!open->withdrawing)
        listener_.reply(acp::reply_line(open->request.id, cancelled(open->request)));
    if (open->withdrawing) --withdrawing_;
    forget(open);
}

void AcpAsks::cancel(const std::string& request_id) {
    const auto found = open_.find(request_id);
    if (found == open_.end()) return;
    const OpenPtr open = found->second;
    close(open, cancelled(open->request), rules_.called + " needs it no longer");
}

void AcpAsks::close(const OpenPtr& open, const std::string& result, const std::string& why) {
    listener_.reply(acp::reply_line(open->request.id, result));
    ++withdrawing_;
    open->withdrawing = why;
    open_.erase(open->request.id);
    if (open->ask) withdraw(open, why);
}

void AcpAsks::complete(const std::string& form) {
    for (const auto& [id, open] : open_) {
        const auto* wish = std::get_if<acp::FormWish>(&open->request.wish);
        if (wish == nullptr || form.empty() || wish->form != form) continue;
        // Somebody did at the address what was wanted.
        const OpenPtr done = open;
        return close(done, elicitation::form_result("accept"), "it was done at its address");
    }
}

void AcpAsks::close_all(const std::string& reason) {
    const auto all = open_;
    for (const auto& [id, open] : all) close(open, cancelled(open->request), reason);
}

void AcpAsks::when_closed(Task done) {
    if (withdrawing_ == 0) return done();
    when_closed_ = std::move(done);
}

void AcpAsks::withdraw(const OpenPtr& open, const std::string& reason) {
    open->wait.cancel();
    withdrawals_.add(open->ask->id, reason,
                     [this, open](const Result<SettleReply>& reply) { withdrawn(open, reply); });
}

void AcpAsks::withdrawn(const OpenPtr& open, const Result<SettleReply>& reply) {
    if (reply && reply->ask->state() == AskState::answered) listener_.missed(reply->ask);
    --withdrawing_;
    forget(open);
}

void AcpAsks::forget(const OpenPtr& open) {
    if (const auto found = open_.find(open->request.id);
        found != open_.end() && found->second == open)
        open_.erase(found);
    if (withdrawing_ != 0) return;
    if (auto done = std::exchange(when_closed_, std::nullopt)) (*done)();
}

}  // namespace parley
