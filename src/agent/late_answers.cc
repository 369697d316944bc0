// SPDX-License-Identifier: Apache-2.0
#include "agent/late_answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/limits.h"
#include "base/overload.h"
#include "core/display.h"
#include "core/model_text.h"
#include "core/text_rules.h"
#include "dialect/limits.h"
#include "dialect/mcp/own_tools.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr std::string_view kGiven = " is told how “";
constexpr std::string_view kMissed = " had just taken back “";
constexpr std::size_t kIdLength = 30;  // "que_" and 26 characters

std::set<AskId> ids_in(std::string_view text) {
    std::set<AskId> found;
    for (std::size_t at = text.find("que_"); at != std::string_view::npos;
         at = text.find("que_", at + 1))
        if (const auto id = AskId::parse(text.substr(at, kIdLength))) found.insert(*id);
    return found;
}

bool is_of(const Ask& ask, const std::string& call) {
    return ask.spec->tool && ask.spec->tool->call_id == call;
}

// How a notice names an ask behind its title.
std::string marked(std::string_view what, AskId id) {
    return fmt::format("{} ({})", what, id.str());
}

std::string short_title(const Ask& ask) {
    return cut_to_clusters(ask_title(*ask.spec), limits::kLateTitleChars);
}

bool says(std::string_view text, std::string_view words, AskId id) {
    return text.find(fmt::format("{} {}", words, id.str())) != std::string_view::npos;
}

// As `parley ask --background` says it, and an agent may tell that on as JSON.
bool is_id_alone(std::string_view text, AskId id) {
    text = trim_blanks(text);
    if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"'))
        text = text.substr(1, text.size() - 2);
    if (text.ends_with("\\n")) text.remove_suffix(2);
    return trim_blanks(text) == id.str();
}

// Nothing but Parley's own ways in says this of an ask.
bool is_asked_by_call(std::string_view output, AskId id) {
    return says(output, "stays open as", id) || says(output, "waits as", id) ||
           is_id_alone(output, id);
}

}  // namespace

// A client of MCP may have the name that its driver gives it.
bool LateAnswers::is_own(const Ask& ask) const {
    return ask.spec->agent == own_ && !asked_by_calls_.contains(ask.id);
}

void LateAnswers::found(const AskPtr& ask) {
    if (!is_own(*ask)) left_open_.insert(ask->id);
}

void LateAnswers::settled(const AskPtr& ask) {
    if (ask->state() == AskState::withdrawn) return;
    auto& kept = is_own(*ask) ? own_settled_ : settled_;
    kept[ask->id] = ask;
    // The oldest are of calls that have long returned.
    if (kept.size() > limits::kClaudeCallsRemembered) kept.erase(kept.begin());
}

void LateAnswers::missed(const AskPtr& ask) {
    left_open_.insert(ask->id);
    settled_[ask->id] = ask;
}

void LateAnswers::note(const Part& part) {
    if (part.kind == Part::Kind::tool_input) {
        running_[part.part_id] = ids_in(part.body);
    } else if (part.kind == Part::Kind::tool_output) {
        returned(part);
    }
}

// ask_user and wait_answer say "stays open as ID" while there is no answer, `parley ask` says
// "waits as ID" before it, and `parley ask --background` says the ID alone. A call that names the
// ask and comes back when it is settled brings the answer.
void LateAnswers::returned(const Part& part) {
    std::set<AskId> named = ids_in(part.body);
    if (const auto call = running_.extract(part.part_id); !call.empty())
        named.insert(call.mapped().begin(), call.mapped().end());
    for (const auto& [id, ask] : settled_)
        if (is_of(*ask, part.part_id)) named.insert(id);
    // Claude Code may know our server by any name.
    const bool is_ours = part.tool.starts_with("mcp__") || mcp::own_tool(part.tool);
    for (const AskId& id : named) {
        if (calls_ == Calls::agents && is_asked_by_call(part.body, id)) {
            asked_by_calls_.insert(id);
            settled_.insert(own_settled_.extract(id));
        }
        const bool is_told = !part.is_error && !says(part.body, "stays open as", id) &&
                             (is_ours || settled_.contains(id) || says(part.body, "waits as", id));
        if (!is_told) {
            left_open_.insert(id);
        } else {
            left_open_.erase(id);
            settled_.erase(id);
        }
    }
}

void LateAnswers::recall(const Event& event) {
    std::visit(
        Overload{
            [this](const PartAdded& added) { note(*added.part); },
            [this](const AskSettled& then) { settled(then.ask); },
            [this](const NoticeGiven& notice) { recall_notice(notice.text); },
            [](const OneOf<AskOpened, DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                           SessionEnded, MessageAdded, MessagesTaken, AgentRevoked, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) {},
        },
        event.body);
}

void LateAnswers::recall_notice(const std::string& notice) {
    const bool is_missed = notice.find(kMissed) != std::string::npos;
    if (!is_missed && notice.find(kGiven) == std::string::npos) return;
    for (const AskId& id : ids_in(notice)) {
        // A title may name another ask.
        if (notice.find(marked(is_missed ? "answered" : "ended", id)) == std::string::npos)
            continue;
        if (!is_missed) {
            left_open_.erase(id);
            settled_.erase(id);
        } else if (const auto own = own_settled_.find(id); own != own_settled_.end()) {
            missed(own->second);
        }
    }
}

// A call that ran when the agent was killed never came back with the answer that it had.
void LateAnswers::recalled() {
    for (const auto& [id, ask] : settled_)
        for (const auto& [call, named] : running_)
            if (is_of(*ask, call) || named.contains(id)) left_open_.insert(id);
    running_.clear();
}

std::vector<AskPtr> LateAnswers::take() {
    std::vector<AskPtr> late;
    for (auto at = settled_.begin(); at != settled_.end();) {
        const AskId id = at->first;
        const bool is_awaited =
            std::ranges::any_of(running_, [&, &ask = *at->second](const auto& call) {
                return call.second.contains(id) || is_of(ask, call.first);
            });
        if (!left_open_.contains(id) || is_awaited) {
            ++at;
            continue;
        }
        left_open_.erase(id);
        late.push_back(at->second);
        at = settled_.erase(at);
    }
    return late;
}

std::string late_answer_text(const Ask& ask) {
    if (ask.state() != AskState::answered)
        return fmt::format("About what you asked earlier ({}): {}", ask.id.str(), model_text(ask));
    return fmt::format("Here is the user's answer to what you asked earlier ({}). {}", ask.id.str(),
                       model_text(ask));
}

std::string missed_answer_notice(std::string_view agent, const Ask& ask) {
    return fmt::format("{}{}{}” when it was {}: it is told with its next message", agent, kMissed,
                       short_title(ask), marked("answered", ask.id));
}

std::string late_answers_notice(std::string_view agent, std::span<const AskPtr> given) {
    std::string list;
    for (const AskPtr& ask : given)
        list += fmt::format("{}{}” {}", list.empty() ? kGiven : std::string_view(", how “"),
                            short_title(*ask), marked("ended", ask->id));
    return std::string(agent) + list;
}

}  // namespace parley
