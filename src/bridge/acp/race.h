// SPDX-License-Identifier: Apache-2.0
// Between an editor and its agent, which speak the Agent Client Protocol: every line passes as it
// is. What the agent asks its editor also waits in the broker; the first answer wins, and the other
// side is told. Without a broker the two work as if nobody stood between. Lives on the link's
// executor.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "base/unique_function.h"
#include "client/link.h"
#include "client/withdrawals.h"
#include "dialect/acp/known_calls.h"
#include "dialect/acp/lines.h"

namespace parley {

class AcpRace {
public:
    struct Options {
        std::string agent;   // the name on asks
        std::string called;  // what people call it, until it says so itself
        std::string folder;
        std::string run;  // tells the requests of this run from those of others
    };
    // Each is given whole lines, with their newlines.
    struct Outlets {
        UniqueFunction<void(std::string)> to_editor;
        UniqueFunction<void(std::string)> to_agent;
    };

    struct Wiring {
        Executor& home;  // of the link that it will join
        const Clock& clock;
    };

    AcpRace(Wiring wiring, Options options, Outlets outlets);

    // The broker is there; what waits in the editor waits there too from now on.
    void join(Link& link);
    // Lines without their newlines.
    void from_agent(const std::string& line);
    void from_editor(const std::string& line);
    // The agent is gone; `done` once all is taken back.
    void end(Task done);

private:
    struct Race {
        acp::Request request;
        std::string session;
        AskPtr ask = {};
        LinkWait wait = {};
        std::optional<std::string> over = {};  // why it is not to be answered here any more
        int tries = 0;
    };
    using RacePtr = std::shared_ptr<Race>;

    void replied(const acp::Envelope& reply);
    void form_completed(const std::string& form);
    void requested(acp::Request request, const std::string& line);
    bool pass(const acp::Request& request);
    void note_call(const acp::Update& update);
    void begin(acp::Request request);
    void open(const RacePtr& race, std::string_view complaint);
    // Once the session is there.
    void in_session(const std::string& name, Task task);
    void ask(const RacePtr& race, AskSpec spec);
    void opened(const RacePtr& race, const Result<OpenedAsk>& opened);
    void settled(const RacePtr& race, const Result<AskPtr>& ask);
    void stop(const std::string& session);
    void won(const RacePtr& race, const acp::Decision& decision);
    void lose(const std::string& id, const std::string& why);
    void lose_all(const std::string& session, const std::string& why);
    void withdraw(const RacePtr& race);
    void tell(const std::string& session, std::string text, NoticeGiven::Level level);
    void forget(const RacePtr& race);

    Wiring wiring_;
    Options options_;
    Outlets outlets_;
    Link* link_ = nullptr;
    std::unique_ptr<Withdrawals> withdrawals_;  // once there is a link
    acp::KnownCalls calls_;                     // of all sessions
    std::map<std::string, RacePtr> races_;      // by the agent's request id
    // Here; what the editor still says is not passed on.
    std::set<std::string> answered_;
    std::deque<std::string> answered_order_;
    std::map<std::string, std::string> prompts_;  // the session of each prompt of the editor's
    std::set<std::string> stopped_;               // of these, by somebody here
    std::string initialize_;                      // the editor's request
    bool titles_are_names_ = false;               // acp::AgentFacts
    std::set<std::string> sessions_;              // that were opened
    std::size_t withdrawing_ = 0;
    std::optional<Task> done_;
    Lifetime alive_;
};

}  // namespace parley
