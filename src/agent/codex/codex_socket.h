// SPDX-License-Identifier: Apache-2.0
// One connection to Codex's app-server at a local socket: messages in and out, until either side
// ends it. Belongs to the loop's thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/loop.h"

namespace parley {

class CodexSocket {
public:
    class Listener {
    public:
        virtual ~Listener() = default;
        virtual void on_open() = 0;
        virtual void on_message(std::string text) = 0;
        // It was lost, or never came to be. Nothing follows.
        virtual void on_end(const Error& why) = 0;
    };

    // The listener must outlive it.
    CodexSocket(net::Loop& loop, const std::filesystem::path& path, Listener& listener);
    // Cuts the connection; the listener is told nothing any more.
    ~CodexSocket();

    void send(std::string text);

private:
    struct State;

    std::shared_ptr<State> state_;
};

}  // namespace parley
