// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "net/http_client.h"
#include "net/test_certificate.h"
#include "net/test_support.h"

namespace parley::net::testing {
namespace {

using ::testing::HasSubstr;

Co<void> echo_socket(Exchange ex) {
    auto socket = co_await ex.upgrade();
    if (!socket) co_return;
    while (true) {
        auto text = co_await socket->receive();
        if (!text) co_return;
        socket->send(std::move(*text));
    }
}

// A fixture that also listens with TLS. Its limits are the product's: whoever is served must be
// served on a busy machine too.
class TlsTest : public ::testing::Test {
protected:
    explicit TlsTest(ServerLimits limits = {})
        : fixture(add_routes, HttpServerOptions{.limits = limits}) {
        auto loaded = TlsServer::load(files);
        EXPECT_TRUE(loaded);
        tls = std::move(*loaded);
        port = fixture.on_loop([this] { return *fixture.server().listen_tcp({.tls = tls}); });
    }
    ~TlsTest() override {
        std::filesystem::remove(files.certificate);
        std::filesystem::remove(files.key);
    }

    static void add_routes(Router& router) {
        router.get("/hello", [](Exchange ex) {
            ex.respond({.body = ex.peer().kind == Peer::Kind::tls ? "secret" : "open"});
        });
        router.post("/echo", [](Exchange ex) { ex.respond({.body = ex.body()}); });
        router.get("/ws", echo_socket);
        router.get("/events", [](Exchange ex) {
            Stream stream = ex.start_stream(sse_options());
            for (int i = 0; i < 100; ++i) stream.send(SharedChunk(std::string(1000, 'x')));
            stream.end();
        });
    }
    std::unique_ptr<HttpClient> client(const std::string& host, TlsTrust trust) {
        auto url = wire::Url::parse("https://" + host + ":" + std::to_string(port));
        return std::move(*HttpClient::create(loop, *url, {.trust = std::move(trust)}));
    }

    TlsFiles files = write_certificate("parley test");
    std::shared_ptr<TlsServer> tls;
    ServerFixture fixture;
    std::uint16_t port = 0;
    Loop loop;
};

TEST_F(TlsTest, ServesRequestsBodiesAndStreams) {
    for (const auto* host : {"localhost", "127.0.0.1"}) {
        const auto trusting = client(host, {.authority_file = files.certificate});
        const auto hello = run(loop, trusting->send({.target = "/hello"}));
        ASSERT_TRUE(hello) << hello.error().message;
        EXPECT_EQ(hello->body, "secret");
        const std::string large(1'000'000, 'x');
        const auto echo = run(
            loop, trusting->send({.method = wire::Method::post, .target = "/echo", .body = large}));
        ASSERT_TRUE(echo) << echo.error().message;
        EXPECT_TRUE(echo->body == large) << echo->body.size() << " bytes";
        const auto events = run(loop, trusting->send({.target = "/events"}));
        ASSERT_TRUE(events) << events.error().message;
        EXPECT_EQ(events->body.size(), 100'000U);
    }
}

Co<std::string> say(HttpClient* client, std::string text) {
    auto socket = co_await client->open_websocket("/ws");
    if (!socket) co_return socket.error().message;
    socket->send(std::move(text));
    const auto echo = co_await socket->receive();
    co_return echo.value_or("nothing");
}

TEST_F(TlsTest, CarriesWebSockets) {
    const auto trusting = client("localhost", {.authority_file = files.certificate});
    const std::string large(200'000, 'w');
    EXPECT_EQ(run(loop, say(trusting.get(), large)), large);
}

TEST_F(TlsTest, AnUnknownCertificateIsRefusedUnlessToldOtherwise) {
    const auto suspicious = client("localhost", {});
    const auto refused = run(loop, suspicious->send({.target = "/hello"}));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("self-signed certificate"));
    const auto careless = client("localhost", {.verify = TlsTrust::Verify::nothing});
    EXPECT_TRUE(run(loop, careless->send({.target = "/hello"})));
    // Another spelling of the same address, which the certificate does not name.
    const auto elsewhere = client("127.1", {.authority_file = files.certificate});
    const auto wrong_name = run(loop, elsewhere->send({.target = "/hello"}));
    ASSERT_FALSE(wrong_name);
    EXPECT_THAT(wrong_name.error().message, HasSubstr("mismatch"));
}

TEST_F(TlsTest, ReloadTakesTheNewCertificateForNewConnections) {
    const auto old_client = client("localhost", {.authority_file = files.certificate});
    ASSERT_TRUE(run(loop, old_client->send({.target = "/hello"})));
    const TlsFiles fresh = write_certificate("renewed");
    std::filesystem::rename(fresh.certificate, files.certificate);
    std::filesystem::rename(fresh.key, files.key);
    fixture.on_loop([this] { EXPECT_TRUE(tls->reload()); });
    EXPECT_TRUE(run(loop, old_client->send({.target = "/hello"}))) << "the open connection stays";
    const auto new_client = client("localhost", {.authority_file = files.certificate});
    EXPECT_TRUE(run(loop, new_client->send({.target = "/hello"})));
}

TEST_F(TlsTest, AFailedReloadKeepsTheOldCertificate) {
    std::filesystem::copy(files.key, files.key + ".kept");
    std::ofstream(files.key) << "rubbish";
    const auto reloaded = fixture.on_loop([this] { return tls->reload(); });
    ASSERT_FALSE(reloaded);
    EXPECT_THAT(reloaded.error().message, HasSubstr(files.key));
    const auto trusting = client("localhost", {.authority_file = files.certificate});
    EXPECT_TRUE(run(loop, trusting->send({.target = "/hello"})));
    std::filesystem::remove(files.key + ".kept");
}

TEST_F(TlsTest, ErrorsNameTheFile) {
    const auto missing = TlsServer::load({.certificate = "/no/cert.pem", .key = files.key});
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("/no/cert.pem"));
    const auto swapped = TlsServer::load({.certificate = files.key, .key = files.certificate});
    ASSERT_FALSE(swapped);
    EXPECT_THAT(swapped.error().message, HasSubstr("holds no PEM certificate"));
    const TlsFiles other = write_certificate("other");
    const auto mixed = TlsServer::load({.certificate = files.certificate, .key = other.key});
    ASSERT_FALSE(mixed);
    EXPECT_THAT(mixed.error().message, HasSubstr(other.key));
    std::filesystem::remove(other.certificate);
    std::filesystem::remove(other.key);
}

class TlsHandshakes : public TlsTest {
protected:
    TlsHandshakes() : TlsTest(impatient()) {}

    static ServerLimits impatient() {
        ServerLimits limits;
        limits.sweep_interval = Millis(5);
        limits.handshake_timeout = Millis(50);
        return limits;
    }
    // Good handshakes may take longer than that here, on a busy machine.
    bool is_served_in_the_end() {
        const auto trusting = client("localhost", {.authority_file = files.certificate});
        for (int tries = 0; tries < 1000; ++tries) {
            if (run(loop, trusting->send({.target = "/hello"}))) return true;
        }
        return false;
    }
};

// A peer that speaks plain HTTP to the TLS port, says nothing, or leaves in the handshake is
// dropped, and the next one is served.
TEST_F(TlsHandshakes, BadOnesEndTheirConnectionOnly) {
    auto plain = RawClient::tcp(port);
    plain.send(get("/hello"));
    plain.read_to_end();
    auto silent = RawClient::tcp(port);
    EXPECT_TRUE(silent.ends());
    RawClient::tcp(port).reset();
    EXPECT_TRUE(is_served_in_the_end());
}

}  // namespace
}  // namespace parley::net::testing
