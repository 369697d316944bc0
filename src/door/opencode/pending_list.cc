// SPDX-License-Identifier: Apache-2.0
#include "door/opencode/pending_list.h"

#include <utility>

#include "door/opencode/opencode_replies.h"
#include "door/sliced_reply.h"

namespace parley::opencode {

net::Co<void> list_pending(OpenCodeDoor* door, net::Exchange exchange, PendingList list) {
    const auto directory = directory_of(exchange);
    const Viewer who = viewer(exchange);
    SlicedReply reply(std::move(exchange));
    reply.text() += list.before + '[';
    bool is_first = true;
    std::optional<AskId> last;
    const auto is_listed = [&](const Ask& ask) {
        if (!may_see(who, ask)) return false;
        if (list.session) return ask.session == *list.session;
        return is_seen_from(directory, find_live(door->broker(), ask.session));
    };
    while (true) {
        const auto& pending = door->broker().ledger().pending();
        auto next = last ? pending.upper_bound(*last) : pending.begin();
        for (; next != pending.end() && !reply.is_full(); ++next) {
            last = next->first;
            if (!is_listed(*next->second)) continue;
            const auto text = list.write(*next->second);
            if (!text) continue;
            if (!std::exchange(is_first, false)) reply.text() += ',';
            reply.text() += *text;
        }
        if (next == pending.end()) break;
        if (!co_await reply.pause()) co_return;
    }
    reply.text() += ']' + list.after;
    reply.finish();
}

}  // namespace parley::opencode
