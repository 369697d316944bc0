// SPDX-License-Identifier: Apache-2.0
// What the children of a `parley run` find in their environment: the broker, the session, and an
// agent's token of their own. So `parley ask`, run by the agent itself, asks through the same
// broker and in the same session, and never answers for a person. The token counts as long as the
// run; one that was killed leaves it to its expiry. Lives on the loop.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/run_context.h"
#include "app/reach/broker_access.h"
#include "base/executor.h"
#include "base/unique_function.h"
#include "broker/requests.h"

namespace parley::app {

class ChildAccess {
public:
    struct Child {
        std::string_view agent;    // begins the token's name
        std::string_view session;  // a live one, the only one in which the token acts
    };
    // Who may not make tokens passes on its own.
    static void open(const RunContext& context, BrokerAccess& access, const Child& child,
                     Done<ChildAccess> done);

    // The variables of this process with these in their place.
    std::vector<std::string> variables(const Environment& environment,
                                       std::string_view session) const;
    // Takes the token back; `done` in any case.
    void close(BrokerAccess& access, Task done);

private:
    std::string server_;
    std::string secret_;
    std::string authority_;             // the file of --ca; empty: none was named
    std::optional<std::string> token_;  // the name of one that was made for this run
};

}  // namespace parley::app
