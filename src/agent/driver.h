// SPDX-License-Identifier: Apache-2.0
// An agent's program as the agent of a session: started or resumed, spoken to, stopped. What it
// says goes to the session's stream, what it wants decided becomes asks, and what people say there
// from any door is handed to it. One for each program that is driven. Lives on the loop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/unique_function.h"
#include "client/link.h"
#include "parley/event.h"

namespace parley {

class Driver {
public:
    // Who watches from nearby, such as a terminal.
    class Onlooker {
    public:
        virtual ~Onlooker() = default;
        virtual void show(const StreamItem& item) = 0;
        // What the broker tells of the session, this and all else.
        virtual void show_frame(const Frame& frame) = 0;
        virtual void show_asked(const AskRequest& request) = 0;
        virtual void show_notice(const NoticeGiven& notice) = 0;
        // The agent waits for the next message, or works again.
        virtual void show_idle(bool is_idle) = 0;
        // In its turn, it only waits for answers: ended now, it goes on from here when it is
        // resumed.
        virtual void show_waiting() {}
    };

    // What a model has cost, in tokens, where its driver knows.
    struct Usage {
        std::int64_t input = 0;   // with what was cached
        std::int64_t cached = 0;  // of the input
        std::int64_t output = 0;
    };

    struct Ending {
        enum class Kind : std::uint8_t { done, failed, stopped, session_ended };

        Kind kind = Kind::done;
        std::string why = {};
        std::string result = {};  // the agent's last words of a turn that is done
        std::optional<Usage> usage = {};
    };
    using Finished = UniqueFunction<void(Ending)>;

    virtual ~Driver() = default;

    virtual void start() = 0;
    // What the person nearby says goes the way of all messages, so that everybody sees it.
    virtual void say(std::string text) = 0;
    enum class Interruption : std::uint8_t {
        no_turn,
        stopped,  // the turn, or it will be
        again,    // it was told before, and goes on
    };
    virtual Interruption interrupt() = 0;
    // Ends the program.
    virtual void quit() = 0;
};

}  // namespace parley
