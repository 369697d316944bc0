// SPDX-License-Identifier: Apache-2.0
// What a driven Claude Code wants decided: each of its requests becomes an ask, as many at once as
// it likes, and each settlement a reply in its own form. Lives on its link's executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "base/unique_function.h"
#include "client/link.h"
#include "client/withdrawals.h"
#include "dialect/claude/control.h"

namespace parley {

class ClaudeAsks {
public:
    // The agent of the asks that this one makes.
    static constexpr std::string_view kAgent = "claude";

    struct Wiring {
        Executor& home;  // the link's
        const Clock& clock;
        Link& link;
    };
    struct Rules {
        std::string session;
        std::optional<Millis> timeout = {};
        // A dismissal or timeout ends the turn, instead of being told to the model.
        bool interrupts_on_dismiss = false;
    };
    class Listener {
    public:
        virtual ~Listener() = default;
        virtual void reply(std::string line) = 0;
        // Asked and open; the same request asked again is the same ask.
        virtual void asked(const AskRequest& request) = 0;
        // A person answered the questions of this call.
        virtual void answered(const std::string& call_id, std::string output) = 0;
        // Answered when Claude Code had just taken it back.
        virtual void missed(const AskPtr& ask) = 0;
        // An ask is over, whatever became of it.
        virtual void closed() = 0;
        // Somebody stopped the turn, and Claude Code is to be told.
        virtual void turn_stopped() = 0;
        // The reply that follows ends the turn.
        virtual void interrupting() = 0;
        virtual void trouble(const std::string& text) = 0;
    };

    ClaudeAsks(Wiring wiring, Rules rules, Listener& listener);

    void take(claude::ControlRequest request);
    // Claude Code wants this one no longer.
    void cancel(const std::string& request_id);
    // Claude Code is gone; `done` once all is taken back.
    void withdraw_all(const std::string& reason, Task done);
    bool is_waiting() const { return !open_.empty(); }
    bool awaits(const AskId& ask) const;

private:
    struct Open {
        claude::ControlRequest request;
        AskRequest asked = {};
        AskPtr ask = {};
        LinkWait wait = {};
        int tries = 0;
        std::optional<std::string> withdrawing = {};  // why
    };
    using OpenPtr = std::shared_ptr<Open>;

    void take_tool(const OpenPtr& open, const claude::ToolWish& wish);
    void take_form(const OpenPtr& open, const claude::FormWish& wish, std::string_view complaint);
    void take_callback(const std::string& request_id, const claude::CallbackWish& wish);
    AskSpec new_spec() const;
    void ask(const OpenPtr& open, AskSpec spec);
    void opened(const OpenPtr& open, Result<OpenedAsk> opened);
    void settled(const OpenPtr& open, const Result<AskPtr>& ask);
    void settle_tool(const OpenPtr& open, const claude::ToolWish& wish, const Ask& ask);
    void settle_form(const OpenPtr& open, const claude::FormWish& wish, const Ask& ask);
    void withdraw(const OpenPtr& open);
    void withdrawn(const OpenPtr& open, const Result<SettleReply>& reply);
    void refuse(const OpenPtr& open, const std::string& why);
    void close(const OpenPtr& open, std::string response);
    void forget(const OpenPtr& open);

    Link& link_;
    Rules rules_;
    Listener& listener_;
    std::map<std::string, OpenPtr> open_;  // by the CLI's request id
    Withdrawals withdrawals_;
    std::optional<Task> all_withdrawn_;
    Lifetime alive_;
};

}  // namespace parley
