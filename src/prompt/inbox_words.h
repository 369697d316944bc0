// SPDX-License-Identifier: Apache-2.0
// What the inbox says of one ask: who asks, how long it waits, how it ended, a row of the list and
// of the history. Views of the state, made for one drawing. Pure.
#pragma once

#include <string>
#include <string_view>

#include "prompt/block.h"
#include "prompt/inbox_state.h"
#include "prompt/inbox_view.h"

namespace parley {

// How the ask in hand ended, with what was answered.
std::string ended_phrase(const Ask& ask, ShownTime shown_time);
inline constexpr std::string_view kEndedUnseen = "settled while the connection was lost";

class InboxWords {
public:
    InboxWords(const InboxState& state, const InboxLook& look, Instant now)
        : state_(state), look_(look), now_(now), glyphs_(glyphs_of(look.charset)) {}

    std::string one_line(std::string_view text) const;
    std::string time_of(Instant at) const;
    // "api-server / claude"
    std::string who(const Ask& ask) const;
    // "api-server / claude · waits 3 min · ends 15 min"
    std::string who_waits(const Ask& ask) const;
    // "zz 14:03" for what is snoozed, or when it ends.
    std::string ends_or_snoozed(const Ask& ask) const;

    struct RowLook {
        bool is_here = false;
        bool has_ends = false;  // a column for when asks end
    };
    Line row(const Ask& ask, const RowLook& row_look) const;
    Line past_row(const Ask& ask, bool is_here) const;

    // What an agent said a moment ago, and who it is: no line, or two at most.
    Block agent_notice() const;

private:
    std::string waiting(const Ask& ask) const;
    std::string ends(const Ask& ask) const;

    const InboxState& state_;
    const InboxLook& look_;
    const Instant now_;
    const Glyphs& glyphs_;
};

}  // namespace parley
