// SPDX-License-Identifier: Apache-2.0
// The promises, checked. The oracle is told what clients did and were told, looks at what is
// durable after every step, and throws Broken with a sentence when a promise is broken.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "parley/values.h"
#include "store/engine.h"
#include "support/sim_world.h"

namespace parley::sim {

class Broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Oracle {
public:
    // Several processes over one store make ids that ascend in each, and read one clock that does
    // not step: a deadline is then what is stored, whoever hears of it late.
    explicit Oracle(const SimClock& clock, bool is_shared = false)
        : clock_(clock), is_shared_(is_shared) {}

    // Once, before anyone acts: the place before the first event.
    void begin(Cursor start) { read_up_to_ = start; }

    // What clients did.
    void submitted(AskId ask, const std::string& principal, const Answers& answers);
    void dismissal_submitted(AskId ask, const std::string& principal);
    void withdrawal_submitted(AskId ask);
    void session_stopped(SessionId session);

    // What clients were told.
    void ask_acknowledged(const Ask& ask);
    void settlement_told(const Ask& ask);  // by a reply, an event or a wait
    void draft_acknowledged(AskId ask, const std::string& principal, const Answers& answers);

    // A process starts to load now: from here the stored instants count.
    void process_starts();
    // After every step, with whatever is readable of the durable state.
    void check(Engine& durable);

    // As of the last check.
    Cursor head() const { return read_up_to_.value_or(Cursor{}); }
    const std::map<AskId, AskPtr>& durable_asks() const { return durable_; }
    const std::vector<EventPtr>& durable_events() const { return events_; }
    // Folded from the durable events.
    std::map<AskId, Instant> durable_snoozes(const std::string& principal) const;
    std::map<std::string, TokenPtr> durable_tokens() const;
    bool has_draft_promise(AskId ask, const std::string& principal) const {
        return drafts_.contains({ask, principal});
    }
    const Answers& promised_draft(AskId ask, const std::string& principal) const {
        return drafts_.at({ask, principal});
    }

private:
    struct Facts {
        bool is_acknowledged = false;
        std::shared_ptr<const Settlement> told;
        std::vector<std::pair<std::string, Answers>> submissions;
        std::set<std::string> dismissals;
        bool is_withdrawal_submitted = false;
        std::optional<Mono> not_before;  // of the deadline
    };

    void read_new_events(Engine& durable);
    void note_settlement(const Ask& ask);
    void check_decider(const Ask& ask, const Facts& facts);

    const SimClock& clock_;
    const bool is_shared_;
    std::map<AskId, Facts> facts_;
    std::map<AskId, AskPtr> durable_;  // as the durable event log says
    std::vector<EventPtr> events_;
    std::set<SessionId> stopped_;
    std::map<std::pair<AskId, std::string>, Answers> drafts_;
    std::optional<Cursor> read_up_to_;
};

}  // namespace parley::sim
