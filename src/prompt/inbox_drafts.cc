// SPDX-License-Identifier: Apache-2.0
// What was typed and not sent, here and on this person's other devices.
#include <algorithm>

#include "core/answers.h"
#include "prompt/inbox_state.h"
#include "prompt/limits.h"

namespace parley {

namespace {

bool is_empty(const Answers& answers) {
    return std::ranges::all_of(answers, [](const Answer& each) { return each == Answer{}; });
}

}  // namespace

bool InboxState::has_draft(AskId id) const {
    const auto prompt = prompts.find(id);
    if (prompt != prompts.end()) return prompt->second.is_touched();
    const auto draft = drafts.find(id);
    return draft != drafts.end() && !is_empty(draft->second.answers);
}

std::optional<Draft> InboxState::unsaved(AskId id) const {
    const auto here = prompts.find(id);
    if (here == prompts.end() || !pending.contains(id) || here->second.mode == PromptMode::sending)
        return std::nullopt;
    const auto kept = drafts.find(id);
    const Answers before = kept != drafts.end() ? kept->second.answers : Answers{};
    Answers answers = here->second.answers();
    if (answers == before || (is_empty(answers) && is_empty(before))) return std::nullopt;
    // Nothing at all is how a draft is dropped.
    if (is_empty(answers)) answers.clear();
    return Draft{.answers = std::move(answers),
                 .device = device,
                 .version = kept != drafts.end() ? kept->second.version : 0};
}

void take_draft(InboxState& state, AskId ask, const Draft& draft, const InboxNow& now) {
    const auto known = state.drafts.find(ask);
    if (known != state.drafts.end() && draft.version < known->second.version) return;
    const bool is_news = known == state.drafts.end() || known->second.answers != draft.answers;
    state.drafts[ask] = draft;
    const auto prompt = state.prompts.find(ask);
    // An echo of what was typed here says nothing new, and what was dropped elsewhere stays here.
    if (!is_news || prompt == state.prompts.end() || draft.device == state.device ||
        is_empty(draft.answers))
        return;
    if (state.opened != ask)
        prompt->second = PromptState(prompt->second.spec, prompt->second.options);
    prompt->second.take_draft(draft.answers, now.mono);
}

void keep_unsent(InboxState& state, const Ask& ask) {
    const auto known = state.prompts.find(ask.id);
    if (known == state.prompts.end()) return;
    const Answers answers = known->second.answers();
    if (ask.settlement && ask.settlement->answers == answers) return;
    for (const Answer& answer : answers)
        for (const auto* text : {&answer.other, &answer.note})
            if (*text && state.unsent.size() < limits::kUnsentTextsMax)
                state.unsent.push_back({ask.spec->questions.front().text, **text});
}

}  // namespace parley
