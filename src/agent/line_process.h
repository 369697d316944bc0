// SPDX-License-Identifier: Apache-2.0
// An agent's program as a child that is driven over its standard streams: lines out in the order in
// which they were given, lines in one by one, and its end with its last words. Belongs to the
// loop's thread.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/child.h"
#include "net/loop.h"

namespace parley {

class LineProcess {
public:
    class Listener {
    public:
        virtual ~Listener() = default;
        // Whether it is a line of the protocol; what is not is meant for people.
        virtual bool on_line(const std::string& line) = 0;
        // A line of its standard error, as it comes.
        virtual void on_error_line(const std::string&) {}
        // After its last line. `words` are the last lines that were meant for people.
        virtual void on_exit(net::ExitStatus status, std::vector<std::string> words) = 0;
    };

    // The listener must outlive the process.
    [[nodiscard]] static Result<std::unique_ptr<LineProcess>> start(net::Loop& loop,
                                                                    net::ChildOptions options,
                                                                    Listener& listener);
    // Kills it if it still runs. The listener is told nothing any more.
    ~LineProcess();

    void send(std::string line);
    // No more is sent; it ends when it has done what it was given.
    void close_input();
    void stop();

private:
    struct State;
    explicit LineProcess(std::shared_ptr<State> state);

    std::shared_ptr<State> state_;
};

}  // namespace parley
