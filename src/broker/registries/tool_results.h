// SPDX-License-Identifier: Apache-2.0
// The meeting place of tool results: whoever sees a result publishes it under its call id, and
// whoever needs it waits for it, in either order. Results that nobody waits for yet are kept up to
// a bound, of which the least recently used goes first. Lives on one executor. When it goes, those
// who wait are told `interrupted`.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "broker/limits.h"

namespace parley {

struct PublishedResult {
    std::string tool;
    std::string output;  // JSON text

    bool operator==(const PublishedResult&) const = default;
};

using PublishedResultPtr = std::shared_ptr<const PublishedResult>;

class ToolResults {
public:
    struct Wiring {
        Executor& home;
        const Clock& clock;
    };
    using Told = UniqueFunction<void(Result<PublishedResultPtr>)>;
    // Names one wait, to give it up.
    using Number = std::uint64_t;

    explicit ToolResults(Wiring wiring) : wiring_(wiring) {}
    ~ToolResults();
    ToolResults(const ToolResults&) = delete;
    ToolResults& operator=(const ToolResults&) = delete;

    // Told to all who wait for that call and kept for those who come later. False if a result of
    // that call is kept already: the first one stands.
    bool publish(const std::string& call_id, PublishedResult result);

    struct WaitOptions {
        // Nullopt waits as long as it takes. After it, the wait ends with `timed_out`.
        std::optional<Millis> timeout = limits::kToolResultWait;
    };
    // `told` is called once, never inside this call. Over kToolResultWaitersMax it is refused.
    Number wait_for(const std::string& call_id, WaitOptions options, Told told);
    Number wait_for(const std::string& call_id, Told told) {
        return wait_for(call_id, WaitOptions(), std::move(told));
    }
    // Ends the wait with `interrupted`.
    void give_up(Number number);

private:
    struct Kept {
        std::string call_id;
        PublishedResultPtr result;
    };
    struct Waiter {
        std::string call_id;
        Told told;
    };

    PublishedResultPtr use(const std::string& call_id);
    void keep(const std::string& call_id, PublishedResultPtr result);
    void tell(Told told, Result<PublishedResultPtr> result);
    void end(Number number, Error error);

    Wiring wiring_;
    std::list<Kept> kept_;  // the most recently used first
    std::unordered_map<std::string, std::list<Kept>::iterator> kept_by_call_;
    std::unordered_map<Number, Waiter> waiters_;
    std::unordered_multimap<std::string, Number> waiting_for_;
    Number next_number_ = 1;
    Lifetime alive_;
};

}  // namespace parley
