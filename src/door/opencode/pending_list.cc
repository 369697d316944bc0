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
    AskId last;
    const auto is_listed = [&](const Ask& ask) {
        return list.session || is_seen_from(directory, find_live(door->broker(), ask.session, who));
    };
    const auto find_next = [&] { return door->broker().pending_after(last, list.session, who); };
    while (true) {
        AskPtr next = find_next();
        for (; next && !reply.is_full(); next = find_next()) {
            last = next->id;
            if (!is_listed(*next)) continue;
            const auto text = list.write(*next);
            if (!text) continue;
            if (!std::exchange(is_first, false)) reply.text() += ',';
            reply.text() += *text;
        }
        if (!next) break;
        if (!co_await reply.pause()) co_return;
    }
    reply.text() += ']' + list.after;
    reply.finish();
}

}  // namespace parley::opencode
