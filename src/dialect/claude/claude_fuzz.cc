// SPDX-License-Identifier: Apache-2.0
// Any text as what Claude Code gives a hook, as a line of its CLI, and as its settings. What is
// asked can be asked, what a hook says is JSON, and hooks that were installed go without trace.
#include <cstdint>
#include <memory>

#include "base/assert.h"
#include "core/questions.h"
#include "dialect/claude/control.h"
#include "dialect/claude/hook.h"
#include "dialect/claude/settings.h"
#include "dialect/claude/stream.h"
#include "text/limits.h"

namespace {

using namespace parley;

void settle(const claude::HookCall& call, AskSpec spec) {
    auto checked = check_spec(std::move(spec), kOpenProfile);
    if (!checked) return;
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(*checked));
    for (const Outcome outcome : {Outcome::answered, Outcome::dismissed, Outcome::timed_out}) {
        Settlement settlement{.outcome = outcome};
        settlement.answers.resize(ask.spec->questions.size());
        for (std::size_t i = 0; i < settlement.answers.size(); ++i) {
            const Question& question = ask.spec->questions[i];
            if (question.options.empty()) {
                settlement.answers[i].other = "7";
            } else {
                settlement.answers[i].selected = {question.options.back().label};
            }
        }
        ask.settlement = std::make_shared<const Settlement>(std::move(settlement));
        const auto output = claude::hook_output(
            call, {.on_timeout = claude::OnTimeout::empty, .adds_context = true}, ask);
        ASSERT(!output || output->empty() ||
               json::parse(*output, {.depth_max = limits::kJsonDepthMax}).has_value());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto call = claude::read_hook_call(text)) {
        auto plan = claude::plan_hook(*call, {}, "1");
        if (plan)
            if (auto* ask = std::get_if<claude::HookAsk>(&*plan))
                settle(*call, std::move(ask->request.spec));
    }
    if (const auto line = claude::read_cli_line(text)) {
        if (const auto* said = std::get_if<claude::ShownTurn>(&*line)) {
            claude::StreamReader reader;
            (void)reader.read(said->message);
            (void)reader.read(said->message);
        }
    }
    if (const auto settings = json::parse(text)) {
        const claude::HookSetup setup{.command = "parley hook claude", .timeout = Millis(1000)};
        const auto before = claude::without_hooks(*settings);
        if (before) {
            const auto with = claude::with_hooks(*settings, setup);
            ASSERT(with.has_value() && !claude::find_hooks(*with).empty());
        }
    }
    (void)claude::takes_answers(text);
    return 0;
}
