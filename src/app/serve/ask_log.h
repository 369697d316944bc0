// SPDX-License-Identifier: Apache-2.0
// Writes asks and how they ended into the broker's log: ids, outcomes and who decided; what was
// asked and answered only for an owner who wants that too. Lives on its link's executor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/log.h"
#include "client/follow.h"
#include "client/link.h"

namespace parley::app {

class AskLog final : private FollowListener {
public:
    enum class Content : std::uint8_t {
        ids,   // at level debug
        text,  // at level info, with the words of agents and people
    };

    AskLog(Link& link, Log& log, Content content) : link_(link), log_(log), content_(content) {}

    void start();

private:
    void on_frames(std::span<const Frame> frames) override;
    void on_state(State, const std::optional<Error>&) override {}
    void write_opened(const Ask& ask);
    void write_settled(const Ask& ask);

    Link& link_;
    Log& log_;
    const Content content_;
    std::unique_ptr<Following> following_;
};

}  // namespace parley::app
