// SPDX-License-Identifier: Apache-2.0
// The right to be told when an ask is settled. Belongs to whoever waits, on the broker's executor.
#pragma once

#include <cstdint>
#include <utility>

#include "base/ids.h"

namespace parley {

class LoopBroker;

// Dropping it ends the wait, never the ask.
class Wait {
public:
    Wait() = default;
    ~Wait() { cancel(); }
    Wait(Wait&& other) noexcept { *this = std::move(other); }
    Wait& operator=(Wait&& other) noexcept;

    void cancel();
    // Gives the handle up and waits on: it will be told, and cannot be cancelled any more.
    void release() { broker_ = nullptr; }

private:
    friend class LoopBroker;
    Wait(LoopBroker* broker, AskId ask, std::uint64_t number)
        : broker_(broker), ask_(ask), number_(number) {}

    LoopBroker* broker_ = nullptr;
    AskId ask_;
    std::uint64_t number_ = 0;
};

}  // namespace parley
