// SPDX-License-Identifier: Apache-2.0
// A JSON answer of any length, written in slices as its reader takes them, so that it never stands
// in memory as a whole. One that fits into a slice is sent with its length, as any other answer.
#pragma once

#include <string>

#include "net/co.h"
#include "net/exchange.h"
#include "net/stream.h"

namespace parley {

class SlicedReply {
public:
    explicit SlicedReply(net::Exchange exchange) : exchange_(std::move(exchange)) {}

    // The next of the document is appended here.
    std::string& text() { return text_; }
    // Enough for a slice: pause() before more is appended.
    bool is_full() const;
    // Sends a full slice and waits while its reader is behind; others have their turn meanwhile.
    // False when nobody reads any more.
    net::Co<bool> pause();
    // The document is complete.
    void finish();
    // It cannot be completed: whoever reads it must see that.
    void abort();

    net::Exchange& exchange() { return exchange_; }
    // Nothing was sent yet, and a refusal still can be.
    bool is_unsent() const { return !is_streaming_; }

private:
    net::Exchange exchange_;
    net::Stream stream_;
    std::string text_;
    bool is_streaming_ = false;
};

}  // namespace parley
