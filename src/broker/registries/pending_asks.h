// SPDX-License-Identifier: Apache-2.0
// The pending-ask map: an agent asks and is given the answers, a client resolves or rejects by
// question id. The asks are the broker's own and durable; this adds the deadline that such clients
// expect and the words in which they are refused. Lives on the broker's executor and must not
// outlive the broker; once it is gone, nobody who asked through it is told anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/executor.h"
#include "base/lifetime.h"
#include "broker/broker.h"
#include "broker/limits.h"

namespace parley {

class PendingAsks {
public:
    static constexpr std::string_view kTimeoutText = "Ask timeout";
    static constexpr std::string_view kUnknownText = "Question not found or already answered";

    struct Wiring {
        Executor& home;  // the broker's
        LoopBroker& broker;
    };

    explicit PendingAsks(Wiring wiring, Millis timeout = limits::kAskTimeoutDefault)
        : wiring_(wiring), timeout_(timeout) {}

    // `opened` gives the ask whose id is the question id, once it is durable; then `done` gives the
    // answers, or an Error: timed_out after the deadline, conflict when it was dismissed or
    // withdrawn. One that cannot be opened has only its `done` called. An ask without a timeout of
    // its own gets this map's.
    void ask(AskRequest request, const Actor& agent, UniqueFunction<void(const AskPtr&)> opened,
             Done<Answers> done);

    // Whoever asked, in this process or an earlier one. not_found unless the question is pending;
    // an invalid answer leaves it pending.
    void resolve(std::string_view question_id, Answers answers, const Actor& responder,
                 Done<void> done);
    void reject(std::string_view question_id, std::optional<std::string> reason,
                const Actor& responder, Done<void> done);

    // What the asker of a settled ask is given: its answers, or the Error of `ask`.
    [[nodiscard]] static Result<Answers> answers_of(const Ask& ask);

    // Those that wait here for their answers.
    std::size_t size() const { return waits_.size(); }

private:
    struct Waiting {
        Done<Answers> done;
        Wait wait = {};
    };

    void wait(const AskPtr& ask, Done<Answers> done);
    // The question's id if it is pending; else `done` is refused.
    std::optional<AskId> find(std::string_view question_id, Done<void>& done);

    Wiring wiring_;
    Millis timeout_;
    std::unordered_map<std::uint64_t, Waiting> waits_;
    std::uint64_t next_wait_ = 1;
    Lifetime alive_;
};

}  // namespace parley
