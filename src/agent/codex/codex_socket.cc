// SPDX-License-Identifier: Apache-2.0
#include "agent/codex/codex_socket.h"

#include <utility>

#include "dialect/limits.h"
#include "net/http_client.h"

namespace parley {

struct CodexSocket::State {
    static net::Co<void> run(std::shared_ptr<State> state, net::Loop& loop, wire::Url url) {
        auto client = net::HttpClient::create(loop, std::move(url));
        if (!client) {
            state->end(std::move(client).error());
            co_return;
        }
        auto socket = co_await (*client)->open_websocket(
            "/", {.message_bytes_max = limits::kCodexMessageBytes});
        if (state->listener == nullptr) co_return;
        if (!socket) {
            state->end(std::move(socket).error());
            co_return;
        }
        state->socket = std::move(*socket);
        state->listener->on_open();
        while (state->listener != nullptr) {
            auto text = co_await state->socket.receive();
            if (state->listener == nullptr) co_return;
            if (!text) break;
            state->listener->on_message(std::move(*text));
        }
        if (state->listener != nullptr)
            state->end({ErrorCode::unavailable, "the connection to Codex is lost"});
    }

    void end(const Error& why) {
        if (listener != nullptr) std::exchange(listener, nullptr)->on_end(why);
    }

    Listener* listener = nullptr;  // null once nobody listens
    net::WebSocket socket;
};

CodexSocket::CodexSocket(net::Loop& loop, const std::filesystem::path& path, Listener& listener)
    : state_(std::make_shared<State>()) {
    state_->listener = &listener;
    wire::Url url;
    url.scheme = wire::Url::Scheme::unix_socket;
    url.host = "localhost";
    url.socket_path = path.string();
    loop.spawn(State::run(state_, loop, std::move(url)));
}

CodexSocket::~CodexSocket() {
    state_->listener = nullptr;
    state_->socket.cut();
}

void CodexSocket::send(std::string text) {
    // One that takes no more ends soon, and that is told.
    if (!state_->socket.send(std::move(text))) state_->socket.cut();
}

}  // namespace parley
