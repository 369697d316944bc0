// SPDX-License-Identifier: Apache-2.0
#include "core/weight.h"

#include <string>
#include <variant>

namespace parley {

namespace {

constexpr std::size_t kObject = 64;  // beside its texts

std::size_t weight_of(const std::optional<std::string>& text) {
    return text ? text->size() : 0;
}

std::size_t weight_of(const Question& question) {
    std::size_t sum = kObject + question.text.size() + question.header.size();
    for (const Option& option : question.options) {
        sum += kObject + option.label.size() + option.description.size();
        sum += weight_of(option.preview);
    }
    return sum;
}

struct BodyWeight {
    std::size_t operator()(const AskOpened& body) const { return weight_of(*body.ask); }
    std::size_t operator()(const AskSettled& body) const { return weight_of(*body.ask); }
    std::size_t operator()(const DraftChanged& body) const { return weight_of(*body.draft); }
    std::size_t operator()(const SnoozeChanged& body) const { return body.principal.size(); }
    std::size_t operator()(const SessionCreated& body) const { return weight_of(*body.session); }
    std::size_t operator()(const SessionChanged& body) const { return weight_of(*body.session); }
    std::size_t operator()(const SessionEnded& body) const {
        return weight_of(*body.session) + (body.reason ? body.reason->size() : 0);
    }
    std::size_t operator()(const PartAdded& body) const {
        return body.part->body.size() + body.part->tool.size();
    }
    std::size_t operator()(const MessageAdded& body) const { return parley::weight_of(body); }
    std::size_t operator()(const MessagesTaken&) const { return 0; }
    std::size_t operator()(const NoticeGiven& body) const { return body.text.size(); }
    std::size_t operator()(const AgentRevoked& body) const { return body.principal.size(); }
    std::size_t operator()(const TokenChanged& body) const { return kObject + body.name.size(); }
};

}  // namespace

std::size_t weight_of(const Answers& answers) {
    std::size_t sum = 0;
    for (const Answer& answer : answers) {
        sum += kObject + weight_of(answer.other) + weight_of(answer.note);
        for (const std::string& label : answer.selected) sum += kObject + label.size();
    }
    return sum;
}

std::size_t weight_of(const Draft& draft) {
    return kObject + draft.device.size() + weight_of(draft.answers);
}

std::size_t weight_of(const Ask& ask) {
    const AskSpec& spec = *ask.spec;
    std::size_t sum = 4 * kObject + weight_of(spec.context) + weight_of(spec.key);
    for (const Question& question : spec.questions) sum += weight_of(question);
    if (spec.permission) {
        const PermissionRequest& request = *spec.permission;
        sum += kObject + request.tool.size() + request.input.size() + request.summary.size();
        sum += weight_of(request.diff) + weight_of(request.plan);
    }
    if (spec.default_answers) sum += weight_of(*spec.default_answers);
    if (ask.settlement)
        sum += kObject + weight_of(ask.settlement->answers) + weight_of(ask.settlement->note);
    return sum;
}

std::size_t weight_of(const Session& session) {
    return 8 * kObject + weight_of(session.name) + weight_of(session.title) +
           weight_of(session.agent) + weight_of(session.directory);
}

std::size_t weight_of(const MessageAdded& message) {
    return kObject + message.text.size();
}

std::size_t weight_of(const PartDelta& delta) {
    return 2 * kObject + delta.text.size() + delta.tool.size();
}

std::size_t weight_of(const Event& event) {
    return 2 * kObject + std::visit(BodyWeight{}, event.body);
}

}  // namespace parley
