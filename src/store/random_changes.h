// SPDX-License-Identifier: Apache-2.0
// For tests of stores only: an endless row of random changes. Names, sessions and asks come from
// small pools, so that changes meet each other; the seed is that of `make`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/change.h"
#include "store/test_values.h"

namespace parley {

class RandomChanges {
public:
    // `make` must outlive it.
    explicit RandomChanges(TestValues& make) : make_(make) {}

    Change next();
    std::vector<Change> batch(std::size_t size_max);
    // Mostly one that was opened, sometimes an unknown one.
    SessionId session();
    // One of those who ask and answer.
    std::string principal() { return pick(2) == 0 ? "ada" : "bob"; }

private:
    std::size_t pick(std::size_t below) { return make_.random() % below; }
    template <class T>
    const T& one_of(const std::vector<T>& list) {
        return list[pick(list.size())];
    }
    std::string text();
    AskPtr ask();
    MessageId a_message();

    Change open_session();
    Change change_session();
    Change open_ask();
    Change settle();
    Change draft();
    Change snooze();
    Change message();
    Change token();
    PutMark put_mark();
    Change mark();

    TestValues& make_;
    std::vector<SessionPtr> sessions_;
    std::vector<AskPtr> asks_;
    std::vector<AddMessage> messages_;
    TestValues::SettlementPtr last_settlement_;
};

}  // namespace parley
