// SPDX-License-Identifier: Apache-2.0
#include "agent/opencode/opencode_prompt.h"

#include <fmt/format.h>

#include <utility>

#include "agent/limits.h"

namespace parley {

OpencodePrompt::OpencodePrompt(net::Loop& loop, Listener& listener)
    : loop_(loop),
      listener_(listener),
      run_(fmt::format("{}", loop.clock().wall().time_since_epoch().count())) {}

void OpencodePrompt::give(OpencodeServer& server, std::string path,
                          const std::vector<std::string>& texts,
                          const opencode::PromptChoice& choice, Task has_them) {
    std::string mark = fmt::format("{}-{}", run_, ++gives_);
    given_ = Given{.server = &server,
                   .path = std::move(path),
                   .body = opencode::prompt_body(texts, choice, mark),
                   .mark = std::move(mark),
                   .has_them = std::move(has_them)};
    send();
}

void OpencodePrompt::send() {
    ++given_->tries;
    given_->server->post(
        given_->path + "/prompt_async", {}, given_->body,
        alive_.guard([this, step = ++step_](const Result<net::ClientResponse>& response) {
            if (is_current(step)) answered(response);
        }));
}

void OpencodePrompt::answered(const Result<net::ClientResponse>& response) {
    const auto body = OpencodeServer::body_of(response);
    if (!OpencodeServer::is_lost(response)) {
        taken();
        return listener_.prompt_taken(body ? Result<void>() : reject(body.error()));
    }
    if (given_->tries >= limits::kOpencodeTriesMax) return listener_.prompt_lost(body.error());
    loop_.post_at(loop_.now() + OpencodeServer::delay_after(given_->tries),
                  alive_.guard([this, step = ++step_] {
                      if (is_current(step)) look();
                  }));
}

// It may have taken what it did not say that it took.
void OpencodePrompt::look() {
    given_->server->read(
        fmt::format("{}/message?limit={}", given_->path, limits::kOpencodeMessagesRead), {},
        alive_.guard([this, step = ++step_](const Result<json::Value>& messages) {
            if (!is_current(step)) return;
            if (!messages) return listener_.prompt_lost(messages.error());
            if (!opencode::has_marked(*messages, given_->mark)) return send();
            taken();
            listener_.prompt_found();
        }));
}

void OpencodePrompt::heard() {
    if (!given_) return;
    taken();
    listener_.prompt_taken({});
}

void OpencodePrompt::give_up() {
    if (given_) taken();
}

void OpencodePrompt::pause() {
    ++step_;
}

void OpencodePrompt::go_on() {
    if (given_) look();
}

void OpencodePrompt::taken() {
    std::exchange(given_, std::nullopt)->has_them();
}

}  // namespace parley
