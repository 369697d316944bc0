// SPDX-License-Identifier: Apache-2.0
// The enumerations of the vocabulary, read from the names that to_string writes. Pure.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/event.h"
#include "parley/values.h"

namespace parley {

// All values of an enumeration, in the order in which a message lists them.
template <class E>
inline constexpr std::array<E, 0> kAll = {};
template <>
inline constexpr std::array kAll<QuestionKind> = {QuestionKind::choice};
template <>
inline constexpr std::array kAll<Urgency> = {Urgency::low, Urgency::normal, Urgency::high};
template <>
inline constexpr std::array kAll<Outcome> = {Outcome::answered, Outcome::dismissed,
                                             Outcome::timed_out, Outcome::withdrawn};
template <>
inline constexpr std::array kAll<Decider::Kind> = {Decider::Kind::person, Decider::Kind::timer,
                                                   Decider::Kind::agent, Decider::Kind::rule};
template <>
inline constexpr std::array kAll<AskState> = {AskState::pending, AskState::answered,
                                              AskState::dismissed, AskState::timed_out,
                                              AskState::withdrawn};
template <>
inline constexpr std::array kAll<OnDismiss> = {OnDismiss::tell, OnDismiss::stop};
template <>
inline constexpr std::array kAll<Activity> = {Activity::idle, Activity::working};
template <>
inline constexpr std::array kAll<NoticeGiven::Level> = {
    NoticeGiven::Level::info, NoticeGiven::Level::warning, NoticeGiven::Level::error};
template <>
inline constexpr std::array kAll<Part::Kind> = {Part::Kind::text, Part::Kind::tool_input,
                                                Part::Kind::tool_input_error,
                                                Part::Kind::tool_output, Part::Kind::finish};

template <class E>
std::optional<E> from_name(std::string_view name) {
    static_assert(!kAll<E>.empty(), "list the values of this enumeration in kAll");
    for (const E value : kAll<E>)
        if (to_string(value) == name) return value;
    return std::nullopt;
}

}  // namespace parley
