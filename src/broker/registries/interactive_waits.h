// SPDX-License-Identifier: Apache-2.0
// The interactive-wait registry of chat pages: a hook waits for the answer to one tool call of one
// session, a click resolves it, and the answer is kept aside until the tool's own result comes by
// and is replaced with it. The wait is a real ask, named by session and call id; only the answers
// kept aside live here, in memory, for limits::kStoredAnswerLife. Lives on the broker's executor
// and must not outlive the broker; once it is gone, nobody who waits through it is told anything.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "broker/broker.h"

namespace parley {

// "sessionId__toolUseId" where this comes from. The parts stay apart, since either may contain the
// separator.
struct InteractiveKey {
    std::string session;  // an id or a client's own name
    std::string tool_use_id;

    auto operator<=>(const InteractiveKey&) const = default;
};

class InteractiveWaits {
public:
    struct Wiring {
        Executor& home;  // the broker's
        const Clock& clock;
        LoopBroker& broker;
    };
    // Names one registration, to abandon it.
    using Number = std::uint64_t;

    explicit InteractiveWaits(Wiring wiring) : wiring_(wiring) {}

    // Asks, or joins the ask of an earlier registration of the same key. `settled` gives the ask
    // with its settlement, whatever the outcome: an interruption never looks like an empty answer.
    // There is no deadline.
    Number register_wait(const InteractiveKey& key, std::vector<Question> questions,
                         const Actor& agent, Done<AskPtr> settled);
    // Ends one wait without a word. The ask stays pending: a hook may die, its question does not.
    void abandon(Number number) { waits_.erase(number); }

    struct Resolution {
        bool is_resolved = false;
        AskPtr ask = {};  // as it stands; null when that call never asked
    };
    // The answers to the questions of an ask, or why they cannot be.
    using MakeAnswers = UniqueFunction<Result<Answers>(const Ask&)>;
    // Registered in this process or in an earlier one; an ask without a tool call is meant by its
    // own id. Questions may be left out, but not all. An invalid answer is an Error and leaves the
    // ask pending; who comes late is told what stands.
    void resolve(const InteractiveKey& key, Answers answers, const Actor& responder,
                 Done<Resolution> done);
    void resolve(const InteractiveKey& key, MakeAnswers make, const Actor& responder,
                 Done<Resolution> done);

    // Answers kept aside. Storing again replaces and keeps it anew; over kStoredAnswersMax the
    // oldest goes.
    void store_user_answer(const InteractiveKey& key, Answers answers);
    std::optional<Answers> pop_user_answer(const InteractiveKey& key);
    std::size_t stored_count() const { return stored_.size(); }

private:
    struct Waiting {
        Done<AskPtr> settled;
        Wait wait = {};
    };
    struct Stored {
        Answers answers;
        std::uint64_t number = 0;
    };
    struct Expiry {
        Mono when;
        InteractiveKey key;
    };

    void opened(Number number, Result<OpenedAsk> reply);
    // Null if there is none in that session.
    void find(SessionId session, const std::string& tool_use_id, const Viewer& viewer,
              Done<AskPtr> done);
    void answer(const AskPtr& ask, MakeAnswers make, const Actor& responder, Done<Resolution> done);
    // Both places where an answer is kept.
    std::optional<Answers> take(const InteractiveKey& key);
    void drop_stale();
    void arm_timer();

    Wiring wiring_;
    std::unordered_map<Number, Waiting> waits_;
    Number next_wait_ = 1;

    std::map<InteractiveKey, Stored> stored_;
    std::map<std::uint64_t, Expiry> expiries_;  // one for each stored answer, in order of time
    std::uint64_t next_stored_ = 1;
    bool is_timer_armed_ = false;

    Lifetime alive_;
};

}  // namespace parley
