// SPDX-License-Identifier: Apache-2.0
// Work that takes a while: how far it has come, on a terminal, and Ctrl-C, which ends it in order.
// One at a time in a process; on the main thread.
#pragma once

#include <string>
#include <string_view>

#include "app/command_line/console.h"
#include "base/clock.h"
#include "base/result.h"
#include "store/archive/lines.h"

namespace parley::app {

class LongWork {
public:
    // From here on SIGINT, SIGTERM and SIGHUP only say that it shall end; as before when it goes.
    explicit LongWork(Console& console);
    ~LongWork();
    LongWork(const LongWork&) = delete;
    LongWork& operator=(const LongWork&) = delete;

    // `interrupted` once it shall end.
    [[nodiscard]] static Result<void> go_on();
    // The same; `words` replace those before them, a few times a second.
    [[nodiscard]] Result<void> tell(std::string_view words);
    [[nodiscard]] Result<void> tell_rows(std::string_view verb, const ArchiveCounts& counts);
    // Takes the line away, so that something else can be said.
    void clear();

private:
    bool is_due();

    Console& console_;
    SystemClock clock_;
    Mono last_;
    bool has_line_ = false;
};

}  // namespace parley::app
