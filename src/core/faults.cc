// SPDX-License-Identifier: Apache-2.0
#include "core/faults.h"

#include <algorithm>

#include "base/assert.h"
#include "core/limits.h"

namespace parley {

namespace {

bool is_at_or_below(std::string_view path, std::string_view place) {
    return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

}  // namespace

void Faults::add(const json::Path& at, std::string detail) {
    std::string path = at.str();
    const auto covers = [&](const Fault& fault) { return is_at_or_below(path, fault.path); };
    if (std::ranges::any_of(faults_, covers)) return;
    if (faults_.size() == limits::kFaultsMax) {
        has_more_ = true;
        return;
    }
    faults_.push_back({std::move(path), std::move(detail)});
}

bool Faults::wants_unknown() const {
    switch (unknown_) {
        case Unknown::passed_over: return false;
        case Unknown::noted: return warnings_.size() < limits::kFaultsMax;
        case Unknown::refused: return !is_full();
    }
    return false;
}

void Faults::add_unknown(const json::Path& at, std::string detail) {
    if (unknown_ == Unknown::refused) return add(at, std::move(detail));
    if (unknown_ == Unknown::noted && wants_unknown())
        warnings_.push_back({at.str(), std::move(detail)});
}

Rejection Faults::reject() && {
    ASSERT(!faults_.empty());
    Error error;
    error.code = ErrorCode::invalid;
    const Fault& first = faults_.front();
    if (faults_.size() == 1) {
        error.message = first.detail;
    } else {
        error.message =
            fmt::format("{}{} faults; the first, at {}: {}", has_more_ ? "more than " : "",
                        faults_.size(), first.path.empty() ? "the top" : first.path, first.detail);
    }
    error.faults = std::move(faults_);
    return parley::reject(std::move(error));
}

}  // namespace parley
