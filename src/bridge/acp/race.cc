// SPDX-License-Identifier: Apache-2.0
#include "bridge/acp/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/overload.h"
#include "bridge/limits.h"
#include "core/json_fields.h"
#include "core/settle.h"
#include "core/text_rules.h"
#include "dialect/acp/tool_call.h"

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

// Tool calls of two sessions may have one name.
std::string call_key(const std::string& session, const json::Value& call) {
    return session + '\n' + json::text_field(call, "toolCallId");
}

}  // namespace

AcpRace::AcpRace(Wiring wiring, Options options, Outlets outlets)
    : wiring_(wiring), options_(std::move(options)), outlets_(std::move(outlets)) {}

void AcpRace::join(Link& link) {
    link_ = &link;
    withdrawals_ = std::make_unique<Withdrawals>(wiring_.home, wiring_.clock, link);
    const auto waiting = races_;
    for (const auto& [id, race] : waiting) open(race, {});
}

void AcpRace::from_agent(const std::string& line) {
    const auto parsed = acp::parse_line(line);
    if (!parsed) return outlets_.to_editor(line + '\n');
    acp::Line read = acp::line_of(*parsed);
    if (auto* request = std::get_if<acp::Request>(&read))
        return requested(std::move(*request), line);
    outlets_.to_editor(line + '\n');
    std::visit(Overload{
                   [this](const acp::Update& update) { note_call(update); },
                   [this](const acp::RequestCancelled& cancel) {
                       lose(cancel.id, options_.called + " needs it no longer");
                   },
                   [this](const acp::FormCompleted& completed) { form_completed(completed.form); },
                   [this, &parsed](const OneOf<acp::Reply, acp::Noise> auto&) {
                       const acp::Envelope envelope = acp::envelope_of(*parsed);
                       if (envelope.method.empty()) replied(envelope);
                   },
                   [](const acp::Request&) {},
               },
               read);
}

void AcpRace::form_completed(const std::string& form) {
    for (const auto& [id, race] : races_) {
        const auto* wish = std::get_if<acp::FormWish>(&race->request.wish);
        if (wish == nullptr || form.empty() || wish->form != form) continue;
        return lose(std::string(id), "it was done at its address");
    }
}

void AcpRace::replied(const acp::Envelope& reply) {
    if (reply.id == initialize_) {
        const acp::AgentFacts facts = acp::read_facts(reply.result);
        if (!facts.title.empty()) options_.called = one_line(facts.title, limits::kAcpChoiceChars);
        titles_are_names_ = facts.titles_are_names;
    }
    if (const auto prompt = prompts_.extract(reply.id); !prompt.empty()) {
        stopped_.erase(prompt.mapped());
        lose_all(prompt.mapped(), options_.called + " has ended its turn");
    }
}

void AcpRace::requested(acp::Request request, const std::string& line) {
    if (auto* permission = std::get_if<acp::PermissionWish>(&request.wish))
        permission->call = acp::whole_call(
            permission->call, calls_.find(call_key(permission->session, permission->call)));
    if (pass(request)) return;
    outlets_.to_editor(line + '\n');
    if (std::holds_alternative<acp::UnknownWish>(request.wish)) return;
    // A form of Parley's own is an ask already.
    const auto* form = std::get_if<acp::FormWish>(&request.wish);
    if (form == nullptr || !acp::is_own_form(*form)) begin(std::move(request));
}

// Nobody needs to be asked whether somebody may be asked.
bool AcpRace::pass(const acp::Request& request) {
    const auto* permission = std::get_if<acp::PermissionWish>(&request.wish);
    if (link_ == nullptr || permission == nullptr ||
        !acp::is_own_tool(permission->call, titles_are_names_))
        return false;
    const std::string result = acp::allow_once_result(*permission);
    if (result.empty()) return false;
    outlets_.to_agent(acp::reply_line(request.id, result));
    in_session(permission->session,
               [this, session = permission->session, name = acp::shown_name(permission->call)] {
                   tell(session, fmt::format("{} passes by rule: it is Parley's own", name),
                        NoticeGiven::Level::info);
               });
    return true;
}

void AcpRace::note_call(const acp::Update& update) {
    if (!json::text_field(update.update, "sessionUpdate").starts_with("tool_call")) return;
    const std::string key = call_key(update.session, update.update);
    const json::Value& told = calls_.note(key, update.update).told;
    const std::string status = json::text_field(told, "status");
    if (status == "completed" || status == "failed") calls_.forget(key);
}

void AcpRace::from_editor(const std::string& line) {
    const auto envelope = acp::parse_line(line).map(acp::envelope_of);
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
    // Where nothing is told of what it would do, only who sees the conversation can know. Where
    // nothing is offered to choose, nothing could be said: words are the editor's.
    const auto* permission = std::get_if<acp::PermissionWish>(&request.wish);
    if (permission != nullptr &&
        (acp::tells_nothing(permission->call) || permission->options.empty()))
        return;
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
                             options_.called, acp::Words::stay);
        // The key tells requests apart; the call may ask more than once.
        spec.tool.reset();
    }
    in_session(race->session, [this, race, spec = std::move(spec)]() mutable {
        if (!race->over) return ask(race, std::move(spec));
        --withdrawing_;
        forget(race);
    });
}

void AcpRace::in_session(const std::string& name, Task task) {
    if (!sessions_.insert(name).second) return task();
    SessionRequest session{
        .name = name, .title = options_.called + " in an editor", .agent = options_.agent};
    if (!options_.folder.empty()) session.directory = options_.folder;
    link_->open_session(
        std::move(session),
        alive_.guard([task = std::move(task)](const Result<SessionPtr>&) mutable { task(); }));
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
    if (ask && withdrawal_rule(*(*ask)->settlement) == WithdrawalRule::turn_stopped) {
        stop(session_of(race->request));
    } else if (!ask || (*ask)->state() == AskState::withdrawn) {
        // Taken back here, it is the editor's alone.
        return forget(race);
    }
    if (const auto* form = std::get_if<acp::FormWish>(&race->request.wish)) {
        const auto decision = acp::form_decision(*form, **ask);
        if (!decision) return open(race, decision.error().message);
        return won(race, *decision);
    }
    won(race, acp::permission_decision(std::get<acp::PermissionWish>(race->request.wish), **ask));
}

// The agent is told once; its editor learns it by the end of the prompt.
void AcpRace::stop(const std::string& session) {
    const bool is_running =
        std::ranges::any_of(prompts_, [&](const auto& prompt) { return prompt.second == session; });
    if (is_running && stopped_.insert(session).second) outlets_.to_agent(acp::cancel_line(session));
}

void AcpRace::won(const RacePtr& race, const acp::Decision& decision) {
    const std::string& id = race->request.id;
    outlets_.to_agent(acp::reply_line(id, decision.result));
    outlets_.to_editor(acp::cancel_request_line(id));
    // An editor that never says it has dropped one does no harm.
    if (answered_.insert(id).second) answered_order_.push_back(id);
    if (answered_order_.size() > limits::kAcpPromptsRemembered) {
        answered_.erase(answered_order_.front());
        answered_order_.pop_front();
    }
    if (!decision.words.empty())
        tell(race->session,
             fmt::format("{} was not told, since its protocol has no place for it: {}",
                         options_.called, decision.words),
             NoticeGiven::Level::warning);
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
    withdrawals_->add(race->ask->id, *race->over, [this, race](const Result<SettleReply>& reply) {
        // Somebody was told that theirs counts.
        if (reply && !reply->is_yours && reply->ask->state() != AskState::withdrawn)
            tell(race->session,
                 fmt::format("{} was sooner decided than here: {}",
                             quoted_excerpt(race->ask->spec->questions.front().text), *race->over),
                 NoticeGiven::Level::warning);
        --withdrawing_;
        forget(race);
    });
}

void AcpRace::tell(const std::string& session, std::string text, NoticeGiven::Level level) {
    link_->give_notice(session, {.text = std::move(text), .level = level}, [](Result<void>) {});
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
    if (withdrawing_ != 0) return;
    if (auto done = std::exchange(done_, std::nullopt)) (*done)();
}

}  // namespace parley
