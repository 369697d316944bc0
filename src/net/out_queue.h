// SPDX-License-Identifier: Apache-2.0
// Bytes on their way to one peer, in order: small ones copied together, large or shared ones by
// reference. Gathers what one system call can take. Belongs to one connection.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/response.h"

namespace parley::net {

class OutQueue {
public:
    bool empty() const { return bytes_ == 0; }
    std::size_t bytes() const { return bytes_; }
    // What it keeps in memory for that: of a body all, until its last byte is gone.
    std::size_t held() const { return held_; }

    void copy(std::string_view bytes);
    // `part` lies inside `owner`.
    void share(SharedText owner, std::string_view part);
    void body(Body body);
    // To write straight into the queue: append to the text, then say by how much it grew.
    std::string& open() { return copied_; }
    void grown(std::size_t bytes);

    // Fills `parts` from the front; how many were filled.
    std::size_t gather(std::span<iovec> parts) const;
    void consume(std::size_t bytes);
    void clear();
    // Gives memory back that an idle connection has no use for.
    void release_if_empty();

private:
    struct Segment {
        SharedText owner;            // may be null: a literal, or bytes of copied_
        const char* data = nullptr;  // null: the next `size` bytes of copied_
        std::size_t size = 0;
        std::size_t owned = 0;  // of a body that is nobody else's: what it takes, sent or not
    };

    void push(Segment segment);

    std::vector<Segment> segments_;
    std::size_t first_ = 0;
    std::string copied_;
    std::size_t copied_start_ = 0;
    std::size_t bytes_ = 0;
    std::size_t held_ = 0;
};

}  // namespace parley::net
