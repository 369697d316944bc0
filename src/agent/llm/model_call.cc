// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/model_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/limits.h"
#include "dialect/llm/models.h"
#include "text/time_text.h"
#include "wire/http_writer.h"

namespace parley {

namespace {

constexpr std::string_view kOpenAiHost = "api.openai.com";

// Shorter ones are words that local servers are content with.
constexpr std::size_t kSecretLength = 12;

// Half of it at least, so that many who failed together do not come back together.
Millis with_jitter(Millis delay, RandomBits& random) {
    const auto half = static_cast<std::uint64_t>(delay.count()) / 2;
    return Millis(static_cast<std::int64_t>(half + random() % (half + 1)));
}

std::string with_fix(std::string why, const std::string& fix) {
    return fix.empty() ? why : fmt::format("{}; {}", why, fix);
}

}  // namespace

Result<std::unique_ptr<ModelServer>> ModelServer::create(net::Loop& loop, Options options) {
    TRY(calls, net::HttpCalls::create(loop, options.address));
    return std::unique_ptr<ModelServer>(new ModelServer(std::move(options), std::move(calls)));
}

ModelServer::ModelServer(Options options, std::unique_ptr<net::HttpCalls> calls)
    : options_(std::move(options)), calls_(std::move(calls)) {
    wishes_.has_new_names = options_.address.host == kOpenAiHost;
}

net::HttpCalls::Handle ModelServer::post(std::string body, net::EventSink& sink) {
    net::ClientRequest request =
        this->request(llm::request_path(options_.api, options_.address.target));
    request.method = wire::Method::post;
    request.body = std::move(body);
    request.content_type = "application/json";
    request.timeout = limits::kLlmPatience;
    request.silence_timeout = limits::kLlmPatience;
    return calls_->open_events(std::move(request), {}, sink);
}

net::HttpCalls::Handle ModelServer::list_models(Millis patience, net::HttpCalls::Answered done) {
    net::ClientRequest request =
        this->request(llm::models_path(options_.api, options_.address.target));
    request.timeout = patience;
    return calls_->send(std::move(request), std::move(done));
}

net::ClientRequest ModelServer::request(std::string target) const {
    net::ClientRequest request{.target = std::move(target)};
    request.headers.add("User-Agent", "parley");
    const bool is_anthropic = options_.api == llm::Api::anthropic;
    if (is_anthropic) request.headers.add("anthropic-version", "2023-06-01");
    if (!options_.key.empty() && is_anthropic) request.headers.add("x-api-key", options_.key);
    if (!options_.key.empty() && !is_anthropic)
        request.headers.add("Authorization", "Bearer " + options_.key);
    return request;
}

std::string ModelServer::without_key(std::string text) const {
    const std::string& key = options_.key;
    if (key.size() < kSecretLength) return text;
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at))
        text.replace(at, key.size(), "…");
    return text;
}

ModelCall::ModelCall(Executor& home, const Clock& clock, ModelServer& server, RandomBits& random,
                     Listener& listener)
    : home_(home),
      clock_(clock),
      server_(server),
      random_(random),
      listener_(listener),
      reader_(llm::make_reader(server.api())) {}

void ModelCall::start() {
    ++tries_;
    ask();
}

void ModelCall::ask() {
    reader_ = llm::make_reader(server_.api());
    call_ = server_.post(listener_.request_body(), *this);
}

void ModelCall::on_event(wire::ReceivedSse event) {
    auto pieces = reader_->take(event.data);
    if (!pieces) {
        call_.reset();
        const Error& error = pieces.error();
        if (error.code == ErrorCode::unavailable) return again(error.message, std::nullopt);
        return fail(error.message);
    }
    for (llm::ResponseReader::Piece& piece : *pieces) listener_.model_says(std::move(piece));
    if (reader_->is_whole()) finish();
}

void ModelCall::on_end(Error why) {
    if (reader_->may_end()) return finish();
    if (why.code == ErrorCode::unsupported || why.code == ErrorCode::too_large)
        return fail(with_fix(fmt::format("{}: {}", server_.address(), why.message),
                             "see whether --base-url and --api are right"));
    again(fmt::format("{}: {}", server_.address(), why.message), std::nullopt);
}

void ModelCall::on_refused(const net::ClientResponse& response) {
    const llm::Refusal refusal = llm::read_refusal(response.status(), response.body);
    const std::string_view phrase = wire::reason_phrase(response.status());
    const std::string why =
        fmt::format("{} {}", response.status(), refusal.message.empty() ? phrase : refusal.message);
    if (refusal.is_passing)
        return again(why,
                     llm::read_retry_after(response.head.fields.get("retry-after"), clock_.wall()));
    if (mend_request(refusal)) return ask();
    fail(with_fix(why, llm::fix_for(response.status(), refusal, server_.key_source())));
}

// A server that does not know how to be asked for counts answers without.
bool ModelCall::mend_request(const llm::Refusal& refusal) {
    const bool is_about_it = refusal.message.find("stream_options") != std::string::npos ||
                             refusal.message.find("include_usage") != std::string::npos;
    return is_about_it && std::exchange(server_.wishes().wants_usage, false);
}

void ModelCall::again(const std::string& why, std::optional<Millis> wanted) {
    if (tries_ >= limits::kLlmTriesMax)
        return fail(fmt::format("{}; asked {} times, given up", why, tries_));
    if (wanted && *wanted > limits::kLlmWaitMax)
        return fail(fmt::format("{}; the server wants to be asked again in {}, which is too long",
                                why, format_duration(*wanted)));
    const Millis grown =
        std::min<Millis>(limits::kLlmDelayMin * (1 << (tries_ - 1)), limits::kLlmDelayMax);
    const Millis delay = wanted ? *wanted : with_jitter(grown, random_);
    reader_ = llm::make_reader(server_.api());
    listener_.model_begins_again(
        fmt::format("{}; asked again {} (try {} of {})", server_.without_key(why),
                    delay < std::chrono::seconds(1) ? "at once" : "in " + format_duration(delay),
                    tries_ + 1, limits::kLlmTriesMax));
    home_.post_at(clock_.mono() + delay, alive_.guard([this] { start(); }));
}

// Whoever is told may drop this.
void ModelCall::finish() {
    call_.reset();
    listener_.model_said(reader_->response());
}

void ModelCall::fail(std::string why) {
    call_.reset();
    listener_.model_failed(server_.without_key(std::move(why)));
}

}  // namespace parley
