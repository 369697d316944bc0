// SPDX-License-Identifier: Apache-2.0
#include "agent/acp/acp_agent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "agent/limits.h"
#include "base/overload.h"
#include "core/json_fields.h"
#include "text/safe_text.h"
#include "text/width.h"

namespace parley {

namespace {

// Our requests; each prompt has the next number.
enum RequestId : std::int64_t { kInitialize = 1, kSession, kMode, kPrompts };

using Level = NoticeGiven::Level;

}  // namespace

AcpAgent::AcpAgent(net::Loop& loop, Link& link, Options options, Onlooker& onlooker,
                   Finished finished)
    : loop_(loop),
      options_(std::move(options)),
      onlooker_(onlooker),
      asks_(link,
            {.session = options_.session.session,
             .agent = options_.session.agent,
             .called = options_.session.called,
             .run = options_.run,
             .timeout = options_.timeout},
            *this),
      reader_(options_.run),
      session_(loop, link, options_.session, *this, onlooker, std::move(finished)) {}

AcpAgent::~AcpAgent() = default;

void AcpAgent::session_opened(std::optional<std::string> own_name) {
    // One that Parley has not run before is known by the name that was given.
    if (options_.session.is_resumed) own_name_ = own_name.value_or(options_.session.session);
    auto process = LineProcess::start(loop_, options_.command, *this);
    if (!process) return conclude({Ending::Kind::failed, process.error().message});
    process_ = std::move(*process);
    process_->send(acp::initialize_line(kInitialize, options_.version));
    if (options_.prompt) say(*std::exchange(options_.prompt, std::nullopt));
}

bool AcpAgent::on_line(const std::string& line) {
    auto read = acp::read_line(line);
    if (!read) return false;
    std::visit(Overload{
                   [this](acp::Request& request) { take(std::move(request)); },
                   [this](const acp::RequestCancelled& cancel) { asks_.cancel(cancel.id); },
                   [this](const acp::FormCompleted& form) { asks_.complete(form.form); },
                   [this](const acp::Reply& reply) { take(reply); },
                   [this](const acp::Update& update) { take(update); },
                   [](const acp::Noise&) {},
               },
               *read);
    return true;
}

void AcpAgent::take(acp::Request request) {
    if (auto* wish = std::get_if<acp::PermissionWish>(&request.wish))
        wish->call = acp::with_known(
            wish->call, reader_.known_call(json::text_field(wish->call, "toolCallId")));
    asks_.take(std::move(request));
}

void AcpAgent::take(const acp::Reply& reply) {
    switch (reply.id) {
        case kInitialize: return initialized(reply);
        case kSession: return found_session(reply);
        case kMode:
            if (reply.code) session_.warn("the mode was not set: " + reply.error);
            return began();
        default: break;
    }
    if (reply.id == kPrompts + prompts_) prompted(reply);
}

void AcpAgent::take(const acp::Update& update) {
    // A session that is loaded tells first what is in our log already.
    if (life_ == Life::starting) return;
    const json::Value& news = update.update;
    if (json::text_field(news, "sessionUpdate") == "current_mode_update") {
        const std::string mode = json::text_field(news, "currentModeId");
        if (!mode.empty() && std::exchange(mode_, mode) != mode)
            session_.tell({.text = fmt::format("{} is in mode {}", session_.called(), mode)});
    }
    session_.show(reader_.read(news));
}

void AcpAgent::initialized(const acp::Reply& reply) {
    if (reply.code) return fail(reply.error);
    const acp::AgentFacts facts = acp::read_facts(reply.result);
    if (options_.has_own_title && !facts.title.empty()) {
        session_.call_agent(escape_unsafe(facts.title));
        asks_.call_agent(session_.called());
    }
    if (own_name_.empty()) return process_->send(acp::new_session_line(kSession, options_.place));
    if (!facts.can_resume && !facts.can_load)
        return fail(fmt::format("{} cannot go on with a session; start a new one without --resume",
                                session_.called()));
    process_->send(acp::known_session_line(kSession, facts.can_resume ? acp::kResume : acp::kLoad,
                                           own_name_, options_.place));
}

void AcpAgent::found_session(const acp::Reply& reply) {
    if (reply.code == acp::kSignInNeeded)
        return fail(fmt::format("{} wants a sign-in first ({}): start it by itself once",
                                session_.called(), reply.error));
    if (reply.code) return fail(reply.error);
    if (std::string name = json::text_field(reply.result, "sessionId"); !name.empty())
        own_name_ = std::move(name);
    session_.keep_own_name(own_name_);
    set_mode(reply.result);
}

void AcpAgent::set_mode(const json::Value& result) {
    const json::Value& modes = json::field(result, "modes");
    mode_ = json::text_field(modes, "currentModeId");
    if (!options_.mode || *options_.mode == mode_) return began();
    std::vector<std::string> known;
    if (const json::Array* offered = json::list_field(modes, "availableModes"))
        for (const json::Value& mode : *offered) known.push_back(json::text_field(mode, "id"));
    if (std::ranges::find(known, *options_.mode) == known.end())
        return fail(
            fmt::format("{} has no mode {}; it has: {}", session_.called(), *options_.mode,
                        known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    process_->send(acp::mode_line(kMode, own_name_, *options_.mode));
}

void AcpAgent::began() {
    if (life_ != Life::starting) return;
    life_ = Life::running;
    session_.deliver();
}

void AcpAgent::give(std::vector<std::string> texts) {
    is_cancelled_ = false;
    process_->send(acp::prompt_line(kPrompts + ++prompts_, own_name_, texts));
}

void AcpAgent::prompted(const acp::Reply& reply) {
    const std::string last_words = reader_.said();
    session_.show(reader_.end_turn());
    asks_.close_all(session_.called() + " has ended its turn");
    session_.end_turn();
    const std::string reason = acp::stop_reason(reply.result);
    if (reply.code) {
        const std::string why = cut_to_clusters(reply.error, limits::kLastWordsChars);
        ending_ = {Ending::Kind::failed, why};
        session_.tell(
            {.text = fmt::format("{} could not finish its turn: {}", session_.called(), why),
             .level = Level::error});
    } else if (is_cancelled_ || reason == "cancelled") {
        ending_ = {Ending::Kind::stopped, "the turn was stopped"};
    } else {
        ending_ = {.kind = Ending::Kind::done, .result = last_words};
        if (reason != "end_turn")
            session_.tell({.text = fmt::format("{} ended its turn early: {}", session_.called(),
                                               reason.empty() ? "no reason given" : reason),
                           .level = Level::warning});
    }
    session_.deliver();
    if (session_.is_turn_running()) return;
    if (options_.ends_with_turn && !session_.has_words()) return close();
    ending_.reset();
    onlooker_.show_idle(true);
}

void AcpAgent::close() {
    life_ = Life::closing;
    process_->close_input();
    // Not every agent ends with its input.
    loop_.post_at(loop_.now() + limits::kAcpEndPatience, alive_.guard([this] {
        if (process_) process_->stop();
    }));
}

void AcpAgent::reply(std::string line) {
    if (process_) process_->send(std::move(line));
}

void AcpAgent::said(std::string words) {
    session_.say_next(std::move(words));
    session_.deliver();
}

void AcpAgent::passed(const std::string& what) {
    session_.tell({.text = fmt::format("{} passes by rule: it is Parley's own", what)});
}

bool AcpAgent::interrupt() {
    if (!session_.is_turn_running()) return false;
    // The agent is told at once, in case the broker is away.
    session_.abort();
    turn_stopped();
    return true;
}

void AcpAgent::turn_stopped() {
    if (!process_ || !session_.is_turn_running() || std::exchange(is_cancelled_, true)) return;
    process_->send(acp::cancel_line(own_name_));
}

void AcpAgent::session_ended(std::string why) {
    ending_ = {Ending::Kind::session_ended, std::move(why)};
    quit();
}

void AcpAgent::fail(std::string why) {
    ending_ = {Ending::Kind::failed, std::move(why)};
    quit();
}

void AcpAgent::quit() {
    if (life_ == Life::quitting) return;
    life_ = Life::quitting;
    if (process_) return process_->stop();
    conclude(ending_.value_or(Ending{Ending::Kind::stopped}));
}

void AcpAgent::on_exit(net::ExitStatus status, std::vector<std::string> words) {
    const bool is_expected = life_ == Life::quitting || life_ == Life::closing;
    if (is_expected) return conclude(ending_.value_or(Ending{Ending::Kind::stopped}));
    std::string why = fmt::format("{} ended unexpectedly ({})", session_.called(), status.str());
    if (!words.empty()) why += fmt::format(":\n{}", fmt::join(words, "\n"));
    why = cut_to_clusters(escape_unsafe(why), limits::kLastWordsChars);
    session_.tell({.text = why, .level = Level::error});
    conclude({Ending::Kind::failed, std::move(why)});
}

// Nothing that it had asked may stay open, and the stream must say that it is over.
void AcpAgent::conclude(Ending ending) {
    life_ = Life::quitting;
    session_.show(reader_.end_turn());
    asks_.close_all(session_.called() + " has ended");
    asks_.when_closed(
        [this, ending = std::move(ending)]() mutable { session_.conclude(std::move(ending)); });
}

}  // namespace parley
