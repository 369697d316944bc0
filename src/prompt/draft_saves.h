// SPDX-License-Identifier: Apache-2.0
// When what was typed is given to the broker: a pause after typing, one draft at a time, later and
// later while it fails, not at all while the broker is away, and at once when it is back. A value;
// time is an argument.
#pragma once

#include <algorithm>
#include <optional>
#include <set>

#include "base/clock.h"
#include "parley/values.h"
#include "prompt/limits.h"

namespace parley {

class DraftSaves {
public:
    // Something was typed into it.
    void touch(AskId ask, Mono now) {
        touched_.insert(ask);
        if (!due_) due_ = now + pause_;
    }
    // The person leaves it, and may leave all of it next: no pause, unless the last try failed.
    void hurry(Mono now) {
        if (due_ && pause_ == limits::kDraftPause) due_ = now;
    }
    void connected(Mono now) {
        is_away_ = false;
        pause_ = limits::kDraftPause;
        if (!touched_.empty()) due_ = now;
    }
    void lost() { is_away_ = true; }

    // When next() has something, unless that changes before.
    std::optional<Mono> due() const {
        return is_away_ || on_its_way_ || touched_.empty() ? std::nullopt : due_;
    }
    // The one to save now, which is on its way from here on. It goes on being touched until it is
    // kept, and what is typed meanwhile is saved next.
    std::optional<AskId> next(Mono now) {
        const std::optional<Mono> due = this->due();
        if (!due || *due > now) return std::nullopt;
        on_its_way_ = *touched_.begin();
        return on_its_way_;
    }
    // `is_all`: the broker has everything that was typed into it, or will never take it.
    void kept(Mono now, bool is_all) {
        if (is_all && on_its_way_) touched_.erase(*on_its_way_);
        on_its_way_.reset();
        pause_ = limits::kDraftPause;
        due_.reset();
        if (!touched_.empty()) due_ = is_all ? now : now + pause_;
    }
    void failed(Mono now) {
        on_its_way_.reset();
        pause_ = std::min<Mono::duration>(pause_ * 2, limits::kDraftPauseMax);
        due_ = now + pause_;
    }

    const std::set<AskId>& touched() const { return touched_; }

private:
    std::set<AskId> touched_;
    std::optional<AskId> on_its_way_;
    std::optional<Mono> due_;
    Mono::duration pause_ = limits::kDraftPause;
    bool is_away_ = true;
};

}  // namespace parley
