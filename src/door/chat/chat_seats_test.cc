// SPDX-License-Identifier: Apache-2.0
#include "door/chat/chat_seats.h"

#include <gtest/gtest.h>

#include "door/chat/chat_connection.h"
#include "door/limits.h"

namespace parley {
namespace {

SessionId session(std::uint64_t number) {
    return SessionId(IdBits{.high = 0, .low = number});
}

TEST(ChatSeats, WhoComesBackGetsThePlaceOfWhoLeft) {
    ChatSeats seats;
    EXPECT_EQ(seats.take(session(1), nullptr).cursor, std::nullopt);
    seats.leave(session(1), nullptr, {.cursor = Cursor{7}, .shown = {AskId()}});
    const ChatSeats::Told told = seats.take(session(1), nullptr);
    EXPECT_EQ(told.cursor, Cursor{7});
    EXPECT_EQ(told.shown.size(), 1u);
    EXPECT_EQ(seats.take(session(1), nullptr).cursor, std::nullopt) << "it is given once";
}

TEST(ChatSeats, AtTheBoundTheOldestPlaceIsForgotten) {
    ChatSeats seats;
    for (std::uint64_t i = 0; i <= limits::kChatSeatsKept; ++i) {
        (void)seats.take(session(i), nullptr);
        seats.leave(session(i), nullptr, {.cursor = Cursor{i + 1}});
    }
    EXPECT_EQ(seats.size(), limits::kChatSeatsKept);
    EXPECT_EQ(seats.take(session(0), nullptr).cursor, std::nullopt);
    EXPECT_EQ(seats.take(session(2), nullptr).cursor, Cursor{3});
}

}  // namespace
}  // namespace parley
