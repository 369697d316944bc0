// SPDX-License-Identifier: Apache-2.0
// How a command reaches a broker: one that runs elsewhere, or one of its own that lives as long as
// the process. Either way the command holds a Link and nothing else. On the loop's thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/command_line/run_context.h"
#include "base/environment.h"
#include "client/link.h"
#include "core/door_names.h"
#include "core/profile.h"

namespace parley {
class RemoteLink;
namespace net {
class Loop;
}
}  // namespace parley

namespace parley::app {

class BrokerAccess {
public:
    virtual ~BrokerAccess() = default;
    virtual Link& link() = 0;
    // The same link with what only a broker behind a door has; null for one of our own.
    virtual RemoteLink* remote() = 0;
    // Where it is, as PARLEY_SERVER names it from any folder; empty for one of our own.
    virtual std::string address() const = 0;
    // Whether what is asked through it outlives this process.
    virtual bool is_lasting() const = 0;
};

using AccessDone = Done<std::unique_ptr<BrokerAccess>>;

struct ReachOptions {
    net::Loop& loop;  // of the command; outlives the access
    const Environment& environment;
    const GlobalOptions& global;
    Profile profile = kOpenProfile;
    // Which of our doors the command is.
    std::string_view door = door_names::kTerminal;
};

// A broker of our own, with nothing behind it.
void open_own_broker(const ReachOptions& options, AccessDone done);

// The broker that --server names, or else this user's own (broker_place.h). Where none answers, the
// Error is `unavailable` and says where that was and how to start one.
void open_server(const ReachOptions& options, AccessDone done);

// This user's own broker if it runs, else one of our own. A broker that --server
// names must answer.
void open_server_or_own(const ReachOptions& options, AccessDone done);

}  // namespace parley::app
