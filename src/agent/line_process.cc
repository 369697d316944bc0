// SPDX-License-Identifier: Apache-2.0
#include "agent/line_process.h"

#include <utility>

#include "agent/limits.h"

namespace parley {

struct LineProcess::State {
    State(net::Child started, Listener& told) : child(std::move(started)), listener(&told) {}

    static net::Co<void> read(std::shared_ptr<State> state) {
        while (true) {
            auto line = co_await state->child.read_line();
            // One that writes what we cannot take would wait for us for ever.
            if (!line) state->child.terminate();
            if (!line || !*line || state->listener == nullptr) break;
            if (!state->listener->on_line(**line)) state->note(std::move(**line));
        }
        const net::ExitStatus status = co_await state->child.wait();
        state->has_ended = true;
        if (state->listener != nullptr)
            state->listener->on_exit(status, {state->words.begin(), state->words.end()});
    }

    static net::Co<void> read_errors(std::shared_ptr<State> state) {
        while (true) {
            auto line = co_await state->child.read_error_line();
            if (!line || !*line) break;
            if (state->listener != nullptr) state->listener->on_error_line(**line);
            state->note(std::move(**line));
        }
    }

    static net::Co<void> write(std::shared_ptr<State> state) {
        while (!state->to_write.empty()) {
            std::string line = std::move(state->to_write.front());
            state->to_write.pop_front();
            // One that reads no more ends soon, and that is told.
            if (!co_await state->child.write(std::move(line))) break;
        }
        state->is_writing = false;
        if (state->is_closing) state->child.close_input();
    }

    void note(std::string line) {
        words.push_back(std::move(line));
        if (words.size() > limits::kLastWordsLines) words.pop_front();
    }

    net::Child child;
    Listener* listener;  // null once nobody listens
    std::deque<std::string> to_write;
    std::deque<std::string> words;
    bool is_writing = false;
    bool is_closing = false;
    bool has_ended = false;
    net::Loop* loop = nullptr;
};

Result<std::unique_ptr<LineProcess>> LineProcess::start(net::Loop& loop, net::ChildOptions options,
                                                        Listener& listener) {
    options.input = net::Stdio::pipe;
    options.output = net::Stdio::pipe;
    options.errors = net::Stdio::pipe;
    TRY(child, net::Child::spawn(loop, std::move(options)));
    auto state = std::make_shared<State>(std::move(child), listener);
    state->loop = &loop;
    loop.spawn(State::read(state));
    loop.spawn(State::read_errors(state));
    return std::unique_ptr<LineProcess>(new LineProcess(std::move(state)));
}

LineProcess::LineProcess(std::shared_ptr<State> state) : state_(std::move(state)) {}

LineProcess::~LineProcess() {
    state_->listener = nullptr;
    if (!state_->has_ended) state_->child.terminate(Millis(0));
}

void LineProcess::send(std::string line) {
    if (state_->is_closing) return;
    state_->to_write.push_back(std::move(line));
    if (std::exchange(state_->is_writing, true)) return;
    state_->loop->spawn(State::write(state_));
}

void LineProcess::close_input() {
    if (std::exchange(state_->is_closing, true) || state_->is_writing) return;
    state_->child.close_input();
}

void LineProcess::stop() {
    state_->child.terminate();
}

}  // namespace parley
