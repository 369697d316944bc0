// SPDX-License-Identifier: Apache-2.0
// One question on its way: asked through a link, prompted for here if it is to be, awaited,
// reported. Whatever settles it first, here or elsewhere, ends it. Lives on the loop, which its
// owner runs until `finished` is called; the link may live on after it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/command_line/run_context.h"
#include "app/commands/ask_report.h"
#include "app/reach/broker_access.h"
#include "app/terminal/answer_prompt.h"
#include "base/lifetime.h"
#include "broker/requests.h"
#include "client/link.h"
#include "net/loop.h"

namespace parley::app {

class AskRun {
public:
    struct Options {
        AskRequest request;                        // checked
        std::optional<PromptSetting> prompt = {};  // nullopt: no prompt here
        AnswerForm form = AnswerForm::plain;
        bool is_background = false;  // ends once it is asked, and tells its id
        // An agent that runs here has asked it, and its driver settles what is left of it.
        bool is_of_agent = false;
    };
    using Finished = UniqueFunction<void(ExitCode)>;

    AskRun(const RunContext& context, net::Loop& loop, BrokerAccess& access, Options options,
           Finished finished);

    void start();
    // Ctrl-C and its like. The second time it ends at once.
    void interrupt();

private:
    void opened(Result<OpenedAsk> opened);
    void tell_asked();
    void find_draft();
    void open_prompt(Answers draft);
    void decided(PromptDecision decision);
    void settled_by_us(Result<SettleReply> reply);
    void settled(Result<AskPtr> ask);
    void end_prompt(AnswerPrompt::Ending ending);
    // Typed, and neither sent nor kept: it is said once more, so that it is not lost.
    void tell_unsent(const Answers& settled);

    // Takes the question back, unless it is one that can be come back to.
    void leave(std::string reason, ExitCode code);
    void tell_left_open(std::string_view why);
    void fail(const Error& error);
    void finish(ExitCode code);

    const RunContext& context_;
    net::Loop& loop_;
    Link& link_;
    const bool is_lasting_;
    Options options_;
    Finished finished_;

    AskPtr ask_;
    LinkWait wait_;
    std::unique_ptr<AnswerPrompt> prompt_;  // null: nothing is asked here
    bool was_picture_ = false;
    bool was_answered_here_ = false;
    bool is_settling_ = false;              // what was typed is on its way
    AskPtr settled_meanwhile_;              // told while that was so
    std::uint64_t draft_version_ = 0;       // of what was kept before
    Answers unsent_;                        // of the prompt, when it ended
    std::optional<ExitCode> leaving_with_;  // the question is being taken back
    Lifetime alive_;
};

}  // namespace parley::app
