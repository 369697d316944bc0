// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/llm_host.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "agent/llm/llm_agent.h"
#include "base/overload.h"
#include "core/event.h"
#include "core/viewer.h"

namespace parley {

namespace {

// The name on what a model asks, as `parley run llm` has it.
constexpr std::string_view kAgent = "llm";

// Only an agent does these.
bool is_of_agent(const Event& event) {
    return std::visit(
        Overload{
            [](const OneOf<PartAdded, AskOpened, MessagesTaken> auto&) { return true; },
            [](const OneOf<AskSettled, DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                           SessionEnded, MessageAdded, NoticeGiven, AgentRevoked, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) { return false; },
        },
        event.body);
}

const Error& lost_conversation() {
    static const Error kLost{
        ErrorCode::not_found,
        "the file with its conversation is gone, and the model would know nothing of what was "
        "said here; begin another session"};
    return kLost;
}

}  // namespace

LlmHost::LlmHost(Wiring wiring, Settings settings)
    : loop_(wiring.loop),
      watching_(wiring.watching),
      acting_(wiring.acting),
      settings_(std::move(settings)),
      host_({.home = wiring.loop,
             .watching = wiring.watching,
             .acting = wiring.acting,
             .claim = std::move(wiring.claim),
             .failed = std::move(wiring.failed),
             .most = wiring.most},
            *this) {}

bool LlmHost::is_own(const Session& session) const {
    return session.owner == settings_.journals.principal();
}

bool LlmHost::is_for(const Session& session) const {
    if (is_own(session)) return true;
    return is_open_to_all(session) && !session.agent;
}

// A question that was left open may have been answered meanwhile. A request that failed is made
// again: nothing tells it from one that a crash has cut off.
bool LlmHost::is_unfinished(const Session& session) const {
    if (!settings_.journals.has(session.id)) return false;
    JournalFile::Kept kept;
    const auto journal = settings_.journals.take(session.id, kept);
    if (!journal) return false;
    return kept.conversation.next() != llm::Step::listen || !kept.conversation.left_open().empty();
}

// An agent need not have said that it is one, and may only be away.
void LlmHost::check(const Session& session, UniqueFunction<void(bool is_free)> done) {
    faults_.erase(session.id);
    if (settings_.journals.has(session.id)) return done(true);
    watching_.list_log(
        session.id.str(), std::nullopt,
        alive_.guard([this, id = session.id, is_ours = is_own(session),
                      done = std::move(done)](const Result<SessionLog>& log) mutable {
            if (!log) faults_[id] = log.error();
            const bool had_agent =
                log && std::ranges::any_of(
                           log->events, [](const EventPtr& event) { return is_of_agent(*event); });
            if (had_agent && is_ours) faults_[id] = lost_conversation();
            done(is_ours || !had_agent);
        }));
}

Result<std::unique_ptr<Driver>> LlmHost::make(const Session& session, Driver::Onlooker& onlooker,
                                              Driver::Finished finished) {
    if (auto fault = faults_.extract(session.id)) return reject(std::move(fault.mapped()));
    const bool is_resumed = settings_.journals.has(session.id);
    JournalFile::Kept kept;
    TRY(journal, settings_.journals.take(session.id, kept));
    const llm::ModelProfile& profile = settings_.profile;
    if (kept.profile != profile) CHECK_OK(journal.append(profile));
    return std::make_unique<LlmAgent>(
        loop_, acting_,
        LlmAgent::Options{.session = {.session = session.id.str(),
                                      .agent = std::string(kAgent),
                                      .called = profile.model,
                                      .is_open = true,
                                      .is_resumed = is_resumed},
                          .server = settings_.server,
                          .profile = profile,
                          .conversation = std::move(kept.conversation),
                          .journal = std::move(journal),
                          .random = system_random()},
        onlooker, std::move(finished));
}

// What was said there is in the broker's log; nobody can go on with it.
void LlmHost::ended(SessionId session) {
    faults_.erase(session);
    settings_.journals.forget(session);
}

}  // namespace parley
