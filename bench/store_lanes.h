// SPDX-License-Identifier: Apache-2.0
// The ways to write that store_bench and rounds_bench compare, and what they write. Each lane has a
// file of its own and writes the same rows; a round is one batch of asks, then one of answers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "parley/values.h"

namespace parley {

// A question of 1 KiB.
AskSpec kilobyte_spec();

// Asks in a few sessions, and the answer that each gets.
class Load {
public:
    explicit Load(AskSpec spec = kilobyte_spec());

    const std::vector<SessionPtr>& sessions() const { return sessions_; }
    const std::shared_ptr<const Settlement>& settlement() const { return settlement_; }
    std::vector<AskPtr> asks(std::size_t count);

private:
    SystemClock clock_;
    IdMaker ids_{system_random()};
    std::shared_ptr<const AskSpec> spec_;
    std::vector<SessionPtr> sessions_;
    std::shared_ptr<const Settlement> settlement_;
    std::size_t made_ = 0;
};

class Lane {
public:
    virtual ~Lane() = default;
    virtual void round(const std::vector<AskPtr>& asks) = 0;
};

// By SQLite's own interface, with statements prepared once.
enum class Commits : std::uint8_t { one_a_round, two_a_round };
std::unique_ptr<Lane> make_raw_lane(const std::string& path, const Load& load,
                                    Commits commits = Commits::two_a_round);
// By SqliteEngine, a whole batch in one call.
std::unique_ptr<Lane> make_engine_lane(const std::string& path, const Load& load);
// By Store with its two threads, each ask a commit of its own, as the broker submits them.
std::unique_ptr<Lane> make_store_lane(const std::string& path, const Load& load);

}  // namespace parley
