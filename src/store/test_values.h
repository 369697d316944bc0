// SPDX-License-Identifier: Apache-2.0
// For tests of stores only: a clock that stands still, values made from a seed, and values as text,
// so that a comparison that fails shows both sides. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/ids.h"
#include "store/change.h"
#include "store/engine.h"

namespace parley {

class StillClock final : public Clock {
public:
    explicit StillClock(Instant now = Instant(std::chrono::days(20'000))) : now_(now) {}
    Instant wall() const override { return now_; }
    Mono mono() const override { return Mono(now_.time_since_epoch()); }

private:
    Instant now_;
};

struct AskNames {
    std::optional<std::string> key = {};
    std::optional<std::string> call_id = {};
    std::string asker = "tester";
};

class TestValues {
public:
    using SettlementPtr = std::shared_ptr<const Settlement>;

    explicit TestValues(std::uint64_t seed = 1, Instant start = Instant(std::chrono::days(20'000)));

    // A millisecond later at every call.
    Instant tick() { return now_ += Millis(1); }
    std::uint64_t random() { return next_random(state_); }

    SessionPtr session(std::optional<std::string> name = std::nullopt);
    // Asks are alike but for their names; `text` is the question.
    AskPtr ask(SessionId session, AskNames names = {}, std::string text = "Which database?");
    SettlementPtr settlement(Outcome outcome, std::string principal = "ada");
    EndSession end(SessionId session, std::optional<std::string> reason = std::nullopt);
    AddMessage message(SessionId session, std::string text = "Carry on.");
    AddPart part(SessionId session, std::string body = "Thinking.");
    GiveNotice notice(SessionId session, std::string text = "Done soon.");
    PutDraft draft(AskId ask, std::string text, std::string principal = "ada");
    TokenPtr token(std::string name, std::string hash);

    AskId ask_id() { return ids_.next<AskKind>(tick()); }
    SessionId session_id() { return ids_.next<SessionKind>(tick()); }

private:
    static std::uint64_t next_random(std::uint64_t& state);

    std::uint64_t state_;
    Instant now_;
    IdMaker ids_;
};

// Drafts and tokens may be read back as they stand now instead of as they were: see list_events.
enum class Detail : std::uint8_t { as_then, left_out };

std::string describe(const AskPtr& ask);
std::string describe(const SessionPtr& session);
std::string describe(const TokenPtr& token);
std::string describe(const MarkPtr& mark);
std::string describe(const Event& event, Detail detail = Detail::as_then);
std::string describe(const std::vector<EventPtr>& events, Detail detail = Detail::as_then);
std::string describe(const Snapshot& snapshot);
std::string describe(const std::vector<ChangeOutcome>& outcomes);
std::string_view to_string(Verdict verdict);

// Every list of asks there is, by state, session, asker ("ada") and order, as `list` gives it.
std::string describe_lists(const std::vector<SessionPtr>& sessions,
                           const std::function<AskPage(const AskQuery&)>& list);

}  // namespace parley
