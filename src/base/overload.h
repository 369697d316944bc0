// SPDX-License-Identifier: Apache-2.0
// One function out of several, for std::visit: std::visit(Overload{[](A) {}, [](B) {}}, variant).
// Alternatives that share a case are named: [](const OneOf<C, D> auto&) {}. So a new alternative is
// an error of the compiler wherever somebody has to decide what it means.
#pragma once

#include <concepts>

namespace parley {

template <class... Cases>
struct Overload : Cases... {
    using Cases::operator()...;
};

template <class Case, class... Cases>
concept OneOf = (std::same_as<Case, Cases> || ...);

}  // namespace parley
