// SPDX-License-Identifier: Apache-2.0
#include "client/remote_follow.h"

#include <algorithm>
#include <utility>

#include "broker/limits.h"
#include "client/limits.h"
#include "client/remote_reading.h"
#include "dialect/native/client.h"
#include "dialect/native/server.h"

namespace parley {

std::unique_ptr<Following> RemoteFollow::start(Wiring wiring, net::ClientRequest request,
                                               std::optional<Cursor> after,
                                               FollowListener& listener) {
    auto follow = std::unique_ptr<RemoteFollow>(
        new RemoteFollow(std::move(wiring), std::move(request), after, listener));
    follow->connect();
    return follow;
}

RemoteFollow::RemoteFollow(Wiring wiring, net::ClientRequest request, std::optional<Cursor> after,
                           FollowListener& listener)
    : wiring_(std::move(wiring)),
      request_(std::move(request)),
      listener_(listener),
      resume_point_(after),
      delay_(limits::kRetryDelayMin) {
    request_.silence_timeout = limits::kFollowSilence;
}

void RemoteFollow::connect() {
    if (is_paused_ || is_over_ || wiring_.link.expired()) return;
    // Half a snapshot is worth nothing: the listener forgets it before the next one comes.
    must_reset_ = resume_point_.is_inside_snapshot();
    std::string last_id;
    if (const auto after = resume_point_.after()) last_id = native::cursor_text(*after);
    stream_ = wiring_.calls.open_events(request_, std::move(last_id), *this);
}

void RemoteFollow::on_open() {
    if (wiring_.link.expired()) return;
    delay_ = limits::kRetryDelayMin;
    const auto alive = alive_.watch();
    listener_.on_state(FollowListener::State::connected, std::nullopt);
    if (!alive.expired() && std::exchange(must_reset_, false)) gather(Reset{});
}

void RemoteFollow::on_event(wire::ReceivedSse event) {
    if (const auto news = native::read_store_news(event.event, event.data)) return tell(*news);
    // SSE carries the last id on; only a frame that has a cursor of its own may keep it. Which
    // frames have one, the dialect knows.
    auto frame = native::read_frame(event.data, native::parse_cursor(event.last_id));
    if (!frame) {
        stream_.reset();
        on_end(std::move(frame).error());
        return;
    }
    if (*frame) gather(std::move(**frame));
}

void RemoteFollow::tell(const native::StoreNews& news) {
    const auto alive = alive_.watch();
    give();
    if (alive.expired() || wiring_.link.expired()) return;
    const auto state = news.away ? FollowListener::State::away : FollowListener::State::connected;
    listener_.on_state(state, news.away);
}

// What one turn of the loop reads is given at its end, in one call where that is not too much.
void RemoteFollow::gather(Frame frame) {
    gathered_.push_back(std::move(frame));
    if (gathered_.size() >= limits::kFollowFramesAtOnce) return give();
    if (std::exchange(is_giving_posted_, true)) return;
    wiring_.loop.post(alive_.guard([this] {
        is_giving_posted_ = false;
        give();
    }));
}

void RemoteFollow::give() {
    if (gathered_.empty() || wiring_.link.expired()) return;
    const std::vector<Frame> frames = std::exchange(gathered_, {});
    for (const Frame& frame : frames) resume_point_.note(frame);
    listener_.on_frames(frames);
}

void RemoteFollow::on_refused(const net::ClientResponse& response) {
    on_end(to_error(response));
}

void RemoteFollow::on_end(Error why) {
    const auto alive = alive_.watch();
    give();
    if (alive.expired() || wiring_.link.expired() || is_paused_) return;
    const bool is_final = why.code == ErrorCode::denied ||
                          why.code == ErrorCode::session_of_another ||
                          why.code == ErrorCode::not_found || why.code == ErrorCode::invalid;
    if (is_final) {
        is_over_ = true;
        listener_.on_state(FollowListener::State::ended, why);
        return;
    }
    const Mono again = wiring_.loop.now() + delay_;
    delay_ = std::min<Millis>(delay_ * 2, limits::kRetryDelayMax);
    wiring_.loop.post_at(again, alive_.guard([this] { connect(); }));
    listener_.on_state(FollowListener::State::retrying, why);
}

void RemoteFollow::pause() {
    is_paused_ = true;
    stream_.reset();
    gathered_.clear();
}

void RemoteFollow::resume() {
    if (!std::exchange(is_paused_, false)) return;
    connect();
}

}  // namespace parley
