// SPDX-License-Identifier: Apache-2.0
// What peers make a server hold, counted over all of them: requests that arrive, messages that are
// put together, output that nobody has taken yet. Belongs to the loop's thread.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace parley::net {

struct HeldTotal {
    std::size_t bytes = 0;
    std::size_t bytes_max = 0;

    bool is_full() const { return bytes > bytes_max; }
};

// The part of one connection or socket; given back with it. Without a total nothing is counted: a
// client's own connections are nobody's attack.
class HeldBytes {
public:
    explicit HeldBytes(std::shared_ptr<HeldTotal> total = {}) : total_(std::move(total)) {}
    ~HeldBytes() { set(0); }
    HeldBytes(const HeldBytes&) = delete;
    HeldBytes& operator=(const HeldBytes&) = delete;

    void set(std::size_t bytes) {
        if (total_) total_->bytes = total_->bytes - bytes_ + bytes;
        bytes_ = bytes;
    }
    std::size_t bytes() const { return bytes_; }
    bool is_full() const { return total_ && total_->is_full(); }

private:
    std::shared_ptr<HeldTotal> total_;
    std::size_t bytes_ = 0;
};

}  // namespace parley::net
