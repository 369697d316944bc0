// SPDX-License-Identifier: Apache-2.0
// Which answers a driven agent has yet to be given: its model asked through one of Parley's own
// ways in, the call ended with the question still open, and no later call brought the answer. A
// fold over the agent's calls and the broker's events, in whichever order the two arrive. Without
// I/O.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parley/event.h"
#include "parley/values.h"

namespace parley {

class LateAnswers {
public:
    // Who runs the calls that the stream tells of.
    enum class Calls { agents, drivers };

    // `own` is the agent's name on asks that its driver asks itself: these have a reply of their
    // own, and are late only where one was missed. What a call of the agent's leaves open is none
    // of them, whatever the name on it.
    explicit LateAnswers(std::string_view own, Calls calls = Calls::agents)
        : own_(own), calls_(calls) {}

    // Open when the agent came back: whoever asked it waits no longer.
    void found(const AskPtr& ask);
    void settled(const AskPtr& ask);
    // Answered when the agent had just taken it back.
    void missed(const AskPtr& ask);
    void note(const Part& part);
    // No call of the agent runs any more.
    void calls_ended() { running_.clear(); }
    // What the session's log tells of earlier runs, in order; and that it told all.
    void recall(const Event& event);
    void recalled();

    // Settled, and not told by any call; each is given once.
    std::vector<AskPtr> take();

private:
    bool is_own(const Ask& ask) const;
    void returned(const Part& part);
    void recall_notice(const std::string& notice);

    std::string own_;
    Calls calls_;
    std::set<AskId> left_open_;       // by the call that asked
    std::set<AskId> asked_by_calls_;  // whatever the name on it
    std::map<AskId, AskPtr> settled_;
    std::map<AskId, AskPtr> own_settled_;
    std::map<std::string, std::set<AskId>> running_;  // what each call's input names
};

// What the agent is told, as the words of the person who settled it.
std::string late_answer_text(const Ask& ask);
// What people are told of one that was missed; in the session's log it says that this is yet to be
// given. `agent` is what people call it.
std::string missed_answer_notice(std::string_view agent, const Ask& ask);
// What people are told of what is given; in the session's log it says that these have been given.
std::string late_answers_notice(std::string_view agent, std::span<const AskPtr> given);

}  // namespace parley
