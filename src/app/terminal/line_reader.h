// SPDX-License-Identifier: Apache-2.0
// Lines from a file descriptor, of whatever kind, one when asked for. Reading blocks a thread of
// its own; the line is handed over on the executor that was given. Owned and used on that
// executor's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/limits.h"
#include "base/executor.h"
#include "base/loop_thread.h"

namespace parley::app {

class LineReader {
public:
    // Neither owns `fd` nor outlives `home`.
    LineReader(int fd, Executor& home, std::size_t line_bytes_max = limits::kInputLineBytes);
    // Ends a read that is under way; its callback is not called any more.
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    // The next line without its newline; nullopt when there is none any more. A line is cut after
    // `line_bytes_max`. One call at a time.
    using GotLine = UniqueFunction<void(std::optional<std::string>)>;
    void next(GotLine got);

private:
    class Source;

    Executor& home_;
    std::shared_ptr<Source> source_;
    LoopThread thread_;  // last, so that it ends first
};

}  // namespace parley::app
