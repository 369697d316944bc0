// SPDX-License-Identifier: Apache-2.0
// One call of a Claude Code hook, carried through a link: asks what the call wants decided and
// waits, or takes back what was settled in Claude Code itself, or tells people something. Whatever
// goes wrong ends as "no opinion", so that Claude Code's own dialog serves. Lives on its link's
// executor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_function.h"
#include "client/link.h"
#include "dialect/claude/hook.h"

namespace parley {

class ClaudeHook {
public:
    struct Options {
        claude::HookRules rules = {};
        std::string nonce;  // tells this call apart from all others
        // Whether this Claude Code needs the answers as `additionalContext` too. Looked up when the
        // answer is there: what tells it may not be written yet when the hook is called.
        std::function<bool()> needs_context = {};
    };
    struct Ending {
        std::string output = {};           // what the hook prints; empty: no opinion
        std::optional<Error> error = {};   // why there is none, if something went wrong
        std::vector<Fault> warnings = {};  // what of the questions was not known, and left out
    };
    using Finished = UniqueFunction<void(Ending)>;

    ClaudeHook(Link& link, claude::HookCall call, Options options, Finished finished);

    void start();
    // Nobody waits for the output any more: takes back what was asked, then ends with no opinion.
    void give_up(std::string reason);

private:
    void act(std::string complaint);
    void open(claude::HookAsk ask);
    void opened(Result<OpenedAsk> opened);
    void settled(const Result<AskPtr>& ask);
    void withdraw(const claude::HookWithdrawal& withdrawal);
    void withdraw_all(std::vector<AskPtr> asks);
    void tell(claude::HookNotice notice);
    // The pending asks of Claude's session.
    void find_pending(UniqueFunction<void(std::vector<AskPtr>)> found);
    void finish(Ending ending);
    void fail(const Error& error) { finish({.error = error}); }

    Link& link_;
    claude::HookCall call_;
    std::string document_;  // of the call, while it waits
    Options options_;
    std::vector<Fault> warnings_;
    Finished finished_;
    AskPtr ask_;
    LinkWait wait_;
    int tries_ = 0;
    std::optional<std::string> giving_up_;  // why
};

}  // namespace parley
