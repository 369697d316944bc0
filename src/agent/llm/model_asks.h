// SPDX-License-Identifier: Apache-2.0
// What a model's calls want of people: each becomes an ask under its call's id, so that a call that
// is made again after a crash is the same ask, and each settlement the call's result. As many at
// once as the model likes. Asks outlive this object: who comes next takes them up again. Lives on
// its link's executor.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/lifetime.h"
#include "client/link.h"
#include "dialect/llm/conversation.h"
#include "dialect/llm/tools.h"

namespace parley {

class ModelAsks {
public:
    struct Rules {
        std::string session;
        std::string agent;
        std::optional<Millis> timeout = {};
    };
    class Listener {
    public:
        virtual ~Listener() = default;
        virtual void asked(const AskRequest& request) = 0;
        // A call waits for people.
        virtual void waits() = 0;
        virtual void call_done(llm::CallDone done) = 0;
        // Somebody stopped the turn.
        virtual void turn_stopped() = 0;
        // An ask that its call did not wait for has ended.
        virtual void settled_late(AskPtr ask) = 0;
        // Whether a call of this conversation asked it without waiting.
        virtual bool has_left_open(AskId ask) const = 0;
    };

    ModelAsks(Link& link, Rules rules, Listener& listener);

    void take(const llm::CallBlock& call);
    // Waits for what an earlier call, of this process or another, has left open.
    void watch(AskId ask);
    // What each open call gives back when the turn was stopped. They are no longer open then.
    std::vector<llm::CallDone> stop();

private:
    struct Open {
        llm::CallBlock call;
        AskRequest asked = {};
        bool is_blocking = true;
        std::vector<Fault> warnings = {};
        LinkWait wait = {};
    };
    using OpenPtr = std::shared_ptr<Open>;

    void ask(const OpenPtr& open, llm::AskWish wish);
    void take_wait(const OpenPtr& open, AskId ask);
    void opened(const OpenPtr& open, const Result<OpenedAsk>& opened);
    void wait_for(const OpenPtr& open, AskId ask);
    void settled(const OpenPtr& open, const Result<AskPtr>& ask);
    void close(const OpenPtr& open, llm::CallDone done);

    Link& link_;
    Rules rules_;
    Listener& listener_;
    std::map<std::string, OpenPtr> open_;  // by the call's id
    std::map<AskId, LinkWait> watched_;
    Lifetime alive_;
};

}  // namespace parley
