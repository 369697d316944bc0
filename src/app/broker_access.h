// SPDX-License-Identifier: Apache-2.0
// How a command reaches a broker: one that runs elsewhere, or one of its own that lives as long as
// the process. Either way the command holds a Link and nothing else. On the loop's thread.
#pragma once

#include <memory>
#include <string>

#include "app/environment.h"
#include "app/run_context.h"
#include "base/clock.h"
#include "base/executor.h"
#include "client/link.h"
#include "core/profile.h"

namespace parley::app {

class BrokerAccess {
public:
    virtual ~BrokerAccess() = default;
    virtual Link& link() = 0;
    // Whether what is asked through it outlives this process.
    virtual bool is_lasting() const = 0;
};

using AccessDone = Done<std::unique_ptr<BrokerAccess>>;

struct AccessOptions {
    Executor& home;  // of the command; outlives the access
    const Clock& clock;
    const Environment& environment;
    Profile profile = kOpenProfile;
};

// A broker of our own, with nothing behind it.
void open_own_broker(const AccessOptions& options, AccessDone done);

// The broker that the options, the environment or the default socket name. An Error is
// `unavailable` and says where none was found and how to start one.
void open_server(const AccessOptions& options, const GlobalOptions& global, AccessDone done);

// Where open_server looks: the --server, or the default socket as "unix:PATH".
std::string server_address(const GlobalOptions& global, const Environment& environment);

}  // namespace parley::app
