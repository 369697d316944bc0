// SPDX-License-Identifier: Apache-2.0
// What a driven agent of the Agent Client Protocol wants decided: each of its requests becomes an
// ask, as many at once as it likes, and each settlement a reply in its own form. Lives on its
// link's executor.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "client/link.h"
#include "client/withdrawals.h"
#include "dialect/acp/lines.h"

namespace parley {

class AcpAsks {
public:
    struct Wiring {
        Executor& home;  // the link's
        const Clock& clock;
        Link& link;
    };
    struct Rules {
        std::string session;
        std::string agent;   // the name on the asks
        std::string called;  // what people call it
        std::string run;     // tells the requests of this run from those of others
        std::optional<Millis> timeout = {};
        bool titles_are_names = false;  // acp::AgentFacts
    };
    class Listener {
    public:
        virtual ~Listener() = default;
        virtual void reply(std::string line) = 0;
        // Asked and open.
        virtual void asked(const AskRequest& request) = 0;
        // Words of a person that the reply could not carry.
        virtual void said(std::string words) = 0;
        // Answered when the agent had just taken it back.
        virtual void missed(const AskPtr& ask) = 0;
        // Somebody stopped the turn, and the agent is to be told.
        virtual void turn_stopped() = 0;
        // Decided by rule, without anybody.
        virtual void passed(const std::string& what) = 0;
        virtual void trouble(const std::string& text) = 0;
    };

    AcpAsks(Wiring wiring, Rules rules, Listener& listener);

    void call_agent(std::string called) { rules_.called = std::move(called); }
    void take_titles_for_names() { rules_.titles_are_names = true; }
    void take(acp::Request request);
    // The agent wants this one no longer.
    void cancel(const std::string& request_id);
    // What an address was opened for is done: nobody needs to open it any more.
    void complete(const std::string& form);
    // The turn is over, or the agent is: nothing of it may stay open. Told to the agent.
    void close_all(const std::string& reason);
    // Runs `done` once all that was taken back is.
    void when_closed(Task done);

private:
    struct Open {
        acp::Request request;
        AskRequest asked = {};
        AskPtr ask = {};
        LinkWait wait = {};
        std::optional<std::string> withdrawing = {};  // why
    };
    using OpenPtr = std::shared_ptr<Open>;

    bool pass(const acp::Request& request);
    void take_form(const OpenPtr& open, const acp::FormWish& wish, std::string_view complaint);
    AskSpec new_spec() const;
    void ask(const OpenPtr& open, AskSpec spec);
    void opened(const OpenPtr& open, const Result<OpenedAsk>& opened);
    void settled(const OpenPtr& open, const Result<AskPtr>& ask);
    void decided(const OpenPtr& open, acp::Decision decision);
    void refuse(const OpenPtr& open, const std::string& why);
    // Not by anybody here: the agent has this result, and the ask is taken back.
    void close(const OpenPtr& open, const std::string& result, const std::string& why);
    void withdraw(const OpenPtr& open, const std::string& reason);
    void withdrawn(const OpenPtr& open, const Result<SettleReply>& reply);
    void forget(const OpenPtr& open);
    static std::string cancelled(const acp::Request& request);

    Link& link_;
    Rules rules_;
    Listener& listener_;
    std::map<std::string, OpenPtr> open_;  // by the agent's request id
    std::uint64_t asked_ = 0;              // so far, so that no two have one key
    Withdrawals withdrawals_;
    std::size_t withdrawing_ = 0;
    std::optional<Task> when_closed_;
    Lifetime alive_;
};

}  // namespace parley
