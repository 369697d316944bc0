// SPDX-License-Identifier: Apache-2.0
#include "door/door_fixture.h"

#include <fmt/format.h>

#include "door/front_page.h"
#include "net/limits.h"
#include "net/secret.h"

namespace parley::door_testing {

namespace {

GateOptions with_use(GateOptions options, LoopBroker& broker) {
    options.on_use = [&broker](const std::string& token, Instant now) {
        broker.touch_token(token, now);
    };
    return options;
}

GateOptions in_time(GateOptions options, TestTime& time) {
    if (options.hear_first)
        options.hear_first =
            hear_in_time(std::move(options.hear_first), std::make_shared<Alarms>(time, time));
    return options;
}

std::string secret_of(std::string_view token) {
    return std::string(token) + "-secret";
}

}  // namespace

Instant TestTime::wall() const {
    return loop_.clock().wall() + added_;
}

void TestTime::advance(Millis by) {
    added_ += by;
    while (!timers_.empty() && timers_.begin()->first <= mono()) {
        auto due = timers_.extract(timers_.begin());
        due.mapped()();
    }
}

std::string text_at(const json::Value& document, std::string_view pointer) {
    boost::json::error_code error;
    const json::Value* found = document.find_pointer(pointer, error);
    if (found == nullptr || !found->is_string()) return {};
    return std::string(found->get_string());
}

std::string Reply::text(std::string_view pointer) const {
    return text_at(json(), pointer);
}

std::string Api::encode(std::string_view method, std::string_view target, std::string_view body,
                        std::string_view lines) const {
    std::string request = fmt::format("{} {} HTTP/1.1\r\n{}{}", method, target, lines_, lines);
    if (!body.empty()) {
        if (lines.find("Content-Type") == std::string_view::npos)
            request += "Content-Type: application/json\r\n";
        request += fmt::format("Content-Length: {}\r\n", body.size());
    }
    return request.append("\r\n").append(body);
}

Reply Api::call(std::string_view method, std::string_view target, std::string_view body,
                std::string_view lines) {
    RawClient client = connect();
    client.send(encode(method, target, body, lines));
    auto answer = client.receive(wire::method_from(method));
    if (!answer) return {};
    return {std::move(answer->head), std::move(answer->body)};
}

std::string Api::ask(std::string_view session) {
    return post("/v1/asks",
                fmt::format(R"({{"session":"{}","questions":[{{"question":"Which drink?",)"
                            R"("options":["Tea","Coffee"]}}]}})",
                            session))
        .text("/id");
}

EventReader::EventReader(Api& api, std::string_view query, std::string_view last_event_id)
    : client_(api.connect()) {
    std::string lines;
    if (!last_event_id.empty()) lines = fmt::format("Last-Event-ID: {}\r\n", last_event_id);
    client_.send(api.encode("GET", fmt::format("/v1/events{}", query), {}, lines));
    head_ = client_.receive_head().value_or(wire::ResponseHead());
}

// The door sends each event as one chunk, so a chunk's end is an event's.
std::optional<StreamedEvent> EventReader::next() {
    while (true) {
        const std::string chunk = client_.read_until("\n\n\r\n");
        const std::size_t start = chunk.find("\r\n");
        if (!chunk.ends_with("\n\n\r\n") || start == std::string::npos) return std::nullopt;
        StreamedEvent event;
        std::string_view rest = std::string_view(chunk).substr(start + 2);
        while (!rest.empty()) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            if (line.starts_with("id: ")) event.id = line.substr(4);
            if (line.starts_with("event: ")) event.type = line.substr(7);
            if (line.starts_with("data: "))
                event.data = json::parse(line.substr(6)).value_or(json::Value());
        }
        if (event.type.empty()) continue;
        if (!event.id.empty()) last_id_ = event.id;
        return event;
    }
}

std::vector<StreamedEvent> EventReader::read_to(std::string_view type) {
    std::vector<StreamedEvent> events;
    while (auto event = next()) {
        events.push_back(std::move(*event));
        if (events.back().type == type) break;
    }
    return events;
}

DoorFixture::DoorFixture(const FixtureOptions& options)
    : is_shared_(options.is_shared),
      access_(in_time(with_use(options.access, broker_), time_), broker_.tokens(), time_),
      socket_path_(net::testing::temporary_path("door.sock")) {
    add_routes();
    if (options.has_trpc) trpc_.add_routes(router_);
    if (options.has_front_page) {
        sign_in_.add_routes(router_);
        add_front_page(router_, {broker_, sign_in_});
    }
    net::HttpServerOptions server;
    server.limits = options.limits;
    server.on_trouble = [this](const net::Trouble& trouble) {
        troubles_.emplace_back(trouble.detail);
    };
    server_ = std::make_unique<net::HttpServer>(loop_, router_, std::move(server));
    thread_ = std::thread([this] { loop_.run(); });
    start();
}

DoorFixture::~DoorFixture() {
    on_loop([this] { server_.reset(); });
    loop_.stop();
    thread_.join();
}

void DoorFixture::add_routes() {
    router_.set_gate([this](net::Visit& visit) { return access_.admit(visit); });
    router_.set_options_hook([this](const net::Visit& visit, std::string_view allow) {
        return access_.answer_preflight(visit, allow);
    });
    router_.set_after_hook([this](const net::AccessRecord& record) {
        operations_.record(record);
        const auto* caller = static_cast<const Caller*>(record.principal);
        records_.push_back(fmt::format("{} {} {} {} {} {} {}", wire::to_string(record.method),
                                       record.pattern, record.path, record.status,
                                       record.request_id, record.peer->address,
                                       caller == nullptr ? "-" : caller->principal));
    });
    broker_.on_revoked([this] {
        loop_.post([this] {
            access_.tell_revoked();
            server_->cut_where([this](const void* principal) {
                return !is_still_valid(*static_cast<const Caller*>(principal), broker_.tokens(),
                                       time_.wall());
            });
        });
    });
    native_.add_routes(router_);
    operations_.add_routes(router_);
}

void DoorFixture::start() {
    std::promise<void> started;
    loop_.post([&] {
        broker_.start([&](const Result<void>& result) {
            ASSERT(result.has_value());
            started.set_value();
        });
    });
    started.get_future().get();
    const std::pair<std::string_view, Role> tokens[] = {{"owner", Role::owner},
                                                        {"ada", Role::responder},
                                                        {"bob", Role::responder},
                                                        {"bot", Role::agent},
                                                        {"rival", Role::agent}};
    for (const auto& [name, role] : tokens) make_token(name, role);
    on_loop([this] {
        port_ = server_->listen_tcp({}).value();
        ASSERT(server_->listen_unix(socket_path_).has_value());
        access_.add_host(host());
        operations_.start(*server_);
    });
}

std::string DoorFixture::host() const {
    return fmt::format("127.0.0.1:{}", port_);
}

Api DoorFixture::as(std::string_view token) {
    return with_lines(
        fmt::format("Host: {}\r\nAuthorization: Bearer {}\r\n", host(), secret_of(token)));
}

Api DoorFixture::with_lines(std::string lines) {
    return {[port = port_] { return RawClient::tcp(port); }, std::move(lines)};
}

Api DoorFixture::local() {
    return {[path = socket_path_] { return RawClient::unix_path(path); }, "Host: anything\r\n"};
}

void DoorFixture::wait_until(const std::function<bool()>& condition) {
    while (!on_loop(condition)) std::this_thread::yield();
}

void DoorFixture::make_token(std::string_view name, Role role) {
    std::promise<void> put;
    Token token{.name = std::string(name),
                .role = role,
                .hash = net::sha256_hex(secret_of(name)),
                .created_at = time_.wall(),
                .principal = fmt::format("prn_{}", name),
                .person = std::string(name)};
    loop_.post([&] { broker_.put_token(token, [&](const Result<void>&) { put.set_value(); }); });
    put.get_future().get();
}

void DoorFixture::lose_store() {
    break_store(true);
    on_loop([this] { broker_.touch_token("owner", time_.wall()); });
    wait_until([this] { return !broker_.lost_because().empty(); });
}

void DoorFixture::advance(Millis by) {
    on_loop([&] { time_.advance(by); });
}

void DoorFixture::begin_drain() {
    on_loop([this] { server_->drain(limits::kDrainDeadline, [] {}); });
}

std::vector<std::string> DoorFixture::records() {
    return on_loop([this] { return records_; });
}

std::vector<std::string> DoorFixture::troubles() {
    return on_loop([this] { return troubles_; });
}

}  // namespace parley::door_testing
