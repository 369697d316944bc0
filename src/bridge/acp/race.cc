// SPDX-License-Identifier: Apache-2.0
#include "bridge/acp/race.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "bridge/limits.h"
#include "core/json_fields.h"
#include "core/settle.h"
#include "core/text_rules.h"

namespace parley {

namespace {

// What the editor decided, in words for people.
std::string choice_text(const acp::Request& request, const acp::Envelope& reply) {
    if (reply.is_refusal) return "not answered";
    if (const auto* permission = std::get_if<acp::PermissionWish>(&request.wish)) {
        const json::Value& outcome = json::field(reply.result, "outcome");
        const std::string id = json::text_field(outcome, "optionId");
        for (const acp::PermissionOption& option : permission->options)
            if (option.id == id) return one_line(option.name, limits::kAcpChoiceChars);
        return "cancelled";
    }
    std::string text = json::text_field(reply.result, "action");
    const json::Value& content = json::field(reply.result, "content");
    if (content.is_object()) text += " " + json::serialize(content);
    return one_line(text, limits::kAcpChoiceChars);
}

std::string session_of(const acp::Request& request) {
    if (const auto* permission = std::get_if<acp::PermissionWish>(&request.wish))
        return permission->session;
    return std::get<acp::FormWish>(request.wish).session;
}

// Those of Parley's own tools and forms ask by themselves.
bool is_raced(const acp::Request& request) {
    if (const auto* permission = std::get_if<acp::PermissionWish>(&request.wish))
        return !acp::is_own_tool(permission->call);
    const auto* form = std::get_if<acp::FormWish>(&request.wish);
    return form != nullptr && !acp::is_own_form(*form);
}

}  // namespace

AcpRace::AcpRace(Options options, Outlets outlets)
    : options_(std::move(options)), outlets_(std::move(outlets)) {}

void AcpRace::join(Link& link) {
    link_ = &link;
    const auto waiting = races_;
    for (const auto& [id, race] : waiting) open(race, {});
}

void AcpRace::from_agent(const std::string& line) {
    outlets_.to_editor(line + '\n');
    const auto envelope = acp::read_envelope(line);
    if (!envelope) return;
    if (envelope->method.empty()) {
        if (envelope->id == initialize_) {
            const acp::AgentFacts facts = acp::read_facts(envelope->result);
            if (!facts.title.empty())
                options_.called = one_line(facts.title, limits::kAcpChoiceChars);
        }
        if (const auto prompt = prompts_.extract(envelope->id); !prompt.empty())
            lose_all(prompt.mapped(), options_.called + " has ended its turn");
        return;
    }
    auto read = acp::read_line(line);
    if (!read) return;
    if (auto* request = std::get_if<acp::Request>(&*read)) {
        if (is_raced(*request)) begin(std::move(*request));
    } else if (const auto* cancel = std::get_if<acp::RequestCancelled>(&*read)) {
        lose(cancel->id, options_.called + " needs it no longer");
    } else if (const auto* form = std::get_if<acp::FormCompleted>(&*read)) {
        for (const auto& [id, race] : races_) {
            const auto* wish = std::get_if<acp::FormWish>(&race->request.wish);
            if (wish == nullptr || wish->form != form->form) continue;
            return lose(std::string(id), "it was done at its address");
        }
    }
}

void AcpRace::from_editor(const std::string& line) {
    const auto envelope = acp::read_envelope(line);
    if (envelope && envelope->method.empty() && !envelope->id.empty()) {
        // Too late: the agent has its answer.
        if (answered_.erase(envelope->id) > 0) return;
        if (const auto found = races_.find(envelope->id); found != races_.end())
            lose(envelope->id, fmt::format("answered in the editor: {}",
                                           choice_text(found->second->request, *envelope)));
    } else if (envelope && envelope->method == "initialize") {
        initialize_ = envelope->id;
    } else if (envelope && envelope->method == "session/prompt" &&
               prompts_.size() < limits::kAcpPromptsRemembered) {
        prompts_[envelope->id] = json::text_field(envelope->params, "sessionId");
    }
    outlets_.to_agent(line + '\n');
}

void AcpRace::begin(acp::Request request) {
    if (races_.size() >= limits::kAcpRacesMax || races_.contains(request.id)) return;
    auto race = std::make_shared<Race>();
    race->session = session_of(request);
    if (race->session.empty()) race->session = options_.agent;
    race->request = std::move(request);
    races_[race->request.id] = race;
    if (link_ != nullptr) open(race, {});
}

void AcpRace::open(const RacePtr& race, std::string_view complaint) {
    AskSpec spec{.questions = {}, .agent = options_.agent};
    spec.key = fmt::format("race-{}-{}-{}", options_.run, race->request.id, ++race->tries);
    if (const auto* form = std::get_if<acp::FormWish>(&race->request.wish)) {
        // What cannot be shown here is the editor's alone.
        if (!acp::fill_form(spec, *form, options_.called, complaint)) return forget(race);
    } else {
        acp::fill_permission(spec, std::get<acp::PermissionWish>(race->request.wish),
                             options_.called);
        // The key tells requests apart; the call may ask more than once.
        spec.tool.reset();
    }
    if (!sessions_.insert(race->session).second) return ask(race, std::move(spec));
    SessionRequest session{
        .name = race->session, .title = options_.called + " in an editor", .agent = options_.agent};
    if (!options_.folder.empty()) session.directory = options_.folder;
    link_->open_session(
        std::move(session),
        alive_.guard([this, race, spec = std::move(spec)](const Result<SessionPtr>&) mutable {
            if (!race->over) return ask(race, std::move(spec));
            --withdrawing_;
            forget(race);
        }));
}

void AcpRace::ask(const RacePtr& race, AskSpec spec) {
    link_->ask(
        {.spec = std::move(spec), .session = race->session},
        alive_.guard([this, race](const Result<OpenedAsk>& result) { opened(race, result); }));
}

void AcpRace::opened(const RacePtr& race, const Result<OpenedAsk>& opened) {
    if (!opened) {
        if (race->over) --withdrawing_;
        return forget(race);
    }
    race->ask = opened->ask;
    if (race->over) return withdraw(race);
    race->wait =
        link_->wait(race->ask->id, [this, race](const Result<AskPtr>& ask) { settled(race, ask); });
}

void AcpRace::settled(const RacePtr& race, const Result<AskPtr>& ask) {
    if (race->over) return;
    // Taken back here, it is the editor's alone.
    if (!ask || (*ask)->state() == AskState::withdrawn) return forget(race);
    if (const auto* form = std::get_if<acp::FormWish>(&race->request.wish)) {
        const auto decision = acp::form_decision(*form, **ask);
        if (!decision) return open(race, decision.error().message);
        return won(race, *decision);
    }
    won(race, acp::permission_decision(std::get<acp::PermissionWish>(race->request.wish), **ask));
}

void AcpRace::won(const RacePtr& race, const acp::Decision& decision) {
    const std::string& id = race->request.id;
    outlets_.to_agent(acp::reply_line(id, decision.result));
    outlets_.to_editor(acp::cancel_request_line(id));
    // An editor that never says it has dropped one does no harm.
    if (answered_.size() >= limits::kAcpPromptsRemembered) answered_.clear();
    answered_.insert(id);
    if (!decision.words.empty())
        tell(race->session,
             fmt::format("{} was not told, since its protocol has no place for it: {}",
                         options_.called, decision.words));
    forget(race);
}

void AcpRace::lose(const std::string& id, const std::string& why) {
    const auto found = races_.find(id);
    if (found == races_.end()) return;
    const RacePtr race = found->second;
    races_.erase(found);
    race->over = why;
    // Nothing was asked yet.
    if (link_ == nullptr) return;
    ++withdrawing_;
    if (race->ask) withdraw(race);
}

void AcpRace::lose_all(const std::string& session, const std::string& why) {
    const auto all = races_;
    for (const auto& [id, race] : all)
        if (race->session == session) lose(id, why);
}

void AcpRace::withdraw(const RacePtr& race) {
    race->wait.cancel();
    link_->withdraw(
        race->ask->id, race->over, alive_.guard([this, race](Result<SettleReply> reply) {
            // Somebody was told that theirs counts.
            if (reply && !reply->is_yours && reply->ask->state() != AskState::withdrawn)
                tell(race->session,
                     fmt::format("{} was sooner decided than here: {}",
                                 quoted_excerpt(race->ask->spec->questions.front().text),
                                 *race->over));
            --withdrawing_;
            forget(race);
        }));
}

void AcpRace::tell(const std::string& session, std::string text) {
    link_->give_notice(session, {.text = std::move(text), .level = NoticeGiven::Level::warning},
                       [](Result<void>) {});
}

void AcpRace::end(Task done) {
    const auto all = races_;
    for (const auto& [id, race] : all) lose(id, options_.called + " has ended");
    if (withdrawing_ == 0) return done();
    done_ = std::move(done);
}

void AcpRace::forget(const RacePtr& race) {
    if (const auto found = races_.find(race->request.id);
        found != races_.end() && found->second == race)
        races_.erase(found);
    if (withdrawing_ == 0 && done_) std::exchange(done_, std::nullopt).value()();
}

}  // namespace parley
