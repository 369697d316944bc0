// SPDX-License-Identifier: Apache-2.0
// One call that asks, or waits for what was asked: opens the ask, keeps the client alive meanwhile,
// races its form against the other doors, and answers when the ask is settled or the call has
// waited long enough. Owned by its Conversation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "bridge/mcp/call.h"
#include "bridge/mcp/forms.h"
#include "bridge/mcp/round_state.h"
#include "client/link.h"
#include "dialect/mcp/permission.h"
#include "parley/values.h"

namespace parley::mcp {

class Conversation;

class PendingCall : public std::enable_shared_from_this<PendingCall> {
public:
    PendingCall(Conversation& conversation, std::shared_ptr<Call> call)
        : conversation_(conversation), call_(std::move(call)) {}

    // ask_user, whole: its first round or a later one, as a task or not.
    void ask_user(const json::Value& arguments);
    // wait_answer, and the result of a task, which has no bound of its own.
    enum class Bound : std::uint8_t { held, none };
    void wait_for(AskId id, Bound bound);

    // The client has cancelled the call, or is gone.
    void cancel(Call::Leaving how);

private:
    template <class F>
    auto guarded(F use) {
        return [weak = weak_from_this(), use = std::move(use)](auto&&... arguments) mutable {
            if (const auto self = weak.lock())
                use(*self, std::forward<decltype(arguments)>(arguments)...);
        };
    }

    // Called by Claude Code as its permission prompt: its reply has another form.
    void ask_permission(const PermissionCall& permission);
    void open(AskSpec spec);
    void opened(const Result<OpenedAsk>& opened);
    void next_round(const json::Value& state);
    void wait();
    void keep_alive();
    void held_long_enough();
    void settled(const Result<AskPtr>& ask);
    void give_pending();
    void give_task();
    void fail(const Error& error);
    void finish();

    std::optional<Millis> hold() const;
    std::string next_state() const;

    Conversation& conversation_;
    std::shared_ptr<Call> call_;
    AskPtr ask_;
    LinkWait wait_;
    RoundState state_;                       // of a modern call
    std::optional<std::string> permission_;  // the call as text, while it waits
    Bound bound_ = Bound::held;
    bool is_asker_ = false;    // cancelling takes the ask back
    bool is_blocking_ = true;  // false: the answer is fetched later
    std::vector<Fault> warnings_;
    std::optional<Call::Leaving> left_;
};

}  // namespace parley::mcp
