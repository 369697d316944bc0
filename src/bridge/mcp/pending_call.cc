// SPDX-License-Identifier: Apache-2.0
#include "bridge/mcp/pending_call.h"

#include <utility>

#include "bridge/kept_call.h"
#include "bridge/mcp/conversation.h"
#include "bridge/mcp/limits.h"
#include "dialect/left_out.h"
#include "dialect/mcp/known_clients.h"
#include "dialect/mcp/tasks.h"
#include "dialect/mcp/tools.h"

namespace parley::mcp {

void PendingCall::ask_user(const json::Value& arguments) {
    is_asker_ = true;
    state_.digest = digest_of(json::serialize(arguments));
    if (call_->is_modern()) {
        if (const json::Value* state = member(call_->params(), "requestState"))
            return next_round(*state);
    }
    if (auto permission = read_permission_call(arguments)) return ask_permission(*permission);
    auto asked = read_ask_user(arguments);
    if (!asked) return fail(asked.error());
    AskSpec& spec = asked->spec;
    spec.tool = tool_call_of(call_->params());
    if (!spec.timeout) spec.timeout = conversation_.options().timeout;
    if (!call_->client().name.empty()) spec.agent = call_->client().name;
    is_blocking_ = asked->is_blocking;
    warnings_ = std::move(asked->warnings);
    open(std::move(spec));
}

// There is no "pending" for it: it waits as long as it takes.
void PendingCall::ask_permission(const PermissionCall& permission) {
    auto spec = permission_spec(permission, &warnings_);
    if (!spec) return fail(spec.error());
    if (!call_->client().name.empty()) spec->agent = call_->client().name;
    spec->timeout = conversation_.options().timeout;
    permission_ = permission_text(permission);
    if (auto kept = check_kept(*spec, permission_->size()); !kept) return fail(kept.error());
    bound_ = Bound::none;
    open(*std::move(spec));
}

void PendingCall::open(AskSpec spec) {
    call_->hold();
    conversation_.begin_work();
    conversation_.link().ask(
        {.spec = std::move(spec), .session = conversation_.session_name(*call_)},
        guarded([](PendingCall& self, const Result<OpenedAsk>& opened) {
            self.opened(opened);
            self.conversation_.end_work();
        }));
}

void PendingCall::opened(const Result<OpenedAsk>& opened) {
    if (!opened) return fail(opened.error());
    ask_ = opened->ask;
    if (left_) return cancel(*left_);
    // Its result has no room for them: whoever is asked is told.
    if (permission_ && !warnings_.empty())
        conversation_.give_notice(
            *call_, {.text = left_out_text(warnings_), .level = NoticeGiven::Level::warning});
    const json::Value* task = member(call_->params(), "task");
    const bool wants_task = !call_->is_modern() && task != nullptr && task->is_object() &&
                            call_->client().is_at_least("2025-11-25");
    const bool has_extension = call_->is_modern() && call_->client().has_tasks_extension &&
                               !habits_of(call_->client()).puts_tasks_aside;
    if (!permission_ && (wants_task || has_extension)) return give_task();
    if (!ask_->is_pending()) return settled(ask_);
    if (!is_blocking_) return give_pending();
    // A modern client would hold a form until somebody closes it, whatever was decided meanwhile.
    if (!permission_ && !call_->is_modern()) conversation_.forms().show(ask_, call_);
    wait();
}

void PendingCall::wait_for(AskId id, Bound bound) {
    bound_ = bound;
    call_->hold();
    conversation_.link().find_ask(id, guarded([](PendingCall& self, Result<AskPtr> ask) {
                                      if (!ask) return self.fail(ask.error());
                                      self.ask_ = *ask;
                                      if (self.left_) return self.cancel(*self.left_);
                                      self.wait();
                                  }));
}

// A modern client comes back with what it was given.
void PendingCall::next_round(const json::Value& state) {
    auto verified =
        state.is_string()
            ? verify({state.get_string().data(), state.get_string().size()},
                     conversation_.options().seal, conversation_.clock().wall())
            : Result<RoundState>(reject(ErrorCode::invalid, "requestState must be a string"));
    if (verified && verified->digest != state_.digest)
        verified = reject(ErrorCode::invalid, "this requestState belongs to another call");
    if (!verified) {
        call_->fail(wire::rpc::kInvalidParams, verified.error().message);
        return finish();
    }
    state_ = *std::move(verified);
    conversation_.round_came(state_.ask);
    call_->hold();
    conversation_.link().find_ask(state_.ask,
                                  guarded([](PendingCall& self, const Result<AskPtr>& ask) {
                                      if (!ask) return self.fail(ask.error());
                                      self.ask_ = *ask;
                                      if (self.left_) return self.cancel(*self.left_);
                                      self.wait();
                                  }));
}

std::string PendingCall::next_state() const {
    RoundState next = state_;
    next.ask = ask_->id;
    next.round = state_.round + 1;
    next.expires = conversation_.clock().wall() + limits::kMcpStateLife;
    return sign(next, conversation_.options().seal);
}

std::optional<Millis> PendingCall::hold() const {
    if (bound_ == Bound::none) return std::nullopt;
    if (const auto fixed = conversation_.options().hold) {
        if (*fixed == Millis::zero()) return std::nullopt;
        return fixed;
    }
    return hold_of(call_->client(), call_->wants_progress());
}

void PendingCall::wait() {
    if (!ask_->is_pending()) return settled(ask_);
    wait_ = conversation_.link().wait(
        ask_->id, guarded([](PendingCall& self, const Result<AskPtr>& ask) { self.settled(ask); }));
    if (const auto time = hold()) {
        conversation_.home().post_at(conversation_.clock().mono() + *time,
                                     guarded([](PendingCall& self) { self.held_long_enough(); }));
    }
    keep_alive();
}

void PendingCall::keep_alive() {
    if (call_->is_over() || !call_->wants_progress()) return;
    call_->progress(conversation_.is_store_away()
                        ? "the broker cannot use its store at the moment; the question is kept, "
                          "and an answer counts once it is back"
                        : "waiting for the user");
    conversation_.home().post_at(conversation_.clock().mono() + limits::kMcpProgressInterval,
                                 guarded([](PendingCall& self) { self.keep_alive(); }));
}

void PendingCall::held_long_enough() {
    if (call_->is_over()) return;
    const bool may_go_on = is_asker_ && call_->is_modern() && state_.round < limits::kMcpRounds;
    if (!may_go_on) return give_pending();
    conversation_.expect_round(ask_->id);
    call_->complete_as("input_required",
                       [&](json::Writer& out) { out.field("requestState", next_state()); });
    finish();
}

void PendingCall::settled(const Result<AskPtr>& ask) {
    if (!ask) return fail(ask.error());
    if (permission_) {
        const auto permission = read_permission_text(*permission_);
        if (!permission) return fail(permission.error());
        call_->complete(
            [&](json::Writer& out) { write_permission_result(out, *permission, **ask); });
        return finish();
    }
    call_->complete([&](json::Writer& out) {
        write_ask_result(out, **ask, warnings_);
        if (bound_ == Bound::none && !call_->is_modern()) write_related_task(out, (*ask)->id);
    });
    finish();
}

void PendingCall::give_pending() {
    call_->complete([&](json::Writer& out) { write_ask_result(out, *ask_, warnings_); });
    finish();
}

void PendingCall::give_task() {
    if (call_->is_modern()) {
        call_->complete_as(
            "task", [&](json::Writer& out) { write_modern_task(out, *ask_, task_status(*ask_)); });
    } else {
        conversation_.task_news().announce(*ask_);
        call_->complete([&](json::Writer& out) {
            out.key("task").begin_object();
            write_legacy_task(out, *ask_);
            out.end_object();
        });
    }
    finish();
}

// What the caller did wrong is for the model to read; the rest is an error of the protocol.
void PendingCall::fail(const Error& error) {
    const bool is_callers =
        error.code == ErrorCode::invalid || error.code == ErrorCode::not_found ||
        error.code == ErrorCode::key_conflict || error.code == ErrorCode::too_large;
    if (is_callers) {
        call_->complete([&](json::Writer& out) { write_error_result(out, error); });
    } else {
        call_->fail(wire::rpc::kInternalError, error.message);
    }
    finish();
}

void PendingCall::cancel(Call::Leaving how) {
    left_ = how;
    if (!ask_) return;  // comes here again once it is opened
    if (is_asker_ && is_blocking_ && how == Call::Leaving::cancelled)
        conversation_.withdraw(ask_->id, "the agent cancelled its call");
    finish();
}

void PendingCall::finish() {
    wait_.cancel();
    conversation_.retire(*this);
}

}  // namespace parley::mcp
