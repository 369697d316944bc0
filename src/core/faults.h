// SPDX-License-Identifier: Apache-2.0
// The faults of one document, collected so that its author can mend all of them at once. The first
// fault at a place stands: nothing more is reported at or below it. Owned by the reader on its
// stack; bounded by limits::kFaultsMax.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "text/json.h"

namespace parley {

// What becomes of members that a reader does not know.
enum class Unknown : std::uint8_t {
    passed_over,  // documents of ours, which may be newer
    noted,        // questions from models: left out, with a warning
    refused,      // our own API: who mistypes a name is told so
};

class Faults {
public:
    explicit Faults(Unknown unknown = Unknown::passed_over) : unknown_(unknown) {}

    void add(const json::Path& at, std::string detail);

    bool empty() const { return faults_.empty(); }
    // There is one more than are named: who reads on would only cost time.
    bool is_full() const { return has_more_; }
    // Whether add_unknown() would tell anybody anything.
    bool wants_unknown() const;
    const std::vector<Fault>& list() const { return faults_; }
    // Bounded by limits::kFaultsMax too.
    const std::vector<Fault>& warnings() const { return warnings_; }
    Unknown unknown() const { return unknown_; }
    // A member that is not known, told as the reader is told to.
    void add_unknown(const json::Path& at, std::string detail);

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
    std::vector<Fault> warnings_;
    Unknown unknown_;
    bool has_more_ = false;
};

}  // namespace parley
