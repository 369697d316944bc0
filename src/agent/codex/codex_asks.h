// SPDX-License-Identifier: Apache-2.0
// What Codex wants decided: each of its requests becomes an ask, and each settlement a reply. Where
// Codex has a window of its own beside us the first answer counts: what is answered there is taken
// back here. Requests outlive a lost connection by their key, and asks a lost process. Lives on the
// executor of its link.
#pragma once

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
#include "dialect/codex/wishes.h"

namespace parley {

class CodexAsks {
public:
    // Who else may answer.
    enum class Company : std::uint8_t { nobody, its_own_window };
    struct Rules {
        std::string key_prefix;  // of the asks of this one, in their keys
        Company company = Company::its_own_window;
        std::optional<Millis> timeout = {};
    };
    class Listener {
    public:
        virtual ~Listener() = default;
        virtual void reply(const codex::Wish& wish, std::string result) = 0;
        // What the reply had no room for.
        virtual void say(const codex::Wish& wish, std::string words) = 0;
        virtual void stop_turn(const codex::Wish& wish) = 0;
        virtual void asked(const AskRequest& request) = 0;
        // An ask is over, whatever became of it.
        virtual void closed() = 0;
        virtual void trouble(std::string text) = 0;
    };

    struct Wiring {
        Executor& home;  // the link's
        const Clock& clock;
        Link& link;
    };
    CodexAsks(Wiring wiring, Rules rules, Listener& listener);
    // Nothing is taken back: who comes next adopts it.
    ~CodexAsks();

    // Takes over what waits from an earlier process; `done` in any case.
    void adopt(Task done);

    // `session` is opened if it is not there. The same request again is the same ask.
    void take(codex::Wish wish, SessionRequest session, codex::Surroundings surroundings);
    // Codex needs it no longer: it was replied to, by us or by somebody else.
    void resolved(std::string_view thread, std::string_view request_id);
    void turn_ended(std::string_view thread, bool was_stopped);

    // The connection is lost. What was open may come again, or be missing.
    void lost();
    // Of the thread, or of all, what has not come again is over.
    void missing(std::string_view thread, std::string_view why);
    void all_missing(std::string_view why);
    // Threads of what has not come again.
    std::vector<std::string> unseen_threads() const;

    // `done` once all is taken back, or cannot be.
    void withdraw_all(std::string_view why, Task done);
    bool is_waiting() const { return !open_.empty(); }

private:
    struct Open {
        std::string key;
        codex::Wish wish = {};
        SessionRequest session = {};
        codex::Surroundings surroundings = {};
        AskRequest asked = {};
        AskPtr ask = {};
        AskPtr settled = {};
        LinkWait wait = {};
        int tries = 0;
        bool is_seen = false;                         // its request is open on this connection
        std::optional<std::string> withdrawing = {};  // why
    };
    using OpenPtr = std::shared_ptr<Open>;

    void read_pending(std::optional<AskId> after, Task done);
    void adopt_one(const AskPtr& ask);
    void begin(const OpenPtr& open);
    void opened(const OpenPtr& open, const Result<OpenedAsk>& opened);
    void wait_for(const OpenPtr& open);
    void settled(const OpenPtr& open, const Result<AskPtr>& ask);
    void give(const OpenPtr& open);
    void end(const OpenPtr& open, std::string_view why);
    void withdraw(const OpenPtr& open);
    void withdrawn(const OpenPtr& open, const Result<SettleReply>& reply);
    void tell_late(const Ask& ask);
    void refuse(const OpenPtr& open, const std::string& why);
    void forget(const OpenPtr& open);
    template <class Which>
    std::vector<OpenPtr> select(Which which) const;

    Wiring wiring_;
    Link& link_;
    Rules rules_;
    Listener& listener_;
    std::map<std::string, OpenPtr, std::less<>> open_;  // by the wish's key
    std::optional<Task> all_withdrawn_;
    Lifetime alive_;
};

}  // namespace parley
