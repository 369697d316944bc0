// SPDX-License-Identifier: Apache-2.0
#include "agent/opencode/opencode_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/limits.h"
#include "core/json_fields.h"
#include "dialect/limits.h"
#include "net/response.h"
#include "wire/header_text.h"

namespace parley {

namespace {

// What a broker of ours says at /healthz, where OpenCode has its page.
constexpr std::string_view kBrokerHealth = "ok\n";

Result<json::Value> read_body(const net::ClientResponse& response) {
    if (response.status() < 200 || response.status() > 299) {
        const std::string words = opencode::refusal_text(response.body);
        ErrorCode code = ErrorCode::invalid;
        if (response.status() == 404) code = ErrorCode::not_found;
        if (response.status() >= 500) code = ErrorCode::unavailable;
        return reject(
            code, "{}",
            words.empty() ? fmt::format("OpenCode answers {}", response.status()) : words);
    }
    if (response.body.empty()) return json::Value();
    return json::parse(response.body, {.bytes_max = limits::kOpencodeEventBytes,
                                       .depth_max = limits::kOpencodeJsonDepth});
}

}  // namespace

Result<std::unique_ptr<OpencodeServer>> OpencodeServer::create(net::Loop& loop, Options options,
                                                               Listener& listener) {
    TRY(calls, net::HttpCalls::create(loop, options.url));
    return std::unique_ptr<OpencodeServer>(
        new OpencodeServer(loop, std::move(options), std::move(calls), listener));
}

OpencodeServer::OpencodeServer(net::Loop& loop, Options options,
                               std::unique_ptr<net::HttpCalls> calls, Listener& listener)
    : loop_(loop),
      options_(std::move(options)),
      listener_(listener),
      calls_(std::move(calls)),
      delay_(limits::kOpencodeRetryMin) {}

OpencodeServer::~OpencodeServer() = default;

net::ClientRequest OpencodeServer::request(wire::Method method, std::string_view path,
                                           std::string_view directory) const {
    net::ClientRequest request{.method = method, .target = std::string(path)};
    if (!directory.empty())
        request.target += fmt::format("{}directory={}", path.find('?') == path.npos ? '?' : '&',
                                      wire::percent_encode(directory));
    if (!options_.password.empty())
        request.headers.add(
            "Authorization",
            "Basic " + wire::base64_encode(fmt::format("{}:{}", options_.user, options_.password)));
    request.timeout = limits::kOpencodeCallPatience;
    return request;
}

void OpencodeServer::send(net::ClientRequest request, Answered done) {
    const std::uint64_t number = next_++;
    under_way_[number] = calls_->send(
        std::move(request),
        [this, number, done = std::move(done)](Result<net::ClientResponse> response) mutable {
            // What is called may end us.
            const auto handle = under_way_.extract(number);
            done(std::move(response));
        });
}

void OpencodeServer::get(std::string_view path, std::string_view directory, Answered done) {
    send(request(wire::Method::get, path, directory), std::move(done));
}

net::ClientRequest OpencodeServer::post_request(std::string_view path, std::string_view directory,
                                                std::string body) const {
    net::ClientRequest message = request(wire::Method::post, path, directory);
    if (!body.empty()) message.content_type = net::kJson;
    message.body = std::move(body);
    return message;
}

void OpencodeServer::post(std::string_view path, std::string_view directory, std::string body,
                          Answered done) {
    send(post_request(path, directory, std::move(body)), std::move(done));
}

void OpencodeServer::act(std::string_view path, std::string_view directory, std::string body,
                         Answered done) {
    send_patiently(post_request(path, directory, std::move(body)), 1, std::move(done));
}

void OpencodeServer::read(std::string_view path, std::string_view directory, Read done) {
    send_patiently(request(wire::Method::get, path, directory), 1, reading(std::move(done)));
}

void OpencodeServer::send_patiently(net::ClientRequest request, int tries, Answered done) {
    net::ClientRequest again = request;
    send(std::move(request), [this, again = std::move(again), tries, done = std::move(done)](
                                 Result<net::ClientResponse> response) mutable {
        if (!is_lost(response) || tries >= limits::kOpencodeTriesMax)
            return done(std::move(response));
        loop_.post_at(
            loop_.now() + delay_after(tries),
            alive_.guard([this, again = std::move(again), tries, done = std::move(done)]() mutable {
                send_patiently(std::move(again), tries + 1, std::move(done));
            }));
    });
}

Millis OpencodeServer::delay_after(int tries) {
    return std::min<Millis>(limits::kOpencodeRetryMin * (1 << (tries - 1)),
                            limits::kOpencodeRetryMax);
}

bool OpencodeServer::is_lost(const Result<net::ClientResponse>& response) {
    return response ? response->status() >= 500 : response.error().code == ErrorCode::unavailable;
}

Result<json::Value> OpencodeServer::body_of(const Result<net::ClientResponse>& response) {
    if (!response) return reject(response.error());
    return read_body(*response);
}

OpencodeServer::Answered OpencodeServer::reading(Read done) {
    return [done = std::move(done)](const Result<net::ClientResponse>& response) mutable {
        done(body_of(response));
    };
}

// While it starts, it takes connections whose requests it never answers: so none waits long here.
void OpencodeServer::probe() {
    net::ClientRequest message = request(wire::Method::get, "/global/health", {});
    message.timeout = limits::kOpencodeProbePatience;
    send(std::move(message), [this](const Result<net::ClientResponse>& health) { probed(health); });
}

void OpencodeServer::probed(const Result<net::ClientResponse>& health) {
    if (!health) return try_again(health.error());
    if (health->status() == 401)
        return refuse(ErrorCode::denied,
                      options_.password.empty()
                          ? fmt::format("the OpenCode at {} wants a password: set "
                                        "OPENCODE_SERVER_PASSWORD, or give --password-file",
                                        address())
                          : fmt::format("the OpenCode at {} does not take this user and password",
                                        address()));
    if (health->status() >= 500)
        return try_again(
            {ErrorCode::unavailable, fmt::format("{} answers {}", address(), health->status())});
    const auto body = read_body(*health);
    if (!body || !json::is_true(*body, "healthy"))
        return refuse(ErrorCode::unsupported,
                      fmt::format("what answers at {} is no OpenCode server", address()));
    version_ = json::text_field(*body, "version");
    check_kind();
}

// A broker of ours speaks this interface too, and would be asked its own questions without end.
void OpencodeServer::check_kind() {
    get("/healthz", {}, [this](const Result<net::ClientResponse>& reply) {
        if (!reply) return try_again(reply.error());
        if (reply->status() == 200 && reply->body == kBrokerHealth)
            return refuse(ErrorCode::invalid,
                          fmt::format("what answers at {} is a Parley broker, no OpenCode server",
                                      address()));
        check_questions();
    });
}

// Where there is no such route, it answers with its page.
void OpencodeServer::check_questions() {
    get("/question", {}, reading([this](const Result<json::Value>& list) {
            if (!list && list.error().code == ErrorCode::unavailable)
                return try_again(list.error());
            if (!list || !list->is_array())
                return refuse(ErrorCode::unsupported,
                              fmt::format("OpenCode {} at {} cannot be asked for its questions "
                                          "(GET /question): update it",
                                          version_, address()));
            net::ClientRequest message = request(wire::Method::get, "/global/event", {});
            message.silence_timeout = limits::kOpencodeSilence;
            net::EventSink& sink = *this;
            events_ = calls_->open_events(std::move(message), {}, sink);
        }));
}

void OpencodeServer::on_open() {
    delay_ = limits::kOpencodeRetryMin;
    listener_.on_connected(version_);
}

void OpencodeServer::on_event(wire::ReceivedSse event) {
    // One that cannot be read is none of those that we know.
    if (auto read = opencode::read_server_event(event.data)) listener_.on_event(*read);
}

void OpencodeServer::on_refused(const net::ClientResponse& response) {
    try_again({ErrorCode::unavailable,
               fmt::format("{} gives no events: {}", address(), response.status())});
}

void OpencodeServer::on_end(Error why) {
    try_again(why);
}

void OpencodeServer::refuse(ErrorCode code, std::string why) {
    if (std::exchange(is_refused_, true)) return;
    listener_.on_refused({code, std::move(why)});
}

void OpencodeServer::try_again(const Error& why) {
    if (is_refused_) return;
    loop_.post_at(loop_.now() + delay_, alive_.guard([this] { probe(); }));
    delay_ = std::min<Millis>(delay_ * 2, limits::kOpencodeRetryMax);
    listener_.on_lost(why);
}

}  // namespace parley
