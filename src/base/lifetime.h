// SPDX-License-Identifier: Apache-2.0
// How a callback knows whether the object that it was made for is still there. An object has one as
// its last member, so that it ends before the others do, and gives callbacks away through guard().
// Belongs to the object's thread, and so do the callbacks.
#pragma once

#include <memory>
#include <utility>

namespace parley {

class Lifetime {
public:
    Lifetime() = default;
    Lifetime(const Lifetime&) = delete;
    Lifetime& operator=(const Lifetime&) = delete;

    // Does what `callback` does as long as this is there, and nothing afterwards.
    template <class Callback>
    auto guard(Callback callback) const {
        return [end = watch(), callback = std::move(callback)](auto&&... values) mutable {
            if (!end.expired()) callback(std::forward<decltype(values)>(values)...);
        };
    }

    // For who must know in the middle of something, or has others to tell: expired() once this is
    // gone.
    std::weak_ptr<const void> watch() const { return mark_; }

    // Ends early what guard() gave away.
    void end() { mark_.reset(); }

private:
    std::shared_ptr<const char> mark_ = std::make_shared<const char>();
};

}  // namespace parley
