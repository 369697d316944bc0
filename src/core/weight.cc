// SPDX-License-Identifier: Apache-2.0
#include "core/weight.h"

#include <string>
#include <variant>
#include <vector>

namespace parley {

namespace {

constexpr std::size_t kBlock = 16;           // what the allocator adds to a block
constexpr std::size_t kShared = 2 * kBlock;  // a block with the counts of a shared_ptr
constexpr std::size_t kPlace = 80;           // in a map by id
// What a text holds without a block of its own. Not in the function: every call would look whether
// it is made already.
const std::size_t kInPlace = std::string().capacity();

// Beside the object itself.
std::size_t held_by(const std::string& text) {
    return text.size() <= kInPlace ? 0 : text.size() + 1 + kBlock;
}

std::size_t held_by(const std::optional<std::string>& text) {
    return text ? held_by(*text) : 0;
}

std::size_t held_by(const Option& option) {
    return held_by(option.label) + held_by(option.description) + held_by(option.preview);
}

std::size_t held_by(const Question& question);
std::size_t held_by(const Answer& answer);

template <class T>
std::size_t held_by(const std::vector<T>& list) {
    std::size_t sum = list.empty() ? 0 : list.size() * sizeof(T) + kBlock;
    for (const T& each : list) sum += held_by(each);
    return sum;
}

std::size_t held_by(const Question& question) {
    return held_by(question.text) + held_by(question.header) + held_by(question.options) +
           (question.preset->is_empty() ? 0 : kBlock + sizeof(Answer) + held_by(*question.preset));
}

std::size_t held_by(const Answer& answer) {
    return held_by(answer.selected) + held_by(answer.other) + held_by(answer.note);
}

std::size_t held_by(const PermissionRequest& request) {
    return held_by(request.tool) + held_by(request.input) + held_by(request.diff) +
           held_by(request.plan) + held_by(request.summary);
}

std::size_t held_by(const Decider& decider) {
    return held_by(decider.principal) + held_by(decider.name) + held_by(decider.claimed);
}

std::size_t held_by(const AskSpec& spec) {
    std::size_t sum = held_by(spec.questions) + held_by(spec.context) + held_by(spec.key) +
                      held_by(spec.agent) + held_by(spec.asker);
    if (spec.tool) sum += held_by(spec.tool->message_id) + held_by(spec.tool->call_id);
    if (spec.permission) sum += held_by(*spec.permission);
    if (spec.default_answers) sum += held_by(*spec.default_answers);
    return sum;
}

std::size_t held_by(const Settlement& settlement) {
    return held_by(settlement.answers) + held_by(settlement.decider) + held_by(settlement.door) +
           held_by(settlement.note);
}

struct BodyWeight {
    std::size_t operator()(const AskOpened& body) const { return weight_of(*body.ask); }
    std::size_t operator()(const AskSettled& body) const { return weight_of(*body.ask); }
    std::size_t operator()(const DraftChanged& body) const {
        return weight_of(*body.draft) + held_by(body.principal);
    }
    std::size_t operator()(const SnoozeChanged& body) const { return held_by(body.principal); }
    std::size_t operator()(const SessionCreated& body) const { return weight_of(*body.session); }
    std::size_t operator()(const SessionChanged& body) const { return weight_of(*body.session); }
    std::size_t operator()(const SessionEnded& body) const {
        return weight_of(*body.session) + held_by(body.reason);
    }
    std::size_t operator()(const PartAdded& body) const { return weight_of(*body.part); }
    std::size_t operator()(const MessageAdded& body) const {
        return held_by(body.text) + held_by(body.by);
    }
    std::size_t operator()(const MessagesTaken&) const { return 0; }
    std::size_t operator()(const NoticeGiven& body) const {
        return held_by(body.text) + held_by(body.by);
    }
    std::size_t operator()(const AgentRevoked& body) const { return held_by(body.principal); }
    std::size_t operator()(const ContentDeleted& body) const { return held_by(body.asker); }
    std::size_t operator()(const TokenChanged& body) const { return kPlace + held_by(body.name); }
    std::size_t operator()(const MarkChanged& body) const {
        const std::size_t mark = body.mark ? weight_of(*body.mark) : 0;
        return held_by(body.key) + mark;
    }
};

}  // namespace

std::size_t weight_of(const Answers& answers) {
    return held_by(answers);
}

std::size_t weight_of(const Draft& draft) {
    return kPlace + kShared + sizeof(Draft) + held_by(draft.device) + held_by(draft.answers);
}

// With the object itself, in a block of its own.
std::size_t SharedSpec::weigh(const AskSpec& spec) {
    return kShared + sizeof(AskSpec) + held_by(spec);
}

// It is looked up by its id and by its session.
std::size_t weight_of(const Ask& ask) {
    std::size_t sum = 2 * kPlace + kShared + sizeof(Ask) + ask.spec.bytes();
    if (ask.settlement) sum += kShared + sizeof(Settlement) + held_by(*ask.settlement);
    return sum;
}

// It is looked up by its id and by its name.
std::size_t weight_of(const Session& session) {
    return 3 * kPlace + kShared + sizeof(Session) + 2 * held_by(session.name) +
           held_by(session.title) + held_by(session.owner) + held_by(session.agent) +
           held_by(session.directory);
}

std::size_t weight_of(const MessageAdded& message) {
    return kPlace + sizeof(MessageAdded) + held_by(message.text) + held_by(message.by);
}

std::size_t weight_of(const Part& part) {
    return kShared + sizeof(Part) + held_by(part.part_id) + held_by(part.tool) + held_by(part.body);
}

std::size_t weight_of(const PartDelta& delta) {
    return kShared + sizeof(PartDelta) + held_by(delta.part_id) + held_by(delta.tool) +
           held_by(delta.text);
}

// It is looked up by its key and by when it runs out.
std::size_t weight_of(const Mark& mark) {
    return 2 * kPlace + kShared + sizeof(Mark) + 3 * held_by(mark.key) + held_by(mark.value);
}

std::size_t weight_of(const Event& event) {
    return kShared + sizeof(Event) + std::visit(BodyWeight{}, event.body);
}

}  // namespace parley
