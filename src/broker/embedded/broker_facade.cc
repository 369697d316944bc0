// SPDX-License-Identifier: Apache-2.0
// parley::Broker: every call is a task on the loop, with or without waiting for its result.
#include <utility>

#include "base/assert.h"
#include "broker/embedded/core.h"
#include "broker/embedded/handler_runner.h"
#include "broker/embedded/ticket_state.h"
#include "broker/embedded/watch_state.h"
#include "parley/broker.h"

namespace parley {

using embedded::closed_error;
using embedded::Core;
using embedded::HandlerRunner;
using embedded::TicketState;
using embedded::WatchState;

Result<Broker> Broker::open(BrokerOptions options) {
    TRY(core, Core::open(std::move(options)));
    return Broker(std::move(core));
}

Broker::Broker(Broker&& other) noexcept = default;

Broker& Broker::operator=(Broker&& other) noexcept {
    if (this == &other) return *this;
    close();
    core_ = std::move(other.core_);
    return *this;
}

Broker::~Broker() {
    close();
}

void Broker::close() {
    if (core_) core_->close();
}

Ticket Broker::ask(AskRequest request) {
    auto state = std::make_shared<TicketState>(core_);
    const bool is_posted =
        core_->post([state, request = std::move(request)](LoopBroker& broker) mutable {
            state->open(broker, std::move(request));
        });
    if (!is_posted) state->fulfil(reject(closed_error()));
    return Ticket(std::move(state));
}

Ticket Broker::ticket(AskId id) {
    auto state = std::make_shared<TicketState>(core_);
    const bool is_posted =
        core_->post([state, id](LoopBroker& broker) { state->attach(broker, id); });
    if (!is_posted) state->fulfil(reject(closed_error()));
    return Ticket(std::move(state));
}

Result<SettleReply> Broker::answer(AskId id, Answers answers, AnswerOptions options) {
    const AnswerRules rules{options.may_be_partial ? Completeness::partial : Completeness::whole};
    return core_->call<SettleReply>([&](LoopBroker& broker, Done<SettleReply> done) {
        broker.answer(id, std::move(answers), rules, core_->actor(std::move(options.by)),
                      std::move(done));
    });
}

Result<SettleReply> Broker::dismiss(AskId id, DismissOptions options) {
    return core_->call<SettleReply>([&](LoopBroker& broker, Done<SettleReply> done) {
        broker.dismiss(id, std::move(options.reason), core_->actor(std::move(options.by)),
                       std::move(done));
    });
}

Result<SettleReply> Broker::withdraw(AskId id, std::optional<std::string> reason) {
    return core_->call<SettleReply>([&](LoopBroker& broker, Done<SettleReply> done) {
        broker.withdraw(id, std::move(reason), core_->actor(), std::move(done));
    });
}

Result<std::vector<AskPtr>> Broker::pending() const {
    using List = std::vector<AskPtr>;
    return core_->call<List>([](LoopBroker& broker, Done<List> done) {
        List list;
        list.reserve(broker.ledger().pending().size());
        for (const auto& [id, ask] : broker.ledger().pending()) list.push_back(ask);
        done(std::move(list));
    });
}

Result<AskPtr> Broker::find(AskId id) const {
    return core_->call<AskPtr>([id](LoopBroker& broker, Done<AskPtr> done) {
        broker.find_ask(id, kUnrestricted, std::move(done));
    });
}

Result<SessionPtr> Broker::open_session(SessionRequest request) {
    return core_->call<SessionPtr>([&](LoopBroker& broker, Done<SessionPtr> done) {
        broker.open_session(std::move(request), kUnrestricted, std::move(done));
    });
}

Result<SessionPtr> Broker::end_session(std::string_view ref, std::optional<std::string> reason) {
    return core_->call<SessionPtr>([&](LoopBroker& broker, Done<SessionPtr> done) {
        broker.end_session(ref, std::move(reason), core_->actor(), std::move(done));
    });
}

void Broker::set_handler(Handler handler) {
    using RunnerPtr = std::shared_ptr<HandlerRunner>;
    RunnerPtr runner;
    if (handler) runner = std::make_shared<HandlerRunner>(*core_, std::move(handler));
    const auto earlier = core_->call<RunnerPtr>([&](LoopBroker&, Done<RunnerPtr> done) {
        done(core_->replace_handler(std::move(runner)));
    });
    if (!earlier || !*earlier) return;
    (*earlier)->request_stop();
    (*earlier)->shut();
}

Result<Watch> Broker::watch(WatchRequest request, WatchCallback callback) {
    auto state = std::make_shared<WatchState>(core_, std::move(callback));
    const auto started = core_->call<void>(
        [&](LoopBroker& broker, Done<void> done) { done(state->start(broker, request)); });
    if (!started) return reject(started.error());
    return Watch(std::move(state));
}

}  // namespace parley
