// SPDX-License-Identifier: Apache-2.0
#include "text/time_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>

#include "text/limits.h"

namespace parley {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr Instant kFirst = sys_days(std::chrono::year(0) / 1 / 1);
constexpr Instant kLast = sys_days(std::chrono::year(10000) / 1 / 1) - Millis(1);

bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

// Reads fixed-width fields from the front of a text; after the first mismatch it reads nothing more
// and `ok` stays false.
class FieldReader {
public:
    explicit FieldReader(std::string_view text) : rest_(text) {}

    bool ok() const { return ok_; }
    bool at_end() const { return rest_.empty(); }

    unsigned digits(std::size_t count) {
        unsigned value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const char byte = take();
            if (!is_digit(byte)) ok_ = false;
            value = value * 10 + static_cast<unsigned>(byte - '0');
        }
        return ok_ ? value : 0;
    }

    char one_of(std::string_view bytes) {
        const char byte = take();
        if (bytes.find(byte) == std::string_view::npos) ok_ = false;
        return ok_ ? byte : '\0';
    }

    // ".123456" as whole milliseconds; 0 if there is no fraction.
    unsigned fraction_ms() {
        if (rest_.empty() || rest_.front() != '.') return 0;
        rest_.remove_prefix(1);
        if (rest_.empty() || !is_digit(rest_.front())) ok_ = false;
        unsigned ms = 0;
        for (unsigned place = 100; !rest_.empty() && is_digit(rest_.front()); place /= 10)
            ms += place * static_cast<unsigned>(take() - '0');
        return ms;
    }

private:
    char take() {
        if (rest_.empty()) {
            ok_ = false;
            return '\0';
        }
        const char byte = rest_.front();
        rest_.remove_prefix(1);
        return byte;
    }

    std::string_view rest_;
    bool ok_ = true;
};

struct Unit {
    std::string_view suffix;
    Millis length;
};
// From long to short: the units of a duration must come in this order.
constexpr std::array<Unit, 5> kUnits{{{"d", days(1)},
                                      {"h", std::chrono::hours(1)},
                                      {"m", std::chrono::minutes(1)},
                                      {"s", std::chrono::seconds(1)},
                                      {"ms", Millis(1)}}};
constexpr std::string_view kBareNumberSuffix = "s";
constexpr Millis kLongestDuration = limits::kTimeoutMax;

struct SpokenUnit {
    std::string_view text;
    std::int64_t seconds;
};
constexpr std::array<SpokenUnit, 4> kSpokenUnits{
    {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}}};

// The next "10m" of a duration, taken from the front of `rest`, as a count and an index into
// kUnits.
struct Part {
    std::int64_t count;
    std::size_t unit;
};
std::optional<Part> take_part(std::string_view& rest, std::string_view suffix_if_bare) {
    Part part{};
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), part.count);
    if (problem != std::errc{} || part.count < 0 || !is_digit(rest.front())) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const std::size_t letters = std::min(
        rest.size(), static_cast<std::size_t>(std::ranges::find_if(rest, is_digit) - rest.begin()));
    const std::string_view suffix = letters == 0 ? suffix_if_bare : rest.substr(0, letters);
    rest.remove_prefix(letters);
    const auto* const unit = std::ranges::find(kUnits, suffix, &Unit::suffix);
    if (unit == kUnits.end()) return std::nullopt;
    part.unit = static_cast<std::size_t>(unit - kUnits.begin());
    return part;
}

void put_digits(Rfc3339& text, std::size_t at, std::size_t count, unsigned value) {
    for (std::size_t i = at + count; i-- > at; value /= 10)
        text[i] = static_cast<char>('0' + value % 10);
}

}  // namespace

std::string format_rfc3339(Instant at) {
    const Rfc3339 text = rfc3339(at);
    return {text.data(), text.size()};
}

// Every document has several times in it: this is written for speed.
Rfc3339 rfc3339(Instant at) {
    at = std::clamp(at, kFirst, kLast);
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const auto millis = static_cast<unsigned>((at - day).count());
    Rfc3339 text;
    std::ranges::copy(std::string_view("0000-00-00T00:00:00.000Z"), text.begin());
    put_digits(text, 0, 4, static_cast<unsigned>(int(date.year())));
    put_digits(text, 5, 2, unsigned(date.month()));
    put_digits(text, 8, 2, unsigned(date.day()));
    put_digits(text, 11, 2, millis / 3'600'000);
    put_digits(text, 14, 2, millis / 60'000 % 60);
    put_digits(text, 17, 2, millis / 1'000 % 60);
    put_digits(text, 20, 3, millis % 1'000);
    return text;
}

Result<Instant> parse_rfc3339(std::string_view text) {
    FieldReader in(text);
    const unsigned year = in.digits(4);
    in.one_of("-");
    const unsigned month = in.digits(2);
    in.one_of("-");
    const unsigned day = in.digits(2);
    in.one_of("Tt ");
    const unsigned hour = in.digits(2);
    in.one_of(":");
    const unsigned minute = in.digits(2);
    in.one_of(":");
    const unsigned second = in.digits(2);
    const unsigned ms = in.fraction_ms();
    const char zone = in.one_of("Zz+-");
    unsigned offset_hours = 0;
    unsigned offset_minutes = 0;
    if (zone == '+' || zone == '-') {
        offset_hours = in.digits(2);
        in.one_of(":");
        offset_minutes = in.digits(2);
    }
    if (!in.ok() || !in.at_end())
        return reject(ErrorCode::invalid, "not an RFC 3339 time like 2026-11-15T14:03:22Z");

    const year_month_day date(std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                              std::chrono::day(day));
    // A leap second is the first second of the next minute, as on every POSIX clock.
    if (!date.ok() || hour > 23 || minute > 59 || second > 60 || offset_hours > 23 ||
        offset_minutes > 59)
        return reject(ErrorCode::invalid, "no such date or time of day");
    const Millis offset = std::chrono::hours(offset_hours) + std::chrono::minutes(offset_minutes);
    const Instant local = sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
                          std::chrono::seconds(second) + Millis(ms);
    const Instant at = zone == '-' ? local + offset : local - offset;
    if (at < kFirst || at > kLast)
        return reject(ErrorCode::invalid, "a time outside the years 0 to 9999");
    return at;
}

Result<Millis> parse_duration(std::string_view text) {
    const auto wrong = [] {
        return reject(ErrorCode::invalid, "not a duration like 90s, 10m, 1h30m or 2d");
    };
    std::string_view rest = text;
    Millis total{0};
    std::size_t units_used = 0;
    do {
        const bool is_first = rest.size() == text.size();
        const auto part = take_part(rest, is_first ? kBareNumberSuffix : std::string_view());
        if (!part || part->unit < units_used) return wrong();
        units_used = part->unit + 1;
        const Millis length = kUnits[part->unit].length;
        if (part->count > (kLongestDuration - total) / length)
            return reject(ErrorCode::invalid, "a duration longer than {} days",
                          floor<days>(kLongestDuration).count());
        total += part->count * length;
    } while (!rest.empty());
    if (total == Millis(0)) return reject(ErrorCode::invalid, "a duration must be more than zero");
    return total;
}

std::string format_duration(Millis duration) {
    const std::int64_t seconds =
        std::max<std::int64_t>(0, floor<std::chrono::seconds>(duration).count());
    const auto* const major = std::ranges::find_if(
        kSpokenUnits, [seconds](const SpokenUnit& unit) { return seconds >= unit.seconds; });
    if (major == kSpokenUnits.end()) return "0 s";
    std::string text = fmt::format("{} {}", seconds / major->seconds, major->text);
    if (const auto* const minor = std::next(major); minor != kSpokenUnits.end()) {
        if (const std::int64_t count = seconds % major->seconds / minor->seconds; count > 0)
            text += fmt::format(" {} {}", count, minor->text);
    }
    return text;
}

}  // namespace parley
