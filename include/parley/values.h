// SPDX-License-Identifier: Apache-2.0
// The vocabulary as plain values: questions, answers, asks, settlements, sessions. These types are
// what every layer, every door and an embedding program share; the rules over them are in src/core.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parley/ids.h"

namespace parley {

// Wall-clock time. It may step; what must not fire early is measured on the monotonic clock.
using Instant = std::chrono::sys_time<std::chrono::milliseconds>;
using Millis = std::chrono::milliseconds;

struct Option {
    std::string label;
    std::string description;
    std::optional<std::string> preview = {};

    bool operator==(const Option&) const = default;
};

// The answer to one question. All three empty means "unanswered".
struct Answer {
    std::vector<std::string> selected = {};
    std::optional<std::string> other = {};
    std::optional<std::string> note = {};

    bool is_empty() const { return selected.empty() && !other && !note; }
    bool operator==(const Answer&) const = default;
};

// A value that is nearly always T(), which then takes the room of a pointer and no more.
template <class T>
class Rare {
public:
    Rare() = default;
    Rare(T value)  // NOLINT(google-explicit-constructor): it is that value
        : value_(value == kUsual ? nullptr : std::make_unique<T>(std::move(value))) {}
    Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other) : nullptr) {}
    Rare(Rare&&) noexcept = default;
    Rare& operator=(const Rare& other) {
        *this = Rare(other);
        return *this;
    }
    Rare& operator=(Rare&&) noexcept = default;
    ~Rare() = default;

    const T& operator*() const { return value_ ? *value_ : kUsual; }
    const T* operator->() const { return &**this; }
    bool operator==(const Rare& other) const { return **this == *other; }

private:
    inline static const T kUsual = {};

    std::unique_ptr<T> value_;
};

// What a question is, as a row of core/question_kinds.h says it.
enum class QuestionKind : std::uint8_t {
    choice,  // of options, of a text of one's own, or of both
};

struct Question {
    std::string text;
    std::string header;
    std::vector<Option> options;
    bool multi_select = false;
    bool custom = true;  // free text is allowed
    QuestionKind kind = QuestionKind::choice;

    // What the asker wants of the answer.
    std::optional<bool> required = {};  // absent: whether it may be empty is the door's own rule
    std::optional<int> min = {};        // number of choices, free text counted as one
    std::optional<int> max = {};
    // What a front marks beforehand; nobody's answer until a person sends it.
    Rare<Answer> preset = {};

    bool operator==(const Question&) const = default;
};

using Answers = std::vector<Answer>;  // in question order

// A responder's unsent answers. They are a person's, on all their devices; `version` ascends with
// every change, so that nobody overwrites what they have not seen. One without answers was dropped.
struct Draft {
    Answers answers = {};
    std::string device = {};  // which of the person's devices wrote it
    std::uint64_t version = 0;

    bool is_dropped() const { return answers.empty(); }
    bool operator==(const Draft&) const = default;
};

using DraftPtr = std::shared_ptr<const Draft>;

// The tool call that an ask came from, in the agent's own names.
struct ToolCall {
    std::string message_id;
    std::string call_id;

    bool operator==(const ToolCall&) const = default;
};

// What a tool would do if it is allowed: an ask that permits something says so as data, so that
// every front can show it where it is decided.
struct PermissionRequest {
    std::string tool;
    std::string input = {};                // the tool's whole input, as JSON text
    std::optional<std::string> diff = {};  // unified: what an edit would change
    std::optional<std::string> plan = {};  // markdown: what a plan would do
    std::string summary = {};  // one line of plain text, made by core: the command, the path, …

    bool operator==(const PermissionRequest&) const = default;
};

enum class Urgency : std::uint8_t { low, normal, high };

// What the asker said. Nothing in it changes once the ask exists, so all copies of an ask share it;
// but where its content was deleted, another stands in its place.
struct AskSpec {
    std::vector<Question> questions;
    std::optional<std::string> context = {};  // markdown shown beside the questions
    std::optional<std::string> key = {};      // makes a retry the same ask, within its session
    std::optional<ToolCall> tool = {};
    std::optional<PermissionRequest> permission = {};
    std::optional<std::string> agent = {};  // the asker's name for itself
    std::string asker = {};                 // the principal that asked, as authenticated
    Urgency urgency = Urgency::normal;
    bool dismissible = true;
    std::optional<Millis> timeout = {};
    // What the timer answers. Absent: the outcome at the deadline is timed_out.
    std::optional<Answers> default_answers = {};
    // Since when no text of the asker's and of who answered is there any more.
    std::optional<Instant> content_deleted_at = {};

    bool operator==(const AskSpec&) const = default;
};

// An ask's spec as all copies of the ask share it, with what it weighs (core/weight.h): every bound
// in bytes asks for that, so it is counted once, here.
class SharedSpec {
public:
    SharedSpec() = default;
    template <std::convertible_to<const AskSpec> Spec>
    SharedSpec(std::shared_ptr<Spec> spec)  // NOLINT(google-explicit-constructor)
        : spec_(std::move(spec)), bytes_(spec_ ? weigh(*spec_) : 0) {}

    const AskSpec& operator*() const { return *spec_; }
    const AskSpec* operator->() const { return spec_.get(); }
    explicit operator bool() const { return spec_ != nullptr; }
    // NOLINTNEXTLINE(google-explicit-constructor): it is one, for who keeps only the spec.
    operator const std::shared_ptr<const AskSpec>&() const { return spec_; }
    std::size_t bytes() const { return bytes_; }

    // The same spec, not an equal one.
    bool operator==(const SharedSpec&) const = default;

private:
    static std::size_t weigh(const AskSpec& spec);

    std::shared_ptr<const AskSpec> spec_;
    std::size_t bytes_ = 0;
};

enum class Outcome : std::uint8_t { answered, dismissed, timed_out, withdrawn };

struct Decider {
    enum class Kind : std::uint8_t { person, timer, agent, rule };

    Kind kind = Kind::person;
    std::string principal = {};               // the stable key: a token's principal, or uid:N
    std::optional<std::string> name = {};     // the authenticated name that people are shown
    std::optional<std::string> claimed = {};  // what `by` said, where it differs
    std::optional<std::uint32_t> uid = {};    // of the local socket's peer
    std::optional<std::uint32_t> pid = {};

    bool operator==(const Decider&) const = default;
};

struct Settlement {
    Outcome outcome = Outcome::answered;
    Answers answers = {};  // only when answered
    Decider decider = {};
    std::string door = {};
    Instant at = {};
    std::optional<std::string> note = {};  // the reason for a dismissal or withdrawal

    bool operator==(const Settlement&) const = default;
};

enum class AskState : std::uint8_t { pending, answered, dismissed, timed_out, withdrawn };

struct Ask {
    AskId id;
    SessionId session;
    SharedSpec spec;
    Instant created_at = {};
    std::optional<Instant> deadline = {};
    std::shared_ptr<const Settlement> settlement = {};  // null while pending
    // While pending: the agent that asked has no token any more, so nobody waits for the answer.
    // Known to the broker, not stored.
    bool is_asker_revoked = false;

    bool is_pending() const { return settlement == nullptr; }
    AskState state() const {
        if (!settlement) return AskState::pending;
        switch (settlement->outcome) {
            case Outcome::answered: return AskState::answered;
            case Outcome::dismissed: return AskState::dismissed;
            case Outcome::timed_out: return AskState::timed_out;
            case Outcome::withdrawn: return AskState::withdrawn;
        }
        return AskState::withdrawn;
    }
};

using AskPtr = std::shared_ptr<const Ask>;

enum class OnDismiss : std::uint8_t { tell, stop };

// What the agent of a session says it is doing. "Waiting" is not stored: a session waits while it
// has pending asks.
enum class Activity : std::uint8_t { idle, working };

struct Session {
    SessionId id;
    std::optional<std::string> name = {};  // the client's own name for it
    std::optional<std::string> title = {};
    std::optional<SessionId> parent = {};
    std::string owner = {};  // the agent's principal that it belongs to; empty: no agent's yet
    std::optional<std::string> agent = {};
    std::optional<std::string> directory =
        {};  // where the agent works; none: nowhere in particular
    OnDismiss on_dismiss = OnDismiss::tell;
    Activity activity = Activity::idle;
    // The deadline of asks that bring none of their own; absent: they wait for ever.
    std::optional<Millis> ask_timeout = {};
    Instant created_at = {};
    std::optional<Instant> ended_at = {};

    bool operator==(const Session&) const = default;
};

using SessionPtr = std::shared_ptr<const Session>;

std::string_view to_string(QuestionKind kind);
std::string_view to_string(Urgency urgency);
std::string_view to_string(Outcome outcome);
std::string_view to_string(Decider::Kind kind);
std::string_view to_string(AskState state);
std::string_view to_string(OnDismiss policy);
std::string_view to_string(Activity activity);

}  // namespace parley
