// SPDX-License-Identifier: Apache-2.0
// Identifiers. In memory 128 bits, as text a prefix and 26 characters of Crockford's base 32
// ("que_01jd2m6x9k…"): 48 bits of milliseconds, then 80 bits that count up inside a millisecond.
// Ids ascend as strings in the order in which they were made; each kind is a type of its own.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace parley {

struct IdBits {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    auto operator<=>(const IdBits&) const = default;
};

inline constexpr std::size_t kIdDigits = 26;

// The 26 digits of `bits`, without a prefix.
std::array<char, kIdDigits> id_digits(IdBits bits);
// The reverse; nullopt unless `digits` is what id_digits writes.
std::optional<IdBits> parse_id_digits(std::string_view digits);

template <class Kind>
class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(IdBits bits) : bits_(bits) {}

    static std::optional<Id> parse(std::string_view text) {
        if (!text.starts_with(Kind::prefix)) return std::nullopt;
        const auto bits = parse_id_digits(text.substr(Kind::prefix.size()));
        if (!bits) return std::nullopt;
        return Id(*bits);
    }

    std::string str() const {
        const auto digits = id_digits(bits_);
        std::string text(Kind::prefix);
        text.append(digits.data(), digits.size());
        return text;
    }

    constexpr IdBits bits() const { return bits_; }
    constexpr bool is_nil() const { return bits_ == IdBits{}; }

    constexpr auto operator<=>(const Id&) const = default;

private:
    IdBits bits_;
};

struct AskKind {
    static constexpr std::string_view prefix = "que_";
};
struct SessionKind {
    static constexpr std::string_view prefix = "ses_";
};
struct EventKind {
    static constexpr std::string_view prefix = "evt_";
};
struct MessageKind {
    static constexpr std::string_view prefix = "msg_";
};

using AskId = Id<AskKind>;
using SessionId = Id<SessionKind>;
using EventId = Id<EventKind>;
using MessageId = Id<MessageKind>;

// A place in the order of commits of one store. Zero is before everything.
struct Cursor {
    std::uint64_t value = 0;

    auto operator<=>(const Cursor&) const = default;
};

}  // namespace parley

template <class Kind>
struct std::hash<parley::Id<Kind>> {
    std::size_t operator()(const parley::Id<Kind>& id) const noexcept {
        return static_cast<std::size_t>(id.bits().low ^ (id.bits().high * 0x9e3779b97f4a7c15U));
    }
};
