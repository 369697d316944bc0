// SPDX-License-Identifier: Apache-2.0
// What people say to the agent of a session, on its way: read from the broker, kept here until the
// agent is given it, and taken at the broker only when the agent has it, so that who comes after a
// crash is given it again. What is said here goes to the broker for as long as that takes. Lives on
// its link's executor.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/lifetime.h"
#include "client/link.h"

namespace parley {

class SessionMessages {
public:
    struct Wiring {
        Executor& home;  // the link's
        const Clock& clock;
        Link& link;
    };
    class Listener {
    public:
        virtual ~Listener() = default;
        // The broker was asked what waits, and it is known.
        virtual void messages_known() = 0;
        virtual void messages_troubled(const std::string& why) = 0;
    };

    // Messages up to `had` the agent has from earlier runs.
    SessionMessages(Wiring wiring, std::string session, MessageId had, Listener& listener);

    // Asks the broker what waits; each time that the session is followed anew.
    void fetch();
    bool is_known() const { return is_known_; }
    void added(MessageId id, std::string text);

    // Something waits to be given, or was said here and has yet to come back.
    bool is_any() const;
    // What waits, in order; last_given() is then the last of it.
    std::vector<std::string> give();
    MessageId last_given() const { return given_; }
    // The agent has all up to this one.
    void has(MessageId up_to);
    // Runs `task` once the broker knows what the agent has.
    void when_told(Task task);

    void say(std::string text);

private:
    void fetched(Result<std::vector<QueuedText>> messages);
    void tell_taken();
    void taken(MessageId up_to, const Result<void>& result);
    void say_first();
    void said(const Result<Said>& result);
    void try_later(Task task);

    Wiring wiring_;
    std::string session_;
    Listener& listener_;
    bool is_known_ = false;  // what was said before we listened
    std::map<MessageId, std::string> waiting_;
    MessageId seen_;   // the newest that came from the broker
    MessageId given_;  // to the agent
    MessageId had_;    // by the agent, as it says
    bool is_taking_ = false;
    std::vector<Task> when_told_;
    std::deque<std::string> unsaid_;  // the first may be on its way
    MessageId said_;                  // the newest of ours
    // Of the first: a request with it is open, or was lost, and it may have arrived.
    enum class Saying : std::uint8_t { none, open, lost };
    Saying saying_ = Saying::none;
    bool is_heard_ = false;  // it has
    bool is_told_ = false;   // that it is kept
    Lifetime alive_;
};

}  // namespace parley
