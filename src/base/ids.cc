// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include <sys/random.h>

#include <algorithm>

#include "base/assert.h"

namespace parley {

namespace {

// Crockford's base 32 in lower case: no i, l, o or u, and ascending as ASCII.
constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";

constexpr std::array<std::int8_t, 256> digit_values() {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kDigits.size(); ++i)
        values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
    return values;
}

constexpr auto kDigitValues = digit_values();

// Layout: 48 bits of milliseconds and the upper 16 of the 80 counting bits in `high`, the lower 64
// in `low`.
constexpr int kTimeShift = 16;
constexpr std::uint64_t kLatestTime = (std::uint64_t{1} << 48) - 1;

}  // namespace

std::array<char, kIdDigits> id_digits(IdBits bits) {
    // Five bits each from the right: twelve digits lie in `low`, the next in both, the rest in
    // `high`. Every document has several ids, so no digit waits for the one before.
    std::array<char, kIdDigits> digits;
    for (unsigned i = 0; i < 12; ++i) digits[25 - i] = kDigits[(bits.low >> (5 * i)) & 31U];
    digits[13] = kDigits[((bits.low >> 60U) | (bits.high << 4U)) & 31U];
    for (unsigned i = 0; i < 13; ++i) digits[12 - i] = kDigits[(bits.high >> (5 * i + 1)) & 31U];
    return digits;
}

std::optional<IdBits> parse_id_digits(std::string_view digits) {
    // 26 digits hold 130 bits: the first may not use its upper two.
    if (digits.size() != kIdDigits || digits[0] < '0' || digits[0] > '7') return std::nullopt;
    IdBits bits;
    for (const char digit : digits) {
        const int value = kDigitValues[static_cast<unsigned char>(digit)];
        if (value < 0) return std::nullopt;
        bits.high = (bits.high << 5U) | (bits.low >> 59U);
        bits.low = (bits.low << 5U) | static_cast<std::uint64_t>(value);
    }
    return bits;
}

IdBits IdMaker::next_bits(Instant now) {
    const auto now_ms =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.time_since_epoch().count()));
    const std::uint64_t time_ms = std::min(now_ms, kLatestTime);
    if (time_ms > last_.high >> kTimeShift) {
        // The top counting bit starts clear, so that a millisecond cannot run out of ids.
        last_ = {.high = (time_ms << kTimeShift) | (random_() & 0x7fffU), .low = random_()};
        return last_;
    }
    // The same millisecond, or a clock that stepped back: count on from the last id. The step is
    // random so that ids cannot be guessed from their neighbours.
    const std::uint64_t step = 1 + (random_() & 0xffff'ffffU);
    const std::uint64_t low = last_.low + step;
    if (low < last_.low) ++last_.high;
    last_.low = low;
    ASSERT(last_.high >> kTimeShift <= kLatestTime);
    return last_;
}

RandomBits system_random() {
    // One system call fills a pool for many ids.
    return [pool = std::array<std::uint64_t, 64>{}, used = std::size_t{64}]() mutable {
        if (used == pool.size()) {
            ASSERT(::getrandom(pool.data(), sizeof pool, 0) == static_cast<ssize_t>(sizeof pool));
            used = 0;
        }
        return pool[used++];
    };
}

}  // namespace parley
