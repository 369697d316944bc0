// SPDX-License-Identifier: Apache-2.0
#include "door/claude/claude_door.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "core/door_names.h"
#include "core/profile.h"
#include "dialect/claude_hook.h"
#include "door/access.h"
#include "door/native/replies.h"
#include "text/time_text.h"

namespace parley {

namespace {

Result<claude::HookRules> read_rules(const wire::Query& query) {
    claude::HookRules rules;
    if (const auto timeout = query.find("timeout")) {
        TRY(duration, parse_duration(*timeout));
        rules.timeout = duration;
    }
    if (const auto what = query.find("on_timeout")) {
        const auto on_timeout = claude::read_on_timeout(*what);
        if (!on_timeout)
            return reject(ErrorCode::invalid, "?on_timeout= must be abstain, deny or empty");
        rules.on_timeout = *on_timeout;
    }
    rules.defers = query.get("defer") == "true";
    return rules;
}

// One request of a hook. Owned by whatever it waits for; answered once.
class HookRequest : public std::enable_shared_from_this<HookRequest> {
public:
    HookRequest(LoopBroker& broker, net::Exchange exchange, claude::HookCall call,
                claude::HookRules rules, std::string nonce)
        : broker_(broker),
          actor_{.principal = caller(exchange).principal, .door = std::string(door_names::kClaude)},
          exchange_(std::move(exchange)),
          call_(std::move(call)),
          rules_(rules),
          nonce_(std::move(nonce)) {}

    void start() {
        const std::weak_ptr<HookRequest> weak = weak_from_this();
        exchange_->on_peer_gone([weak] {
            if (const auto self = weak.lock()) self->abandon();
        });
        // The ask stays; Claude Code goes on with its own dialog.
        exchange_->on_server_closing([weak] {
            if (const auto self = weak.lock()) self->reply({});
        });
        act({});
    }

private:
    void act(const std::string& complaint) {
        auto plan =
            claude::plan_hook(call_, rules_, fmt::format("{}-{}", nonce_, ++tries_), complaint);
        if (!plan) return refuse(plan.error());
        if (auto* ask = std::get_if<claude::HookAsk>(&*plan)) {
            open(std::move(*ask));
        } else if (auto* withdrawal = std::get_if<claude::HookWithdrawal>(&*plan)) {
            withdraw(*withdrawal);
        } else if (auto* notice = std::get_if<claude::HookNotice>(&*plan)) {
            tell(std::move(*notice));
        } else {
            reply({});
        }
    }

    void open(claude::HookAsk ask) {
        SessionRequest session{.name = ask.request.session,
                               .title = std::move(ask.session_title),
                               .agent = ask.request.spec.agent};
        broker_.open_session(std::move(session),
                             [self = shared_from_this(),
                              request = std::move(ask.request)](Result<SessionPtr> opened) mutable {
                                 if (!opened) return self->refuse(opened.error());
                                 self->ask(std::move(request));
                             });
    }

    void ask(AskRequest request) {
        if (!exchange_) return;
        broker_.ask(std::move(request), kOpenProfile, actor_,
                    [self = shared_from_this()](Result<OpenedAsk> opened) {
                        if (!opened) return self->refuse(opened.error());
                        self->opened(opened->ask);
                    });
    }

    void opened(const AskPtr& ask) {
        ask_ = ask;
        if (!ask->is_pending()) return settled(*ask);
        if (!exchange_) return abandon();
        if (claude::is_deferred(call_, rules_)) return reply(claude::defer_output());
        wait_ = broker_.wait(ask->id, [self = shared_from_this()](const Result<AskPtr>& settled) {
            if (!settled) return self->refuse(settled.error());
            self->settled(**settled);
        });
    }

    void settled(const Ask& ask) {
        const auto output = claude::hook_output(call_, rules_, ask);
        if (!output && exchange_) return act(output.error().message);
        if (output) reply(*output);
    }

    // Nobody reads the answer any more.
    void abandon() {
        exchange_.reset();
        if (!ask_) return;
        wait_.cancel();
        broker_.withdraw(ask_->id, "Claude Code is gone", actor_, [](Result<SettleReply>) {});
    }

    void withdraw(const claude::HookWithdrawal& withdrawal) {
        for (const AskPtr& ask : pending())
            if (claude::is_meant(withdrawal, *ask))
                broker_.withdraw(ask->id, "it was settled in Claude Code", actor_,
                                 [](Result<SettleReply>) {});
        reply({});
    }

    void tell(claude::HookNotice notice) {
        if (notice.only_if_none_waits && !pending().empty()) return reply({});
        broker_.give_notice(notice.session, std::move(notice.notice),
                            [self = shared_from_this()](Result<void> told) {
                                if (!told) return self->refuse(told.error());
                                self->reply({});
                            });
    }

    // Of Claude's session, as far as this caller may see them.
    std::vector<AskPtr> pending() const {
        std::vector<AskPtr> asks;
        const auto* entry = broker_.ledger().find_session(std::string_view(call_.session));
        if (entry == nullptr || !exchange_) return asks;
        for (const AskId id : entry->pending) {
            AskPtr ask = broker_.ledger().find_pending(id);
            if (ask && may_see(caller(*exchange_), *ask)) asks.push_back(std::move(ask));
        }
        return asks;
    }

    void reply(const std::string& output) {
        if (!exchange_) return;
        if (output.empty()) {
            exchange_->respond({.status = 204});
        } else {
            native::reply(*exchange_, 200, output);
        }
        exchange_.reset();
        wait_.cancel();
    }

    void refuse(const Error& error) {
        if (!exchange_) return;
        native::reply_problem(*exchange_, error);
        exchange_.reset();
    }

    LoopBroker& broker_;
    Actor actor_;
    std::optional<net::Exchange> exchange_;  // until it is answered or nobody is there
    claude::HookCall call_;
    claude::HookRules rules_;
    std::string nonce_;
    int tries_ = 0;
    AskPtr ask_;
    Wait wait_;
};

}  // namespace

void ClaudeDoor::add_routes(net::Router& router) {
    net::RouteOptions options = native::json_route(Needs::asker);
    options.body_bytes_max = limits::kHookBodyBytes;
    router.post(
        "/hooks/claude", [this](net::Exchange exchange) { take(std::move(exchange)); },
        std::move(options));
}

void ClaudeDoor::take(net::Exchange exchange) {
    const auto rules = read_rules(exchange.query());
    if (!rules) return native::reply_problem(exchange, rules.error());
    auto call = claude::read_hook_call(exchange.body());
    if (!call) return native::reply_problem(exchange, call.error());
    std::make_shared<HookRequest>(broker_, std::move(exchange), std::move(*call), *rules,
                                  fmt::format("{:016x}", random_()))
        ->start();
}

}  // namespace parley
