// SPDX-License-Identifier: Apache-2.0
// One request of a connection: from its head through the gate to the handler, and its end.
#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <array>
#include <exception>
#include <new>
#include <utility>

#include "base/assert.h"
#include "base/sizes.h"
#include "net/connection.h"
#include "net/limits.h"
#include "wire/header_text.h"

namespace parley::net {

namespace {

// Every request gets one for its record, which most of the time nobody looks at.
std::array<char, 16> hex_digits(std::uint64_t number) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::array<char, 16> digits;
    for (std::size_t i = digits.size(); i-- > 0; number >>= 4U) digits[i] = kHex[number & 15U];
    return digits;
}

bool has_body(const wire::Request& request) {
    return request.chunked || request.content_length.value_or(0) > 0;
}

}  // namespace

void Connection::begin_request() {
    started_at_ = core_->loop.now();
    request_number_ = ++core_->next_request;
    ++core_->counts.requests_total;
    status_ = 0;
    request_bytes_ = 0;
    response_bytes_ = 0;
    answer_ = Answer::none;
}

void Connection::on_head() {
    begin_request();
    phase_ = Phase::body;
    method_ = parser_message_.method;
    if (!parser_message_.keep_alive || core_->draining) close_after_answer();
    deadline_ = started_at_ + core_->limits.body_timeout;
    judge_request();
    if (phase_ != Phase::body || early_ || first_) return;
    // The owner at the machine itself must be able to look what is going on.
    if (core_->held->is_full() && !peer_.is_local()) return refuse_for_memory();
    if (!has_body(parser_message_)) return;
    parser_.limit_body(match_.route->options.body_bytes_max);
    if (parser_message_.expects_continue) {
        out_.copy("HTTP/1.1 100 Continue\r\n\r\n");
        flush();
    }
}

// Route, gate, body: in this order, so that a stranger learns no more than the gate lets out, and
// nobody can make us read a body that will not be used.
void Connection::judge_request() {
    const auto target = wire::split_target(parser_message_.target);
    auto match = target ? core_->router.find(parser_message_.method, target->path) : std::nullopt;
    if (!match) return refuse_message({400, "The request target is malformed."});
    target_ = *target;
    match_ = std::move(*match);
    Visit guest = visit();
    (void)(admit(guest) && check_route(guest));
}

// Whether a handler is to have it; if not, the answer is there.
bool Connection::check_route(const Visit& visit) {
    if (match_.route == nullptr && parser_message_.method == wire::Method::options) {
        answer_early(core_->router.answer_options(visit, match_.allow));
        return false;
    }
    const auto refusal = match_.route == nullptr ? no_route() : check_query_and_body();
    if (refusal) answer_early(core_->router.shape(*refusal, &parser_message_));
    return !refusal;
}

std::optional<Refusal> Connection::no_route() const {
    if (match_.allow.empty())
        return Refusal{.status = 404, .detail = "There is nothing at this path."};
    Refusal refusal{.status = 405, .detail = "This path does not take that method."};
    refusal.headers.add("Allow", match_.allow);
    return refusal;
}

Visit Connection::visit() {
    return {
        .request = parser_message_,
        .peer = peer_,
        .path = target_.path,
        .query = target_.query,
        .host = target_.authority.empty() ? parser_message_.fields.get("host") : target_.authority,
        .pattern = match_.route ? std::string_view(match_.route->pattern) : "",
        .access = match_.route ? match_.route->options.access : 0,
        .headers = extra_headers_,
        .principal = principal_};
}

// Whether it goes on now.
bool Connection::admit(Visit& visit) {
    Admission admission = core_->router.ask_gate(visit);
    if (auto* later = std::get_if<Later>(&admission)) {
        ASSERT(!visit.is_second_look);
        if (is_body_short()) {
            first_ = std::move(later->first);
            return false;
        }
        visit.is_second_look = true;
        visit.headers = {};
        return admit(visit);
    }
    if (auto* refusal = std::get_if<Refusal>(&admission)) {
        answer_early(core_->router.shape(*refusal, &parser_message_));
        return false;
    }
    if (auto* response = std::get_if<Response>(&admission)) {
        answer_early(std::move(*response));
        return false;
    }
    return true;
}

// Its body, which is short, is here.
void Connection::judge_again(Exchange exchange) {
    std::exchange(first_,
                  nullptr)([self = shared_from_this(), exchange = std::move(exchange)]() mutable {
        if (self->phase_ != Phase::handling || self->answer_ != Answer::none) return;
        self->extra_headers_ = {};
        Visit visit = self->visit();
        visit.is_second_look = true;
        if (self->admit(visit) && self->check_route(visit))
            return self->run_handler(std::move(exchange));
        self->respond(std::move(*self->early_));
    });
}

std::optional<Refusal> Connection::check_query_and_body() {
    if (!target_.query.empty()) {
        auto query = wire::Query::parse(target_.query);
        if (!query) return Refusal{.status = 400, .detail = query.error().message};
        query_ = std::move(*query);
    }
    const RouteOptions& options = match_.route->options;
    if (!has_body(parser_message_)) return std::nullopt;
    if (parser_message_.content_length.value_or(0) > options.body_bytes_max) {
        return Refusal{
            .status = 413,
            .detail = fmt::format("The body may have at most {} bytes.", options.body_bytes_max)};
    }
    if (options.content_types.empty()) return std::nullopt;
    const auto type = parser_message_.fields.find("content-type");
    if (!type && options.untyped_body == RouteOptions::Untyped::allowed) return std::nullopt;
    for (const std::string_view accepted : options.content_types) {
        if (type && wire::is_media_type(*type, accepted)) return std::nullopt;
    }
    return Refusal{.status = 415,
                   .detail = fmt::format("The body must be {}.", options.content_types.front())};
}

void Connection::refuse_for_memory() {
    ++core_->counts.refused_full_total;
    answer_early(core_->router.shape(short_of_memory(), &parser_message_));
}

bool Connection::is_body_short() const {
    return !parser_message_.chunked && !parser_message_.expects_continue &&
           parser_message_.content_length.value_or(0) <= limits::kDrainBytes;
}

// The answer is known before the body is here. A short body is read and dropped; otherwise the
// answer is sent at once and the connection cannot be used again.
void Connection::answer_early(Response response) {
    if (is_body_short()) {
        early_ = std::move(response);
        return;
    }
    after_ = After::linger;
    phase_ = Phase::handling;
    respond(std::move(response));
    finish_exchange();
}

// What is left of a message that cannot be read is nobody's: answer and close.
void Connection::refuse_message(const wire::ParseFault& fault) {
    if (answer_ == Answer::complete) begin_request();  // the head itself was bad
    const bool head_read = phase_ == Phase::body;
    phase_ = Phase::handling;
    after_ = After::linger;
    const Refusal refusal{.status = fault.status, .detail = fault.detail};
    respond(core_->router.shape(refusal, head_read ? &parser_message_ : nullptr));
    finish_exchange();
    flush();
}

void Connection::on_message() {
    phase_ = Phase::handling;
    request_bytes_ = parser_message_.body.size();
    exchange_alive_ = true;
    Exchange exchange(shared_from_this());
    if (early_) {
        respond(std::move(*early_));
        return;
    }
    if (first_) return judge_again(std::move(exchange));
    run_handler(std::move(exchange));
}

void Connection::run_handler(Exchange exchange) {
    auto& handler = match_.route->handler;
    try {
        if (auto* plain = std::get_if<PlainHandler>(&handler)) {
            (*plain)(std::move(exchange));
            if (phase_ == Phase::handling && exchange_alive_) drop_body();
            return;
        }
        Co<void> coroutine = std::get<CoHandler>(handler)(std::move(exchange));
        asio::co_spawn(core_->loop.context(), std::move(coroutine),
                       [self = shared_from_this()](std::exception_ptr failure) {
                           if (failure) self->fail_handler(failure);
                       });
    } catch (...) {
        fail_handler(std::current_exception());
    }
}

// It has been read, and the answer may take as long as a person does.
void Connection::drop_body() {
    parser_message_.body.clear();
    if (parser_message_.body.capacity() > limits::kUnsentBytes)
        parser_message_.body.shrink_to_fit();
    count_held();
}

// Its handler threw, and the Exchange is gone by that.
void Connection::fail_handler(const std::exception_ptr& failure) {
    Refusal refusal{.status = 500, .detail = std::string(kWentWrong)};
    try {
        std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        core_->report(Trouble::Kind::handler_failed, "out of memory", &peer_);
        refusal = short_of_memory();
    } catch (const std::exception& error) {
        core_->report(Trouble::Kind::handler_failed, error.what(), &peer_);
    }
    if (phase_ != Phase::handling || exchange_alive_ || answer_ != Answer::none) return;
    refuse(refusal);
    finish_exchange();
}

void Connection::exchange_released() {
    exchange_alive_ = false;
    if (phase_ == Phase::upgraded) return release_request();
    if (phase_ != Phase::handling) return;
    // fail_handler() comes next, and is told what it was.
    if (answer_ == Answer::none && std::uncaught_exceptions() > 0) return;
    if (answer_ == Answer::none) {
        core_->report(Trouble::Kind::handler_failed, "a handler left its request unanswered",
                      &peer_);
        refuse({.status = 500, .detail = std::string(kWentWrong)});
    }
    if (answer_ == Answer::complete) return finish_exchange();
    release_request();
}

// A stream or a socket may last for days: gives back what only the handler needed.
void Connection::release_request() {
    kept_path_ = target_.path;
    target_ = {.authority = {}, .path = kept_path_, .query = {}};
    on_gone_.clear();
    parser_.next_and_release();
    query_.reset();
    match_.values = {};
}

// The request is answered and nobody looks at it any more.
void Connection::finish_exchange() {
    if (phase_ == Phase::closed) return;
    write_record();
    if (parser_.started()) parser_.next();
    early_.reset();
    first_ = nullptr;
    query_.reset();
    extra_headers_ = {};
    principal_.reset();
    on_gone_.clear();
    on_closing_.clear();
    drop_stream();
    target_ = {};
    match_.route = nullptr;
    request_number_ = 0;
    if (closes_after()) {
        if (!unread_.empty() || !rest_.empty()) after_ = After::linger;
        unread_.clear();
        if (out_.empty()) shut();
        return;
    }
    phase_ = Phase::between;
    deadline_ = core_->loop.now() + core_->limits.idle_timeout;
    if (pump_ != Pump::idle) return;
    if (!unread_.empty() || peer_ended_ || read_wait_ == ReadWait::none) resume_later();
}

void Connection::write_record() {
    if (!core_->router.wants_records() || core_->stopped) return;
    const auto id = hex_digits(core_->first_request + request_number_);
    core_->router.record({.method = method_,
                          .pattern = match_.route ? std::string_view(match_.route->pattern) : "",
                          .path = target_.path,
                          .status = status_,
                          .request_bytes = request_bytes_,
                          .response_bytes = response_bytes_,
                          .duration = core_->loop.now() - started_at_,
                          .request_id = {id.data(), id.size()},
                          .peer = &peer_,
                          .principal = principal_.get()});
}

const wire::Query& Connection::query() {
    if (!query_) query_.emplace();
    return *query_;
}

std::string_view Connection::param(std::string_view name) const {
    if (match_.route == nullptr) return {};
    const auto& names = match_.route->names;
    for (std::size_t i = 0; i < names.size() && i < match_.values.size(); ++i) {
        if (names[i] == name) return match_.values[i];
    }
    return {};
}

std::string Connection::request_id() const {
    const auto id = hex_digits(core_->first_request + request_number_);
    return {id.data(), id.size()};
}

}  // namespace parley::net
