// SPDX-License-Identifier: Apache-2.0
// How often each speaker gave notices of late, so that nobody drowns a person's screen. Bounded;
// confined to the broker's thread.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/clock.h"
#include "parley/ids.h"

namespace parley {

class NoticeRate {
public:
    // False: this speaker has said enough in this session; it may go on when the window is over.
    bool admit(const std::string& speaker, SessionId session, Mono now);

private:
    struct Window {
        Mono since = {};
        std::size_t given = 0;
    };
    std::map<std::pair<std::string, SessionId>, Window> windows_;
};

}  // namespace parley
