// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/model_asks.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "agent/limits.h"
#include "base/overload.h"
#include "core/model_text.h"
#include "core/settle.h"

namespace parley {

namespace {

// In core's words, also when no broker is there to say them.
std::string stopped_text(const AskSpec& spec) {
    const auto settlement = make_withdrawal(WithdrawalRule::turn_stopped, std::nullopt, {}, {});
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(spec);
    if (settlement) ask.settlement = std::make_shared<const Settlement>(*settlement);
    return model_text(ask);
}

}  // namespace

ModelAsks::ModelAsks(Link& link, Rules rules, Listener& listener)
    : link_(link), rules_(std::move(rules)), listener_(listener) {}

void ModelAsks::take(const llm::CallBlock& call) {
    auto open = std::make_shared<Open>(Open{.call = call});
    const bool is_full = open_.size() >= limits::kLlmAsksMax;
    open_[call.id] = open;
    if (is_full)
        return close(open, {.call_id = call.id,
                            .text = "Too many questions are open at once; wait for their answers.",
                            .is_error = true});
    llm::Wish wanted = llm::read_call(call);
    std::visit(Overload{
                   [&](llm::AskWish& wish) { ask(open, std::move(wish)); },
                   [&](const llm::WaitWish& wish) { take_wait(open, wish.ask); },
                   [&](llm::BadCall& bad) {
                       close(open,
                             {.call_id = call.id, .text = std::move(bad.why), .is_error = true});
                   },
               },
               wanted);
}

// What another conversation asked is none of this model's.
void ModelAsks::take_wait(const OpenPtr& open, AskId ask) {
    if (listener_.has_left_open(ask)) return wait_for(open, ask);
    close(open, {.call_id = open->call.id,
                 .text = fmt::format("You have asked nothing with the ask_id {}.", ask.str()),
                 .is_error = true});
}

void ModelAsks::ask(const OpenPtr& open, llm::AskWish wish) {
    wish.spec.tool = ToolCall{{}, open->call.id};
    wish.spec.agent = rules_.agent;
    if (!wish.spec.timeout) wish.spec.timeout = rules_.timeout;
    open->is_blocking = wish.is_blocking;
    open->warnings = std::move(wish.warnings);
    open->asked = {.spec = std::move(wish.spec), .session = rules_.session};
    link_.ask(open->asked, alive_.guard([this, open](const Result<OpenedAsk>& result) {
        opened(open, result);
    }));
}

void ModelAsks::opened(const OpenPtr& open, const Result<OpenedAsk>& opened) {
    if (!open_.contains(open->call.id)) {
        // The turn was stopped before it was there to be withdrawn.
        if (opened && opened->ask->is_pending())
            link_.withdraw(opened->ask->id, "the turn was stopped",
                           [](const Result<SettleReply>&) {});
        return;
    }
    if (!opened) return settled(open, reject(opened.error()));
    const AskPtr& ask = opened->ask;
    if (!ask->is_pending()) return settled(open, ask);
    listener_.asked(open->asked);
    if (open->is_blocking) return wait_for(open, ask->id);
    close(open, {.call_id = open->call.id,
                 .text = llm::result_text(*ask, open->warnings),
                 .left_open = ask->id});
}

void ModelAsks::wait_for(const OpenPtr& open, AskId ask) {
    // A wait that its own callback kept would outlive this.
    open->wait = link_.wait(ask, [this, held = std::weak_ptr(open)](const Result<AskPtr>& result) {
        if (const OpenPtr waiting = held.lock()) settled(waiting, result);
    });
    listener_.waits();
}

void ModelAsks::settled(const OpenPtr& open, const Result<AskPtr>& ask) {
    if (!ask)
        return close(open,
                     {.call_id = open->call.id,
                      .text = fmt::format("The user could not be asked: {}", ask.error().message),
                      .is_error = true});
    if (withdrawal_rule(*(*ask)->settlement) == WithdrawalRule::turn_stopped)
        return listener_.turn_stopped();
    close(open, {.call_id = open->call.id,
                 .text = llm::result_text(**ask, open->warnings),
                 .settled = (*ask)->id});
}

void ModelAsks::close(const OpenPtr& open, llm::CallDone done) {
    open_.erase(open->call.id);
    listener_.call_done(std::move(done));
}

void ModelAsks::watch(AskId ask) {
    if (watched_.contains(ask)) return;
    watched_[ask] = link_.wait(ask, [this](const Result<AskPtr>& settled) {
        // One that cannot be waited for stays as it is, and is taken up by the next run.
        if (settled) listener_.settled_late(*settled);
    });
}

std::vector<llm::CallDone> ModelAsks::stop() {
    std::vector<llm::CallDone> done;
    for (const auto& [id, open] : std::exchange(open_, {})) {
        open->wait.cancel();
        done.push_back({.call_id = id, .text = stopped_text(open->asked.spec)});
    }
    return done;
}

}  // namespace parley
