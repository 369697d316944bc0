// SPDX-License-Identifier: Apache-2.0
// A terminal that gives every key as it is pressed, and its way back. Whatever ends the program, a
// crash or a fatal signal included, puts the terminal as it was; only SIGKILL cannot. One at a time
// in a process; used on one thread.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace parley {

class RawMode {
public:
    struct Options {
        int in = 0;            // a terminal
        int out = 2;           // a terminal
        std::string on = {};   // bytes that prepare it
        std::string off = {};  // and undo that
    };

    [[nodiscard]] static Result<std::unique_ptr<RawMode>> enter(Options options);
    ~RawMode();
    RawMode(const RawMode&) = delete;
    RawMode& operator=(const RawMode&) = delete;

    // For a while: before the process stops, or another program takes the terminal.
    void leave();
    void enter_again();

private:
    struct Saved;

    explicit RawMode(Options options);

    Options options_;
    std::unique_ptr<Saved> saved_;
    bool is_raw_ = false;
};

}  // namespace parley
