// SPDX-License-Identifier: Apache-2.0
// Asks that stand open where their agent lives too, and may be settled there: the first to settle
// one decides, and the other side is told. Which agent that is and how it is told, the owner knows.
// Wishes outlive a lost connection by their key, and asks a lost process; what a broker that is
// away cannot be told, it is told once it is back. Lives on the executor of its link.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "client/link.h"
#include "client/withdrawals.h"

namespace parley {

class SharedAsks {
public:
    struct Rules {
        std::string key_prefix;  // of the asks of this one, in their keys
        std::string called;      // what people call the agent
        std::optional<Millis> timeout = {};
        std::size_t asks_max = 0;  // open at once
        // People are told of an answer that came too late; otherwise the owner is.
        bool tells_late = true;
    };
    // One thing that the agent wants decided.
    struct Wish {
        std::string key;    // the same wish has the same key, also from another connection
        std::string place;  // where it belongs in the agent; begins the key, up to a colon
        SessionRequest session;
        AskSpec spec;
    };
    class Listener {
    public:
        virtual ~Listener() = default;
        // To be given to the agent; then taken() or too_late().
        virtual void settled(const std::string& key, const Ask& ask) = 0;
        virtual void asked(const AskRequest& request) = 0;
        // It cannot be asked, and is forgotten.
        virtual void refused(const std::string& key, const std::string& why) = 0;
        // Answered, and the agent takes it no more. Only where nobody else is told.
        virtual void late(const AskPtr&) {}
        // It is over, whatever became of it.
        virtual void closed(const std::string& key) = 0;
        virtual void trouble(const std::string& text) = 0;
    };
    struct Wiring {
        Executor& home;  // the link's
        const Clock& clock;
        Link& link;
    };

    SharedAsks(Wiring wiring, Rules rules, Listener& listener);
    // Nothing is taken back: who comes next adopts it.
    ~SharedAsks();

    // Takes over what waits from an earlier process; `done` in any case.
    void adopt(Task done);

    // Opens its session if that is not there. What is settled already is given again.
    void take(Wish wish);

    // It could not be given to the agent, and is to be tried again.
    void give_again(std::string_view key);
    // What was settled does not fit: it is asked so.
    void ask_again(std::string_view key, AskSpec spec);
    // The agent has what was settled here.
    void taken(std::string_view key);
    // It has not: it was settled there before.
    void too_late(std::string_view key);
    // The agent needs it no longer.
    void closed_there(std::string_view key, std::string_view why);
    // Nor anything else of that place.
    void place_closed(std::string_view place, std::string_view why);

    // The connection is lost. What was open may come again, or be missing.
    void lost();
    // It has come again, and take() follows.
    void see(std::string_view key);
    // What has not come again since is over, of all places or of one.
    void drop_unseen(std::string_view why);
    void drop_unseen_of(std::string_view place, std::string_view why);
    std::vector<std::string> unseen_places() const;

    // `done` once all is taken back, or cannot be: a broker that is away is not waited for long.
    void withdraw_all(std::string_view why, Task done);

private:
    struct Open {
        Wish wish;
        AskRequest asked = {};
        AskPtr ask = {};
        AskPtr settled = {};
        LinkWait wait = {};
        int tries = 0;
        bool is_seen = false;                         // the agent waits for it, as we know
        std::optional<std::string> withdrawing = {};  // why
    };
    using OpenPtr = std::shared_ptr<Open>;

    void read_pending(std::optional<AskId> after, Task done);
    void adopt_one(const AskPtr& ask);
    void begin(const OpenPtr& open);
    void send(const OpenPtr& open);
    void opened(const OpenPtr& open, const Result<OpenedAsk>& opened);
    void not_opened(const OpenPtr& open, const Error& error);
    void wait_for(const OpenPtr& open);
    void settled(const OpenPtr& open, const Result<AskPtr>& ask);
    void end(const OpenPtr& open, std::string_view why);
    void end_where(std::string_view why, const std::function<bool(const Open&)>& which);
    void withdraw(const OpenPtr& open);
    void withdrawn(const OpenPtr& open, const Result<SettleReply>& reply);
    void look_for(const OpenPtr& open, std::optional<AskId> after);
    void looked(const OpenPtr& open, const Result<AskPage>& page);
    void taken_back(const OpenPtr& open);
    void give_up(const OpenPtr& open);
    void try_later(Task task);
    void tell_late(const AskPtr& ask);
    void tell_if_all_withdrawn();
    void refuse(const OpenPtr& open, const std::string& why);
    void forget(const OpenPtr& open);
    OpenPtr find(std::string_view key) const;
    std::vector<OpenPtr> select(const std::function<bool(const Open&)>& which) const;

    Wiring wiring_;
    Link& link_;
    Rules rules_;
    Listener& listener_;
    std::map<std::string, OpenPtr, std::less<>> open_;  // by the wish's key
    Withdrawals withdrawals_;
    std::optional<Task> all_withdrawn_;
    bool is_away_told_ = false;
    Lifetime alive_;
};

}  // namespace parley
