// SPDX-License-Identifier: Apache-2.0
#include "door/claude/claude_hook_door.h"

#include <fmt/format.h>

#include <utility>

#include "base/lifetime.h"
#include "bridge/claude_hook.h"
#include "dialect/left_out.h"
#include "dialect/native/problem.h"
#include "door/limits.h"
#include "net/exchange.h"
#include "text/safe_text.h"
#include "text/time_text.h"
#include "text/utf8.h"

namespace parley {

namespace {

Result<claude::HookRules> read_rules(const wire::Query& query) {
    claude::HookRules rules;
    if (const auto timeout = query.find("timeout")) {
        TRY(duration, parse_duration(*timeout));
        rules.timeout = duration;
    }
    if (const auto what = query.find("on_timeout")) {
        const auto on_timeout = claude::read_on_timeout(*what);
        if (!on_timeout)
            return reject(ErrorCode::invalid, "?on_timeout= must be abstain, deny or empty");
        rules.on_timeout = *on_timeout;
    }
    rules.defers = query.get("defer") == "true";
    return rules;
}

void refuse(net::Exchange& exchange, Error error) {
    const int status = native::http_status(error.code);
    // A message may repeat what the query said, and that can hold any bytes.
    if (!utf8::is_valid(error.message)) error.message = escape_unsafe(error.message);
    exchange.respond({.status = status,
                      .content_type = net::kProblemJson,
                      .body = native::problem_document(error, status)});
}

}  // namespace

// One request, from its hook's call to the decision.
class ClaudeHookDoor::Request {
public:
    Request(net::Exchange exchange, Visitor visitor, Task over)
        : exchange_(std::move(exchange)), visitor_(std::move(visitor)), over_(std::move(over)) {}

    void start(claude::HookCall call, claude::HookRules rules, std::string nonce,
               Millis heartbeat) {
        exchange_->on_peer_gone(alive_.guard([this] {
            if (exchange_) abandon();
        }));
        exchange_->on_server_closing(alive_.guard([this] {
            if (exchange_) let_go();
        }));
        net::Loop& loop = exchange_->loop();
        loop.post_at(loop.now() + heartbeat, alive_.guard([this, heartbeat] {
            if (exchange_) hold(heartbeat);
        }));
        ClaudeHook::Options options{.rules = rules, .nonce = std::move(nonce)};
        hook_ = std::make_unique<ClaudeHook>(
            *visitor_.link, std::move(call), std::move(options),
            [this](ClaudeHook::Ending ending) { finish(std::move(ending)); });
        hook_->start();
    }

private:
    // Clients and proxies give up on an answer that does not begin; blanks before JSON are nothing.
    void hold(Millis heartbeat) {
        net::StreamOptions options{.content_type = net::kJson,
                                   .heartbeat = net::SharedChunk("\n"),
                                   .heartbeat_interval = heartbeat};
        options.headers.add("X-Accel-Buffering", "no");
        stream_ = exchange_->start_stream(std::move(options));
        exchange_.reset();
        stream_->on_end(alive_.guard([this](net::StreamEnd end) {
            if (end == net::StreamEnd::server_stopped) return let_go();
            abandon();
        }));
        stream_->on_closing(alive_.guard([this] { let_go(); }));
        stream_->send("\n");
    }

    // Nobody reads the answer any more.
    void abandon() {
        exchange_.reset();
        stream_.reset();
        hook_->give_up("Claude Code is gone");
    }

    // The ask stays, and Claude Code goes on with its own dialog.
    void let_go() {
        reply({});
        over_();
    }

    void finish(ClaudeHook::Ending ending) {
        if (exchange_ && ending.error) {
            refuse(*exchange_, std::move(*ending.error));
            exchange_.reset();
        }
        reply(ending.warnings.empty()
                  ? ending.output
                  : claude::with_system_message(ending.output, left_out_text(ending.warnings)));
        over_();
    }

    void reply(const std::string& output) {
        if (exchange_ && output.empty()) exchange_->respond({.status = 204});
        if (exchange_ && !output.empty())
            exchange_->respond({.content_type = net::kJson, .body = output});
        if (stream_) {
            stream_->send(output.empty() ? std::string_view("{}") : std::string_view(output));
            stream_->end();
        }
        exchange_.reset();
        stream_.reset();
    }

    std::optional<net::Exchange> exchange_;  // until it is answered, or held for long
    std::optional<net::Stream> stream_;      // from then on
    Visitor visitor_;
    std::unique_ptr<ClaudeHook> hook_;
    Task over_;
    Lifetime alive_;
};

ClaudeHookDoor::ClaudeHookDoor(Wiring wiring, Millis heartbeat)
    : wiring_(std::move(wiring)), heartbeat_(heartbeat) {}

ClaudeHookDoor::~ClaudeHookDoor() = default;

void ClaudeHookDoor::add_routes(net::Router& router, net::RouteOptions route) {
    route.body_bytes_max = limits::kHookBodyBytes;
    router.post(
        "/hooks/claude", [this](net::Exchange exchange) { take(std::move(exchange)); },
        std::move(route));
}

void ClaudeHookDoor::take(net::Exchange exchange) {
    const auto rules = read_rules(exchange.query());
    if (!rules) return refuse(exchange, rules.error());
    auto call = claude::read_hook_call(exchange.body());
    if (!call) return refuse(exchange, call.error());
    Visitor visitor = wiring_.visitor(exchange);
    const std::uint64_t number = next_number_++;
    auto request = std::make_unique<Request>(std::move(exchange), std::move(visitor),
                                             [this, number] { forget(number); });
    Request& started = *request;
    requests_.emplace(number, std::move(request));
    started.start(std::move(*call), *rules, fmt::format("{:016x}", random_()), heartbeat_);
}

// It may be the request itself that calls.
void ClaudeHookDoor::forget(std::uint64_t number) {
    auto gone = requests_.extract(number);
    if (!gone.empty()) wiring_.loop.post([request = std::move(gone.mapped())] {});
}

}  // namespace parley
