// SPDX-License-Identifier: Apache-2.0
// The agents that run inside a server: the demo, and the sessions of Codex that it joins.
#include <utility>

#include "app/limits.h"
#include "app/serve/server.h"
#include "core/door_names.h"

namespace parley::app {

void Server::start_demo() {
    demo_link_ = std::make_unique<LocalLink>(LocalLink::Wiring{loop_, clock_, *broker_},
                                             unrestricted_actor("demo", door_names::kProgram));
    demo_host_ = std::make_unique<DemoHost>(
        DemoHost::Wiring{
            .home = loop_,
            .link = *demo_link_,
            .spoken = [this](std::string_view line) { told_.demo(line); },
            .failed = [this](const Error& error) { told_.demo_failed(error.message); },
            .claim = [this](SessionId session,
                            auto done) { nodes_->claim_agent(session, std::move(done)); }},
        options_.has_demo_agent ? DemoHost::Scope::unattended : DemoHost::Scope::own);
    nodes_->on_agent_left([this](SessionId session) {
        if (demo_host_) demo_host_->agent_left(session);
    });
    demo_host_->start();
    if (options_.has_demo) demo_host_->begin_own();
}

// As if they had been killed: to them, a broker that stops would be one that fails.
void Server::stop_agents() {
    demo_host_.reset();
}

// One that a `parley join codex` has claimed is ours when that one ends.
void Server::claim_join() {
    auto claim = JoinClaim::take({.folder = options_.codex->claims,
                                  .broker = page_url() + "/",
                                  .codex = options_.codex->socket});
    if (claim) {
        codex_claim_ = std::move(*claim);
        return start_join();
    }
    if (!std::exchange(is_claim_told_, true)) told_.joined(true, claim.error().message);
    loop_.post_at(loop_.now() + limits::kJoinClaimPeriod, [this] { claim_join(); });
}

void Server::start_join() {
    codex_link_ = std::make_unique<LocalLink>(LocalLink::Wiring{loop_, clock_, *broker_},
                                              unrestricted_actor("codex", door_names::kCodex));
    codex_ = std::make_unique<CodexJoin>(
        loop_, *codex_link_,
        CodexJoin::Options{.socket = options_.codex->socket, .version = PARLEY_VERSION},
        [this](CodexJoin::News news, std::string_view text) {
            told_.joined(news == CodexJoin::News::trouble, text);
        });
    codex_->start();
}

}  // namespace parley::app
