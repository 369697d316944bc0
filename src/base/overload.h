// SPDX-License-Identifier: Apache-2.0
// One function out of several, for std::visit: std::visit(Overload{[](A) {}, [](B) {}}, variant).
#pragma once

namespace parley {

template <class... Cases>
struct Overload : Cases... {
    using Cases::operator()...;
};

}  // namespace parley
