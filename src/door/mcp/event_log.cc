// SPDX-License-Identifier: Apache-2.0
#include "door/mcp/event_log.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "door/limits.h"

namespace parley::mcp {

void EventLog::attach(net::Exchange exchange, std::uint64_t after) {
    if (live_.is_open()) live_.end();
    live_ = exchange.start_stream(net::sse_options());
    live_.on_closing([weak = weak_from_this()] {
        // The client comes back; what it waits for is still open then.
        if (const auto self = weak.lock()) self->live_.abort();
    });
    if (primes_ && after == 0) {
        const std::string id = fmt::format("{}_0", id_);
        constexpr Millis kRetry = limits::kMcpRetry;
        live_.send(wire::SseEvent{
            .data = "", .id = id, .retry_ms = static_cast<std::uint64_t>(kRetry.count())});
    }
    for (const Kept& kept : kept_)
        if (kept.number > after) send(kept.number, kept.message);
    if (is_finished_) live_.end();
}

void EventLog::send(std::uint64_t number, std::string_view message) {
    const std::string id = fmt::format("{}_{}", id_, number);
    live_.send(wire::SseEvent{.data = message, .event = "message", .id = id});
}

void EventLog::add(std::string message) {
    ++last_;
    if (live_.is_open()) send(last_, message);
    kept_.push_back({last_, std::move(message)});
    if (kept_.size() > limits::kMcpEventsKept) kept_.pop_front();
}

void EventLog::pass(std::string_view message) {
    if (live_.is_open()) send(last_, message);
}

void EventLog::finish(std::string message) {
    add(std::move(message));
    close();
}

void EventLog::close() {
    is_finished_ = true;
    if (live_.is_open()) live_.end();
}

std::optional<EventPlace> parse_event_id(std::string_view text) {
    const std::size_t line = text.rfind('_');
    if (line == std::string_view::npos) return std::nullopt;
    EventPlace place{.stream = std::string(text.substr(0, line))};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + line + 1, end, place.number);
    if (error != std::errc() || stop != end) return std::nullopt;
    return place;
}

void LegacyOutlet::hold() {
    if (log_) return;
    log_ = open_log_();
    log_->attach(std::move(*exchange_), 0);
    exchange_.reset();
}

void LegacyOutlet::send(std::string message) {
    hold();
    log_->add(std::move(message));
}

void LegacyOutlet::send_passing(std::string message) {
    hold();
    log_->pass(message);
}

void LegacyOutlet::finish(std::string message, int) {
    if (log_) return log_->finish(std::move(message));
    exchange_->respond({.content_type = net::kJson, .body = std::move(message)});
    exchange_.reset();
}

}  // namespace parley::mcp
