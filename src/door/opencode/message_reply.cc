// SPDX-License-Identifier: Apache-2.0
#include "door/opencode/message_reply.h"

#include <algorithm>
#include <utility>

#include "door/limits.h"
#include "door/opencode/opencode_replies.h"

namespace parley::opencode {

net::Co<Result<ShownEvents>> MessageReply::read_page(EventQuery query) {
    co_return co_await net::await_callback<Result<ShownEvents>>(
        [this, query](UniqueFunction<void(Result<ShownEvents>)> done) {
            broker_.list_events(query, viewer_, std::move(done));
        });
}

net::Co<bool> MessageReply::read_outline() {
    Cursor after = {};
    while (true) {
        auto page = co_await read_page(
            {.after = after, .session = session_->id, .bytes = limits::kPastPageBytes});
        if (!page) {
            fail(page.error());
            co_return false;
        }
        // What is no longer kept cannot be shown; all after it can.
        if (page->has_gap && after < page->oldest) {
            after = page->oldest;
            continue;
        }
        for (const EventPtr& event : page->events) outline_.add(*event);
        if (!page->next) co_return true;
        after = *page->next;
    }
}

net::Co<Result<EventPtr>> MessageReply::find(Cursor cursor) {
    const auto at = [](const EventPtr& event) { return event->cursor; };
    auto found = std::ranges::lower_bound(page_, cursor, {}, at);
    if (found == page_.end() || at(*found) != cursor) {
        auto page = co_await read_page({.after = Cursor{cursor.value - 1},
                                        .session = session_->id,
                                        .bytes = limits::kPastPageBytes});
        if (!page) co_return reject(std::move(page.error()));
        page_ = std::move(page->events);
        found = std::ranges::lower_bound(page_, cursor, {}, at);
    }
    if (found == page_.end() || at(*found) != cursor) co_return EventPtr{};
    co_return *found;
}

net::Co<bool> MessageReply::write(MessageOutline::Message message) {
    reply_.text().append(R"({"info":)").append(message.info).append(R"(,"parts":[)");
    bool is_first = true;
    for (const MessageOutline::Part& part : message.parts) {
        EventPtr call;
        if (part.call != Cursor{} && part.call != part.event) {
            auto found = co_await find(part.call);
            if (found) call = std::move(*found);
        }
        const auto event = co_await find(part.event);
        if (!event) {
            fail(event.error());
            co_return false;
        }
        if (!*event) continue;
        if (!std::exchange(is_first, false)) reply_.text() += ',';
        reply_.text() += part_of(**event, call.get());
        if (!co_await reply_.pause()) co_return false;
    }
    reply_.text() += "]}";
    co_return co_await reply_.pause();
}

net::Co<void> MessageReply::write_list(std::size_t limit) {
    const std::size_t count = outline_.messages().size();
    const std::size_t first = count - std::min(limit, count);
    reply_.text() += '[';
    for (std::size_t i = first; i < count; ++i) {
        if (i > first) reply_.text() += ',';
        if (!co_await write(outline_.messages()[i])) co_return;
    }
    reply_.text() += ']';
    reply_.finish();
}

net::Co<void> MessageReply::write_one(MessageOutline::Message message) {
    if (co_await write(std::move(message))) reply_.finish();
}

void MessageReply::fail(const Error& error) {
    if (reply_.is_unsent()) return reply_error(reply_.exchange(), Generation::v1, error);
    reply_.abort();
}

}  // namespace parley::opencode
