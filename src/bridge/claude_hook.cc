// SPDX-License-Identifier: Apache-2.0
#include "bridge/claude_hook.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "bridge/kept_call.h"

namespace parley {

ClaudeHook::ClaudeHook(Link& link, claude::HookCall call, Options options, Finished finished)
    : link_(link),
      call_(std::move(call)),
      options_(std::move(options)),
      finished_(std::move(finished)) {}

void ClaudeHook::start() {
    act({});
}

void ClaudeHook::act(std::string complaint) {
    const std::string nonce = fmt::format("{}-{}", options_.nonce, ++tries_);
    auto plan = claude::plan_hook(call_, options_.rules, nonce, complaint);
    if (!plan) return fail(plan.error());
    if (auto* ask = std::get_if<claude::HookAsk>(&*plan)) {
        document_ = claude::take_document(call_);
        const std::size_t kept =
            document_.size() + call_.prompt.size() + call_.folder.size() + call_.transcript.size();
        if (auto checked = check_kept(ask->request.spec, kept); !checked)
            return fail(checked.error());
        open(std::move(*ask));
    } else if (auto* withdrawal = std::get_if<claude::HookWithdrawal>(&*plan)) {
        withdraw(*withdrawal);
    } else if (auto* notice = std::get_if<claude::HookNotice>(&*plan)) {
        tell(std::move(*notice));
    } else {
        finish({});
    }
}

void ClaudeHook::open(claude::HookAsk ask) {
    warnings_ = std::move(ask.request.warnings);
    SessionRequest session{.name = ask.request.session,
                           .title = std::move(ask.session_title),
                           .agent = ask.request.spec.agent};
    link_.open_session(std::move(session),
                       [this, request = std::move(ask.request)](Result<SessionPtr> opened) mutable {
                           if (!opened) return fail(opened.error());
                           if (giving_up_) return finish({});
                           link_.ask(std::move(request), [this](Result<OpenedAsk> asked) {
                               this->opened(std::move(asked));
                           });
                       });
}

void ClaudeHook::opened(Result<OpenedAsk> opened) {
    if (!opened) return fail(opened.error());
    ask_ = opened->ask;
    if (!ask_->is_pending()) return settled(ask_);
    if (giving_up_) return withdraw_all({ask_});
    if (claude::is_deferred(call_, options_.rules))
        return finish({.output = claude::defer_output()});
    wait_ = link_.wait(ask_->id, [this](Result<AskPtr> ask) { settled(ask); });
}

void ClaudeHook::settled(const Result<AskPtr>& ask) {
    if (!ask) return fail(ask.error());
    if (giving_up_) return finish({});
    ask_ = nullptr;
    if (auto whole = claude::put_back_document(call_, document_); !whole)
        return fail(whole.error());
    if (options_.needs_context) options_.rules.adds_context = options_.needs_context();
    auto output = claude::hook_output(call_, options_.rules, **ask);
    if (!output) return act(output.error().message);
    finish({.output = std::move(*output)});
}

void ClaudeHook::give_up(std::string reason) {
    if (giving_up_) return;
    giving_up_ = std::move(reason);
    wait_.cancel();
    if (ask_) withdraw_all({ask_});
}

void ClaudeHook::find_pending(UniqueFunction<void(std::vector<AskPtr>)> found) {
    link_.find_session(
        call_.session, [this, found = std::move(found)](Result<SessionPtr> session) mutable {
            // A session that nobody knows has no asks.
            if (!session) return found({});
            link_.list_asks({.state = AskState::pending, .session = (*session)->id},
                            [this, found = std::move(found)](Result<AskPage> page) mutable {
                                if (!page) return fail(page.error());
                                found(std::move(page->asks));
                            });
        });
}

void ClaudeHook::withdraw(const claude::HookWithdrawal& withdrawal) {
    find_pending([this, withdrawal](std::vector<AskPtr> asks) {
        std::erase_if(asks, [&](const AskPtr& ask) { return !claude::is_meant(withdrawal, *ask); });
        withdraw_all(std::move(asks));
    });
}

// One after the other; one that was settled meanwhile is none the worse.
void ClaudeHook::withdraw_all(std::vector<AskPtr> asks) {
    if (asks.empty()) return finish({});
    const AskId id = asks.back()->id;
    asks.pop_back();
    link_.withdraw(id, giving_up_.value_or("it was settled in Claude Code"),
                   [this, asks = std::move(asks)](Result<SettleReply>) mutable {
                       withdraw_all(std::move(asks));
                   });
}

void ClaudeHook::tell(claude::HookNotice notice) {
    find_pending([this, notice = std::move(notice)](const std::vector<AskPtr>& asks) mutable {
        if (notice.only_if_none_waits && !asks.empty()) return finish({});
        link_.give_notice(notice.session, std::move(notice.notice), [this](Result<void> told) {
            if (!told) return fail(told.error());
            finish({});
        });
    });
}

void ClaudeHook::finish(Ending ending) {
    ending.warnings = std::move(warnings_);
    if (finished_) std::exchange(finished_, nullptr)(std::move(ending));
}

}  // namespace parley
