// SPDX-License-Identifier: Apache-2.0
#include "dialect/llm/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "core/json_fields.h"
#include "core/text_rules.h"
#include "dialect/limits.h"

namespace parley::llm {

namespace {

using json::field;
using json::text_field;

// Errors inside a stream have no status; these are the ones that asking again does not mend.
constexpr std::array<std::string_view, 8> kLasting = {
    "invalid_request_error", "authentication_error", "permission_error", "not_found_error",
    "request_too_large",     "billing_error",        "content_filter",   "context_length_exceeded",
};
// OpenAI says 429 also where no waiting helps.
constexpr std::string_view kNoCredit = "insufficient_quota";

std::string first_text(const json::Value& value, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (std::string text = text_field(value, name); !text.empty()) return text;
    return {};
}

Refusal read_error(const json::Value& error) {
    Refusal refusal;
    if (error.is_string()) {
        refusal.message = std::string(view_of(error.get_string()));
    } else {
        refusal.message = first_text(error, {"message", "detail"});
        refusal.kind = first_text(error, {"code", "type"});
    }
    refusal.message = one_line(refusal.message, limits::kLlmMessageChars);
    return refusal;
}

// {"error":{…}}, {"error":"…"}, {"message":…} or {"detail":…}; else the body itself.
Refusal read_body(std::string_view body) {
    const auto document = json::parse(body);
    if (!document || !document->is_object())
        return {.message = one_line(body, limits::kLlmMessageChars)};
    const json::Value& error = field(*document, "error");
    Refusal refusal = read_error(error.is_null() ? *document : error);
    if (refusal.message.empty()) refusal.message = one_line(body, limits::kLlmMessageChars);
    return refusal;
}

bool is_passing_status(int status) {
    constexpr int kNotImplemented = 501;
    return status == 408 || status == 409 || status == 425 || status == 429 ||
           (status >= 500 && status != kNotImplemented);
}

bool says(const Refusal& refusal, std::string_view words) {
    return lower_ascii(refusal.message).find(words) != std::string::npos ||
           lower_ascii(refusal.kind).find(words) != std::string::npos;
}

bool is_about_length(int status, const Refusal& refusal) {
    return status == 413 || says(refusal, "context_length") || says(refusal, "context length") ||
           says(refusal, "prompt is too long") || says(refusal, "context size") ||
           says(refusal, "context window") || says(refusal, "maximum context");
}

}  // namespace

Refusal read_refusal(int status, std::string_view body) {
    Refusal refusal = read_body(body);
    refusal.is_passing = is_passing_status(status) && refusal.kind != kNoCredit;
    return refusal;
}

Refusal read_stream_error(const json::Value& error) {
    Refusal refusal = read_error(error);
    if (refusal.message.empty()) refusal.message = "the server broke off without a reason";
    const std::string type = text_field(error, "type");
    refusal.is_passing = refusal.kind != kNoCredit &&
                         std::ranges::find(kLasting, refusal.kind) == kLasting.end() &&
                         std::ranges::find(kLasting, type) == kLasting.end();
    return refusal;
}

std::string fix_for(int status, const Refusal& refusal, std::string_view key_source) {
    if (status == 401 || status == 403) {
        if (key_source.empty())
            return "no key was sent: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or give --key-file";
        return fmt::format(
            "the key of {} was sent: see whether it is the right one for this server", key_source);
    }
    if (refusal.kind == kNoCredit || says(refusal, "credit balance"))
        return "the account has no credit left for this key";
    if (is_about_length(status, refusal))
        return "the conversation is too long for this model: give a smaller --context";
    if (says(refusal, "max_tokens") || says(refusal, "max_completion_tokens"))
        return "give another --max-tokens";
    if (says(refusal, "tool") && says(refusal, "support")) return "use a model that can call tools";
    const bool is_unknown = says(refusal, "not found") || says(refusal, "not exist");
    if (status == 404 || status == 405 || (is_unknown && says(refusal, "model")))
        return "see whether --model, --base-url and --api are right";
    return {};
}

std::optional<Millis> read_retry_after(std::string_view value, Instant now) {
    value = trim_blanks(value);
    double seconds = 0;
    const char* const end = value.data() + value.size();
    const auto [rest, failed] = std::from_chars(value.data(), end, seconds);
    if (failed == std::errc{} && rest == end) {
        if (!(seconds >= 0)) return std::nullopt;
        return Millis(
            static_cast<std::int64_t>(std::min(seconds, limits::kLlmRetrySecondsMax) * 1000));
    }
    // "Sun, 06 Nov 1994 08:49:37 GMT"
    constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (value.size() != 29 || !value.ends_with(" GMT")) return std::nullopt;
    const auto number = [&](std::size_t at, std::size_t digits) {
        int result = -1;
        const auto read = std::from_chars(value.data() + at, value.data() + at + digits, result);
        return read.ptr == value.data() + at + digits ? result : -1;
    };
    const auto month = std::ranges::find(kMonths, value.substr(8, 3));
    const std::array<int, 5> parts = {number(5, 2), number(12, 4), number(17, 2), number(20, 2),
                                      number(23, 2)};
    if (month == kMonths.end() || std::ranges::any_of(parts, [](int part) { return part < 0; }))
        return std::nullopt;
    const std::chrono::year_month_day day(
        std::chrono::year(parts[1]),
        std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
        std::chrono::day(static_cast<unsigned>(parts[0])));
    if (!day.ok()) return std::nullopt;
    const Instant then = std::chrono::sys_days(day) + std::chrono::hours(parts[2]) +
                         std::chrono::minutes(parts[3]) + std::chrono::seconds(parts[4]);
    return std::max(Millis(0), std::chrono::duration_cast<Millis>(then - now));
}

}  // namespace parley::llm
