// SPDX-License-Identifier: Apache-2.0
// Following what happens through a link: every event once, in order, across lost connections. The
// link comes back by cursor by itself; its listener only learns that it was away. Lives on the
// link's executor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "parley/error.h"
#include "parley/event.h"

namespace parley {

struct FollowRequest {
    // What was seen before; without it the pending asks come first, as a snapshot.
    std::optional<Cursor> after = {};
    // An id or a client's own name, which is opened if it is not known; empty: every session.
    std::string session = {};
    // This is the session's agent: while it follows, what people say counts as delivered.
    bool is_agent = false;
};

// Where to read on: a fold over the frames that were given.
class ResumePoint {
public:
    explicit ResumePoint(std::optional<Cursor> after) : after_(after) {}

    void note(const Frame& frame);

    // Everything up to here was given. Nullopt before the end of the first snapshot, and between a
    // Reset and the end of the snapshot that follows it.
    std::optional<Cursor> after() const { return after_; }
    // Part of a snapshot was given and its end was not: who reads on from here must first tell its
    // listener to forget that part, with a Reset.
    bool is_inside_snapshot() const { return is_inside_snapshot_; }

private:
    std::optional<Cursor> after_;
    bool is_inside_snapshot_ = false;
};

class FollowListener {
public:
    enum class State : std::uint8_t {
        connected,  // frames come
        retrying,   // the connection is lost; the link tries again, from the last cursor
        away,   // it stands, but the broker's store is away: nothing comes, and nothing is taken
        ended,  // refused; nothing comes any more
    };

    virtual ~FollowListener() = default;

    // Up to limits::kFollowFramesAtOnce frames, in order; the span lives for the length of the
    // call. The handle may be dropped inside it: then nothing follows.
    virtual void on_frames(std::span<const Frame> frames) = 0;
    // Told on every change; `why` is there unless connected. Comes before the frames that it is
    // about.
    virtual void on_state(State state, const std::optional<Error>& why) = 0;
};

// The right to be given frames. Dropping it ends that at once.
class Following {
public:
    virtual ~Following() = default;

    // A listener that has enough for now. While it is paused nothing is kept for it: what it
    // misses waits in the store.
    virtual void pause() = 0;
    virtual void resume() = 0;
    // Give this to follow() to read on where this one was left.
    virtual const ResumePoint& resume_point() const = 0;
};

}  // namespace parley
