// SPDX-License-Identifier: Apache-2.0
#include "net/program_run.h"

#include <memory>
#include <utility>

namespace parley::net {

namespace {

struct Running {
    Running(Child started, UniqueFunction<void(Result<ProgramEnd>)> told)
        : child(std::move(started)), ended(std::move(told)) {}

    // Once: what it left in the background may hold its errors open for ever.
    void tell() {
        if (ended) std::exchange(ended, nullptr)(std::move(end));
    }

    Child child;
    UniqueFunction<void(Result<ProgramEnd>)> ended;
    ProgramEnd end;
    bool has_exited = false;
    bool is_read = false;
};

using RunningPtr = std::shared_ptr<Running>;

// One that does not read what it is given loses nothing but that.
Co<void> give_input(RunningPtr running, std::string input) {
    (void)co_await running->child.write(std::move(input));
    running->child.close_input();
}

Co<void> read_errors(RunningPtr running) {
    while (true) {
        auto line = co_await running->child.read_error_line();
        if (!line || !*line) break;
        if (running->end.complaint.empty()) running->end.complaint = std::move(**line);
    }
    running->is_read = true;
    if (running->has_exited) running->tell();
}

Co<void> wait_for_end(RunningPtr running, Loop* loop, Millis last_words) {
    running->end.status = co_await running->child.wait();
    running->has_exited = true;
    if (running->is_read) co_return running->tell();
    loop->post_at(loop->now() + last_words, [running] { running->tell(); });
}

}  // namespace

void run_program(Loop& loop, ProgramRun run, UniqueFunction<void(Result<ProgramEnd>)> ended) {
    auto child = Child::spawn(loop, {.argv = std::move(run.argv),
                                     .environment = std::move(run.environment),
                                     .input = Stdio::pipe,
                                     .output = Stdio::null,
                                     .errors = Stdio::pipe});
    if (!child) {
        loop.post([ended = std::move(ended), error = std::move(child).error()]() mutable {
            ended(reject(std::move(error)));
        });
        return;
    }
    auto running = std::make_shared<Running>(std::move(*child), std::move(ended));
    loop.post_at(loop.now() + run.time, [watched = std::weak_ptr(running)] {
        const RunningPtr late = watched.lock();
        if (!late || late->has_exited) return;
        late->end.is_late = true;
        late->child.terminate();
    });
    loop.spawn(give_input(running, std::move(run.input)));
    loop.spawn(read_errors(running));
    loop.spawn(wait_for_end(running, &loop, run.last_words));
}

}  // namespace parley::net
