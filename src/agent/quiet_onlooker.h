// SPDX-License-Identifier: Apache-2.0
// For tests: who watches a driven agent, and remembers what was told.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/driver.h"

namespace parley {

class QuietOnlooker final : public Driver::Onlooker {
public:
    void show(const StreamItem&) override {}
    void show_frame(const Frame&) override {}
    void show_asked(const AskRequest&) override {}
    void show_notice(const NoticeGiven& notice) override { notices.push_back(notice.text); }
    void show_idle(bool is_idle) override { is_idle ? went_idle() : went_busy(); }

    std::vector<std::string> notices;
    std::function<void()> went_idle = [] {};
    std::function<void()> went_busy = [] {};
};

}  // namespace parley
