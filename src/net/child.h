// SPDX-License-Identifier: Apache-2.0
// A child process: started in a process group of its own, its pipes read by lines and written with
// back-pressure, its end awaited, its whole group stopped by TERM and then KILL. Belongs to the
// loop's thread. Inherits none of our descriptors and none of our signal settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/co.h"
#include "net/limits.h"
#include "net/loop.h"
#include "parley/values.h"
#include "text/limits.h"

namespace parley::net {

enum class Stdio : std::uint8_t { pipe, inherit, null };

struct ChildOptions {
    std::vector<std::string> argv;  // the program is looked for in PATH
    // "NAME=value", the whole environment; none = ours.
    std::optional<std::vector<std::string>> environment = {};
    std::string folder = {};  // to start in; "" = ours
    Stdio input = Stdio::null;
    Stdio output = Stdio::pipe;
    Stdio errors = Stdio::inherit;
    std::size_t line_bytes_max = limits::kChildLineBytes;
};

struct ExitStatus {
    int code = 0;    // when it exited by itself
    int signal = 0;  // when a signal ended it

    bool ok() const { return code == 0 && signal == 0; }
    std::string str() const;  // "exit status 3", "killed by signal 9 (Killed)"
};

class Child {
public:
    // The Error names the program and says why it could not be started.
    [[nodiscard]] static Result<Child> spawn(Loop& loop, ChildOptions options);
    Child(Child&&) noexcept;
    Child& operator=(Child&&) noexcept;
    // Kills the group if the child still runs.
    ~Child();

    bool is_running() const;

    // The next line of its output or errors, without the line break; nothing at the end. Fails on a
    // line over the limit. One reader each at a time.
    [[nodiscard]] Co<Result<std::optional<std::string>>> read_line();
    [[nodiscard]] Co<Result<std::optional<std::string>>> read_error_line();

    // Returns when the pipe has taken all of it. One writer at a time. Fails when the child reads
    // no more.
    [[nodiscard]] Co<Result<void>> write(std::string bytes);
    void close_input();

    // Until it has ended; at once if it has. Its pipes may still hold output.
    [[nodiscard]] Co<ExitStatus> wait();

    // TERM to the group, KILL to what is left of it after the grace. The end is told by wait().
    void terminate(Millis grace = limits::kChildGrace);

private:
    struct State;
    explicit Child(std::shared_ptr<State> state);

    std::shared_ptr<State> state_;
};

}  // namespace parley::net
