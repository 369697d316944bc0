// SPDX-License-Identifier: Apache-2.0
// An agent of one's own: it shows its work, asks, and goes on with exactly the answer.
//
//     agent [SOCKET]
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/src.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

namespace http = boost::beast::http;
namespace json = boost::json;
using Local = boost::asio::local::stream_protocol;

namespace {

const std::string kSession = "release-notes";
std::string socket_path;

// One request. A broker that is away, or not ready yet, is waited for.
json::value call(const std::string& path, const json::value& body) {
    http::request<http::string_body> request(http::verb::post, path, 11, json::serialize(body));
    request.set(http::field::host, "parley");
    request.set(http::field::content_type, "application/json");
    request.prepare_payload();
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(200))) try {
            boost::asio::io_context context;
            Local::socket stream(context);
            stream.connect(Local::endpoint(socket_path));
            http::write(stream, request);
            boost::beast::flat_buffer buffer;
            http::response<http::string_body> response;
            http::read(stream, buffer, response);
            if (response.result_int() < 400)
                return response.body().empty() ? json::value() : json::parse(response.body());
            if (response.result_int() != 503) throw std::runtime_error(response.body());
        } catch (const boost::system::system_error&) {
        }
}

void push(const json::array& items) {
    call("/v1/sessions/" + kSession + "/events", items);
}

// The same key is the same ask: sent again, it waits on, or brings what was answered.
json::value ask(const std::string& key, const json::value& question) {
    const json::value body = {
        {"session", kSession}, {"key", key}, {"questions", json::array{question}}};
    for (;;) {
        const json::value settled = call("/v1/asks?wait=60", body);
        if (settled.at("state") != "pending") return settled.at("settlement");
    }
}

std::string chosen(const json::value& settlement) {
    if (settlement.at("outcome") != "answered") return "no answer";
    const json::object& answer = settlement.at("answers").at(0).as_object();
    const json::array& selected = answer.at("selected").as_array();
    return json::value_to<std::string>(selected.empty() ? answer.at("other") : selected[0]);
}

}  // namespace

int main(int count, char** arguments) {
    const char* folder = std::getenv("XDG_RUNTIME_DIR");
    socket_path = count > 1 ? arguments[1] : std::string(folder ? folder : ".") + "/parley.sock";
    call("/v1/sessions", {{"name", kSession}, {"title", "Notes of 2.4"}, {"agent", "writer"}});
    push({{{"type", "status"}, {"status", "working"}},
          {{"type", "text-start"}, {"part_id", "t1"}, {"text", "I read what changed "}},
          {{"type", "text-delta"}, {"part_id", "t1"}, {"text", "and wrote the notes of 2.4."}},
          {{"type", "text-end"}, {"part_id", "t1"}}});
    const json::value settlement =
        ask("publish-2.4", {{"question", "Shall I publish the notes of 2.4?"},
                            {"header", "Publish"},
                            {"options", {"Publish", "Hold back"}}});
    const std::string answer = chosen(settlement);
    push({{{"type", "text-start"}, {"part_id", "t2"}, {"text", "Then this it is: " + answer + "."}},
          {{"type", "text-end"}, {"part_id", "t2"}},
          {{"type", "finish"}}});
    std::cout << settlement.at("outcome").as_string().c_str() << ": " << answer << '\n';
}
