// SPDX-License-Identifier: Apache-2.0
// The faults of one document, collected so that its author can mend all of them at once. The first
// fault at a place stands: nothing more is reported at or below it. Owned by the reader on its
// stack; bounded by limits::kFaultsMax.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "text/json.h"

namespace parley {

class Faults {
public:
    void add(const json::Path& at, std::string detail);

    bool empty() const { return faults_.empty(); }
    const std::vector<Fault>& list() const { return faults_; }

    // All of it as one Error; there must be a fault.
    [[nodiscard]] Rejection reject() &&;

    // `value` if nothing is wrong, else the faults.
    template <class T>
    [[nodiscard]] Result<T> give(T value) && {
        if (!empty()) return std::move(*this).reject();
        return value;
    }

private:
    std::vector<Fault> faults_;
    bool has_more_ = false;
};

}  // namespace parley
