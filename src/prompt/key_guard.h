// SPDX-License-Identifier: Apache-2.0
// Keeps a key that was meant for the last picture from acting on this one: what has only just come
// up takes no key that settles, and a key that is held down acts once. A value; time is an
// argument.
#pragma once

#include <optional>

#include "base/clock.h"
#include "prompt/limits.h"
#include "term/key.h"

namespace parley {

class KeyGuard {
public:
    // Something else stands on the screen from now on.
    void appeared(Mono now) { appeared_at_ = now; }
    // This key brought that about.
    void used(const Key& key, Mono now) { held_ = Held{key, now}; }

    // Another key between two presses shows that the first one has ended.
    void let_go() { held_.reset(); }

    bool is_too_soon(Mono now) const {
        return appeared_at_ && now - *appeared_at_ < limits::kStrayKeyGuard;
    }
    // Whether the key is still the press that was used. Each repeat of it starts the pause anew, so
    // this is asked once for every key.
    bool is_held(const Key& key, Mono now) {
        if (!held_ || held_->key != key) return false;
        if (now - held_->at >= limits::kHeldKeyPause) {
            held_.reset();
            return false;
        }
        held_->at = now;
        return true;
    }

private:
    struct Held {
        Key key;
        Mono at;
    };

    std::optional<Mono> appeared_at_ = {};
    std::optional<Held> held_ = {};
};

}  // namespace parley
