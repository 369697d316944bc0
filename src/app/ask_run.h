// SPDX-License-Identifier: Apache-2.0
// One question on its way: asked through a link, prompted for in lines if it is to be, awaited,
// reported. Whatever settles it first, here or elsewhere, ends it. Lives on the loop, which its
// owner runs until `finished` is called.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/ask_report.h"
#include "app/broker_access.h"
#include "app/line_reader.h"
#include "app/run_context.h"
#include "base/clock.h"
#include "base/executor.h"
#include "broker/requests.h"
#include "client/link.h"
#include "prompt/numbered.h"

namespace parley::app {

class AskRun {
public:
    struct Options {
        AskRequest request;  // checked
        Profile profile = kOpenProfile;
        std::optional<int> prompt_fd = {};  // where the answers are typed; nullopt: no prompt here
        AnswerForm form = AnswerForm::plain;
    };
    using Finished = UniqueFunction<void(ExitCode)>;

    AskRun(const RunContext& context, Executor& home, const Clock& clock, BrokerAccess& access,
           Options options, Finished finished);

    void start();
    // Ctrl-C and its like. The second time it ends at once.
    void interrupt();

private:
    struct Prompt {
        int fd;
        NumberedPrompt machine;
        LineReader lines;
    };

    void opened(Result<OpenedAsk> opened);
    void start_prompt(int fd);
    void take(NumberedPrompt::Step step);
    void read_line();
    void got_line(std::optional<std::string> line);
    void settle(NumberedPrompt::Step step);
    void settled_by_us(Result<SettleReply> reply);
    void settled(Result<AskPtr> ask);

    // Takes the question back, unless it is one that can be come back to.
    void leave(std::string reason, ExitCode code);
    void fail(const Error& error);
    void finish(ExitCode code);

    const RunContext& context_;
    Executor& home_;
    const Clock& clock_;
    Link& link_;
    const bool is_lasting_;
    Options options_;
    Finished finished_;

    AskPtr ask_;
    LinkWait wait_;
    std::unique_ptr<Prompt> prompt_;  // null: nothing is asked here
    bool was_answered_here_ = false;
    bool is_settling_ = false;              // what was typed is on its way
    AskPtr settled_meanwhile_;              // told while that was so
    std::optional<ExitCode> leaving_with_;  // the question is being taken back
};

}  // namespace parley::app
