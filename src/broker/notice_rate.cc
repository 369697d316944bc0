// SPDX-License-Identifier: Apache-2.0
#include "broker/notice_rate.h"

#include "broker/limits.h"

namespace parley {

bool NoticeRate::admit(const std::string& speaker, SessionId session, Mono now) {
    const auto is_over = [now](const Window& window) {
        return now - window.since >= limits::kNoticeWindow;
    };
    if (windows_.size() >= limits::kNoticeSpeakersKept)
        std::erase_if(windows_, [&](const auto& each) { return is_over(each.second); });
    if (windows_.size() >= limits::kNoticeSpeakersKept) return false;
    Window& window = windows_[{speaker, session}];
    if (window.given == 0 || is_over(window)) window = {.since = now};
    if (window.given >= limits::kNoticesMax) return false;
    ++window.given;
    return true;
}

}  // namespace parley
