// SPDX-License-Identifier: Apache-2.0
// The agents that run inside a server: the demo, models, and the sessions of Codex that it joins.
#include <utility>

#include "app/limits.h"
#include "app/serve/server.h"
#include "core/door_names.h"

namespace parley::app {

SessionHost::Claim Server::agent_claim() {
    return [this](SessionId session, auto done) { nodes_->claim_agent(session, std::move(done)); };
}

void Server::start_agents() {
    if (options_.has_demo || options_.has_demo_agent) start_demo();
    if (options_.llm) start_models();
    if (!demo_host_ && !llm_host_) return;
    broker_->on_unheard([this](SessionId session, SessionHost::Called called) {
        if (!demo_host_) return call_model(session, std::move(called));
        demo_host_->call(session,
                         [this, session, called = std::move(called)](bool is_served) mutable {
                             if (is_served) return called(true);
                             call_model(session, std::move(called));
                         });
    });
}

void Server::call_model(SessionId session, SessionHost::Called called) {
    if (!llm_host_) return called(false);
    llm_host_->call(session, std::move(called));
}

void Server::start_demo() {
    demo_link_ = std::make_unique<LocalLink>(LocalLink::Wiring{loop_, clock_, *broker_},
                                             unrestricted_actor("demo", door_names::kProgram));
    demo_host_ = std::make_unique<DemoHost>(
        DemoHost::Wiring{.home = loop_,
                         .link = *demo_link_,
                         .spoken = [this](std::string_view line) { told_.demo(line); },
                         .failed = [this](const Error& error) { told_.demo_failed(error.message); },
                         .claim = agent_claim()},
        options_.has_demo_agent ? DemoHost::Scope::unattended : DemoHost::Scope::own);
    nodes_->on_agent_left([this](SessionId session) {
        if (demo_host_) demo_host_->agent_left(session);
    });
    demo_host_->start();
    if (options_.has_demo) demo_host_->begin_own();
}

void Server::start_models() {
    const LocalLink::Wiring wiring{loop_, clock_, *broker_};
    watching_link_ =
        std::make_unique<LocalLink>(wiring, unrestricted_actor("llm", door_names::kProgram));
    llm_link_ =
        std::make_unique<LocalLink>(wiring, Actor{.principal = options_.llm->journals.principal(),
                                                  .door = std::string(door_names::kProgram),
                                                  .name = "llm"});
    llm_host_ = std::make_unique<LlmHost>(
        LlmHost::Wiring{.loop = loop_,
                        .watching = *watching_link_,
                        .acting = *llm_link_,
                        .claim = agent_claim(),
                        .failed = [this](const Error& error) { told_.llm_failed(error.message); }},
        *options_.llm);
    nodes_->on_agent_left([this](SessionId session) {
        if (llm_host_) llm_host_->agent_left(session);
    });
    llm_host_->start();
}

// As if they had been killed: to them, a broker that stops would be one that fails.
void Server::stop_agents() {
    agents_may_start_.end();
    demo_host_.reset();
    llm_host_.reset();
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
    loop_.post_at(loop_.now() + limits::kJoinClaimPeriod,
                  agents_may_start_.guard([this] { claim_join(); }));
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
