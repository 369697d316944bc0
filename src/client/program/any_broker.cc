// SPDX-License-Identifier: Apache-2.0
// parley::AnyBroker: every call is a task on the loop, with or without waiting for its result.
#include "parley/any_broker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "client/program/core.h"
#include "client/program/handler_runner.h"
#include "client/program/ticket_state.h"
#include "client/program/watch_state.h"
#include "core/limits.h"

namespace parley {

using program::closed_error;
using program::Core;
using program::HandlerRunner;
using program::TicketState;
using program::WatchState;

namespace {

using List = std::vector<AskPtr>;

void list_pending(Link& link, List listed, std::optional<AskId> after, Done<List> done) {
    link.list_asks(
        {.state = AskState::pending, .after = after, .limit = limits::kListPageMax},
        [&link, listed = std::move(listed), done = std::move(done)](Result<AskPage> page) mutable {
            if (!page) return done(reject(std::move(page).error()));
            std::ranges::move(page->asks, std::back_inserter(listed));
            if (!page->has_more) return done(std::move(listed));
            list_pending(link, std::move(listed), page->last, std::move(done));
        });
}

}  // namespace

AnyBroker::AnyBroker(AnyBroker&& other) noexcept = default;

AnyBroker& AnyBroker::operator=(AnyBroker&& other) noexcept {
    if (this == &other) return *this;
    close();
    core_ = std::move(other.core_);
    return *this;
}

AnyBroker::~AnyBroker() {
    close();
}

void AnyBroker::close() {
    if (core_) core_->close();
}

Ticket AnyBroker::ask(AskRequest request) {
    auto state = std::make_shared<TicketState>(core_);
    const bool is_posted = core_->post([state, request = std::move(request)](Link& link) mutable {
        state->open(link, std::move(request));
    });
    if (!is_posted) state->fulfil(reject(closed_error()));
    return Ticket(std::move(state));
}

Ticket AnyBroker::ticket(AskId id) {
    auto state = std::make_shared<TicketState>(core_);
    const bool is_posted = core_->post([state, id](Link& link) { state->attach(link, id); });
    if (!is_posted) state->fulfil(reject(closed_error()));
    return Ticket(std::move(state));
}

Result<SettleReply> AnyBroker::answer(AskId id, Answers answers, AnswerOptions options) {
    return core_->call<SettleReply>([&](Link& link, Done<SettleReply> done) {
        link.answer(id, std::move(answers), std::move(options), std::move(done));
    });
}

Result<SettleReply> AnyBroker::dismiss(AskId id, DismissOptions options) {
    return core_->call<SettleReply>([&](Link& link, Done<SettleReply> done) {
        link.dismiss(id, std::move(options), std::move(done));
    });
}

Result<SettleReply> AnyBroker::withdraw(AskId id, std::optional<std::string> reason) {
    return core_->call<SettleReply>([&](Link& link, Done<SettleReply> done) {
        link.withdraw(id, std::move(reason), std::move(done));
    });
}

Result<std::vector<AskPtr>> AnyBroker::pending() const {
    return core_->call<List>(
        [](Link& link, Done<List> done) { list_pending(link, {}, {}, std::move(done)); });
}

Result<AskPtr> AnyBroker::find(AskId id) const {
    return core_->call<AskPtr>(
        [id](Link& link, Done<AskPtr> done) { link.find_ask(id, std::move(done)); });
}

Result<SessionPtr> AnyBroker::open_session(SessionRequest request) {
    return core_->call<SessionPtr>([&](Link& link, Done<SessionPtr> done) {
        link.open_session(std::move(request), std::move(done));
    });
}

Result<SessionPtr> AnyBroker::end_session(std::string_view ref, std::optional<std::string> reason) {
    return core_->call<SessionPtr>([&](Link& link, Done<SessionPtr> done) {
        link.end_session(ref, std::move(reason), std::move(done));
    });
}

void AnyBroker::set_handler(Handler handler) {
    using RunnerPtr = std::shared_ptr<HandlerRunner>;
    RunnerPtr runner;
    if (handler) runner = std::make_shared<HandlerRunner>(*core_, std::move(handler));
    const auto earlier = core_->call<RunnerPtr>(
        [&](Link&, Done<RunnerPtr> done) { done(core_->replace_handler(std::move(runner))); });
    if (!earlier || !*earlier) return;
    (*earlier)->request_stop();
    (*earlier)->shut();
}

Result<Watch> AnyBroker::watch(WatchRequest request, WatchCallback callback) {
    auto state = std::make_shared<WatchState>(core_, std::move(callback));
    const auto started = core_->call<void>(
        [&](Link& link, Done<void> done) { state->start(link, request, std::move(done)); });
    if (!started) {
        state->stop();
        return reject(started.error());
    }
    return Watch(std::move(state));
}

}  // namespace parley
