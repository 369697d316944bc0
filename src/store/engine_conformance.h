// SPDX-License-Identifier: Apache-2.0
// One suite that every engine passes: what each change does and answers, in which order, and that
// what was reported is there after a reopening. To join, describe how a store is made (TestedStore)
// and instantiate EngineConformance with it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "store/engine.h"
#include "store/test_values.h"

namespace parley {

// A store of its own, empty at first, gone at the end.
class TestedStore {
public:
    virtual ~TestedStore() = default;
    // An engine over the store, closed. Called again after the engine before was destroyed.
    virtual std::unique_ptr<Engine> make_engine(const Clock& clock) = 0;
};

struct EngineKind {
    std::string name;
    std::function<std::unique_ptr<TestedStore>()> make_store;
    std::uint64_t random_seeds = 40;  // fewer where a commit takes milliseconds

    // For the names of tests.
    friend void PrintTo(const EngineKind& kind, std::ostream* out) { *out << kind.name; }
};

class EngineConformance : public testing::TestWithParam<EngineKind> {
protected:
    EngineConformance();

    // Each fails the test on an Error.
    Snapshot open();
    Snapshot reopen();
    CommitReport commit(const std::vector<Change>& changes);
    ChangeOutcome commit_one(Change change);
    Verdict verdict_of(Change change) { return commit_one(std::move(change)).verdict; }
    SessionPtr open_session(std::optional<std::string> name = std::nullopt);
    AskPtr open_ask(SessionId session, AskNames names = {});
    EventPage list_events(const EventQuery& query);
    // Everything that was reported since the store was made.
    const std::vector<EventPtr>& reported() const { return reported_; }

    StillClock clock_;
    TestValues make_;
    std::unique_ptr<TestedStore> store_;
    std::unique_ptr<Engine> engine_;
    Cursor first_;  // before the first event

private:
    std::vector<EventPtr> reported_;
};

// What the tests compare.
template <class T>
std::vector<T> concat(std::vector<T> a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

inline std::vector<Verdict> verdicts(const CommitReport& report) {
    std::vector<Verdict> list;
    for (const ChangeOutcome& outcome : report.outcomes) list.push_back(outcome.verdict);
    return list;
}

inline std::string ids_of(const std::vector<AskPtr>& asks) {
    std::string text;
    for (const AskPtr& ask : asks) text += ask->id.str() + '\n';
    return text;
}

template <class Body>
const Body& body_of(const CommitReport& report, std::size_t index = 0) {
    return std::get<Body>(report.events.at(index)->body);
}

}  // namespace parley
