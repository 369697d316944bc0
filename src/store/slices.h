// SPDX-License-Identifier: Apache-2.0
// A page that is read in slices, so that what is to be written waits for one slice and not for the
// page: which slice is next, and the page as far as it is there. Pure; belongs to who reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/weight.h"
#include "store/engine.h"
#include "store/limits.h"

namespace parley {

class AskSlices {
public:
    using Page = AskPage;

    explicit AskSlices(AskQuery query) : rest_(std::move(query)) {
        rest_.looks = std::min(rest_.looks, limits::kListLooksMax);
    }

    Result<AskPage> read(Engine& engine) const {
        AskQuery slice = rest_;
        slice.limit = std::min(slice.limit, limits::kSliceRows);
        slice.looks = std::min(slice.looks, limits::kSliceRows);
        slice.bytes = std::min(slice.bytes, limits::kSliceBytes);
        return engine.list_asks(slice);
    }

    // Whether the page is there.
    bool take(AskPage slice) {
        std::size_t bytes = 0;
        for (const AskPtr& ask : slice.asks) bytes += weight_of(*ask);
        rest_.limit -= std::min(rest_.limit, slice.asks.size());
        rest_.bytes -= std::min(rest_.bytes, bytes);
        rest_.looks -= std::min(rest_.looks, std::max(limits::kSliceRows, slice.asks.size()));
        rest_.after = slice.last;
        page_.last = slice.last.is_nil() ? page_.last : slice.last;
        page_.has_more = slice.has_more;
        std::move(slice.asks.begin(), slice.asks.end(), std::back_inserter(page_.asks));
        return !page_.has_more || rest_.limit == 0 || rest_.bytes == 0 || rest_.looks == 0;
    }

    AskPage page() && { return std::move(page_); }

private:
    AskQuery rest_;
    AskPage page_;
};

// What a session says of itself is short: rows alone bound a slice.
class SessionSlices {
public:
    using Page = SessionPage;

    explicit SessionSlices(const SessionQuery& query) : rest_(query) {}

    Result<SessionPage> read(Engine& engine) const {
        SessionQuery slice = rest_;
        slice.limit = std::min(slice.limit, limits::kSliceRows);
        return engine.list_sessions(slice);
    }

    bool take(SessionPage slice) {
        rest_.limit -= std::min(rest_.limit, slice.sessions.size());
        if (!slice.sessions.empty()) rest_.after = slice.sessions.back()->id;
        page_.has_more = slice.has_more;
        std::move(slice.sessions.begin(), slice.sessions.end(), std::back_inserter(page_.sessions));
        return !page_.has_more || rest_.limit == 0;
    }

    SessionPage page() && { return std::move(page_); }

private:
    SessionQuery rest_;
    SessionPage page_;
};

class EventSlices {
public:
    using Page = EventPage;

    explicit EventSlices(const EventQuery& query) : rest_(query) {}

    Result<EventPage> read(Engine& engine) const {
        EventQuery slice = rest_;
        slice.limit = std::min(slice.limit, limits::kSliceRows);
        slice.bytes = std::min(slice.bytes, limits::kSliceBytes);
        return engine.list_events(slice);
    }

    bool take(EventPage slice) {
        // What was dropped between two slices the next page finds missing.
        if (slice.has_gap && !page_.events.empty()) return true;
        std::size_t bytes = 0;
        for (const EventPtr& event : slice.events) bytes += weight_of(*event);
        rest_.limit -= std::min(rest_.limit, slice.events.size());
        rest_.bytes -= std::min(rest_.bytes, bytes);
        if (!slice.events.empty()) rest_.after = slice.events.back()->cursor;
        page_.has_more = slice.has_more;
        page_.has_gap = slice.has_gap;
        page_.oldest = slice.oldest;
        std::move(slice.events.begin(), slice.events.end(), std::back_inserter(page_.events));
        return !page_.has_more || rest_.limit == 0 || rest_.bytes == 0;
    }

    EventPage page() && { return std::move(page_); }

private:
    EventQuery rest_;
    EventPage page_;
};

}  // namespace parley
