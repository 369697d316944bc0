// SPDX-License-Identifier: Apache-2.0
#include "door/chat/chat_seats.h"

#include <utility>

#include "door/chat/chat_connection.h"
#include "door/limits.h"

namespace parley {

ChatSeats::Told ChatSeats::take(SessionId session, const std::shared_ptr<ChatConnection>& holder) {
    const auto found = by_session_.find(session);
    if (found == by_session_.end()) {
        seats_.push_front({.session = session});
        by_session_.emplace(session, seats_.begin());
    } else {
        seats_.splice(seats_.begin(), seats_, found->second);
    }
    Seat& seat = seats_.front();
    // The one before leaves its place as it is told.
    if (const auto before = seat.holder.lock()) before->give_way();
    seat.holder = holder;
    Told told = std::exchange(seat.told, {});
    forget_oldest();
    return told;
}

void ChatSeats::moved(SessionId session, const Mark& seat) {
    const auto found = by_session_.find(session);
    if (found == by_session_.end()) return;
    const auto holder = found->second->holder.lock();
    if (holder && !holder->sits_at(seat)) holder->give_way();
}

void ChatSeats::leave(SessionId session, const ChatConnection* holder, Told told) {
    const auto found = by_session_.find(session);
    if (found == by_session_.end()) return;
    Seat& seat = *found->second;
    const auto seated = seat.holder.lock();
    if (seated && seated.get() != holder) return;
    seat.holder.reset();
    seat.told = std::move(told);
}

void ChatSeats::forget_oldest() {
    for (auto seat = seats_.end(); seats_.size() > limits::kChatSeatsKept;) {
        if (seat == seats_.begin()) return;
        --seat;
        if (!seat->holder.expired()) continue;
        by_session_.erase(seat->session);
        seat = seats_.erase(seat);
    }
}

}  // namespace parley
