// SPDX-License-Identifier: Apache-2.0
#include "agent/acp/acp_agent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
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
constexpr std::int64_t kInitialize = 1;
constexpr std::int64_t kSession = 2;
constexpr std::int64_t kMode = 3;
constexpr std::int64_t kPrompts = 4;

using Level = NoticeGiven::Level;

}  // namespace

AcpAgent::AcpAgent(Wiring wiring, Options options)
    : LineDriver({wiring.loop, wiring.link, wiring.onlooker, std::move(wiring.finished)},
                 options.session, {.ends_with_turn = options.ends_with_turn}),
      options_(std::move(options)),
      asks_({wiring.loop, wiring.loop.clock(), wiring.link},
            {.session = options_.session.session,
             .agent = options_.session.agent,
             .called = options_.session.called,
             .run = options_.run,
             .timeout = options_.timeout},
            *this),
      reader_(options_.run) {}

AcpAgent::~AcpAgent() = default;

void AcpAgent::session_opened(std::optional<std::string> own_name) {
    // One that Parley has not run before is known by the name that was given.
    if (options_.session.is_resumed) own_name_ = own_name.value_or(options_.session.session);
    if (!launch(options_.command)) return;
    send(acp::initialize_line(kInitialize, options_.version));
    if (auto prompt = std::exchange(options_.prompt, std::nullopt)) say(std::move(*prompt));
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
    heard();
    if (auto* wish = std::get_if<acp::PermissionWish>(&request.wish)) {
        std::vector<StreamItem> items;
        wish->call = reader_.read_wanted(wish->call, items);
        session().show(std::move(items));
    }
    asks_.take(std::move(request));
}

void AcpAgent::take(const acp::Reply& reply) {
    switch (reply.id) {
        case kInitialize: return initialized(reply);
        case kSession: return found_session(reply);
        // To work in another mode than was wanted could do what nobody wants.
        case kMode:
            if (reply.code) return fail("the mode was not set: " + reply.error);
            return began();
        default: break;
    }
    if (reply.id == kPrompts + prompts_) prompted(reply);
}

void AcpAgent::take(const acp::Update& update) {
    // A session that is loaded tells first what is in our log already.
    if (life() == Life::starting) return reader_.recall(update.update);
    if (const std::string mode = acp::read_modes(update.update).current;
        !mode.empty() && std::exchange(mode_, mode) != mode)
        session().tell({.text = fmt::format("{} is in mode {}", session().called(), mode)});
    if (acp::is_of_turn(update.update)) heard();
    session().show(reader_.read(update.update));
}

void AcpAgent::initialized(const acp::Reply& reply) {
    if (reply.code) return fail(reply.error);
    const acp::AgentFacts facts = acp::read_facts(reply.result);
    if (options_.has_own_title && !facts.title.empty()) {
        session().call_agent(escape_unsafe(facts.title));
        asks_.call_agent(session().called());
    }
    if (facts.titles_are_names) asks_.take_titles_for_names();
    if (own_name_.empty()) return send(acp::new_session_line(kSession, options_.place));
    if (!facts.can_resume && !facts.can_load)
        return fail(fmt::format("{} cannot go on with a session; start a new one without --resume",
                                session().called()));
    std::string line = acp::known_session_line(
        kSession, facts.can_resume ? acp::kResume : acp::kLoad, own_name_, options_.place);
    const Millis wait = facts.keeps_by_minute ? rest_of_minute() : Millis(0);
    if (wait == Millis(0)) return send(std::move(line));
    session().tell({.text = fmt::format("{} would overwrite a session that it began within this "
                                        "minute: it goes on in {} s",
                                        session().called(),
                                        std::chrono::ceil<std::chrono::seconds>(wait).count())});
    loop().post_at(loop().now() + wait,
                   alive_.guard([this, line = std::move(line)] { send(line); }));
}

// Of the one in which the session was begun; none if that is over.
Millis AcpAgent::rest_of_minute() {
    using std::chrono::minutes;
    const Instant now = loop().clock().wall();
    const auto begun = session().named_since();
    if (!begun || std::chrono::floor<minutes>(*begun) != std::chrono::floor<minutes>(now))
        return Millis(0);
    return std::chrono::floor<minutes>(now) + minutes(1) - now;
}

void AcpAgent::found_session(const acp::Reply& reply) {
    if (reply.code == acp::kSignInNeeded)
        return fail(fmt::format("{} wants a sign-in first ({}): start it by itself once",
                                session().called(), reply.error));
    if (reply.code && options_.session.is_resumed)
        return fail(
            fmt::format("{} cannot go on with this session ({}); start a new one without "
                        "--resume",
                        session().called(), reply.error));
    if (reply.code) return fail(reply.error);
    if (std::string name = json::text_field(reply.result, "sessionId"); !name.empty())
        own_name_ = std::move(name);
    session().keep_own_name(own_name_);
    set_mode(reply.result);
}

void AcpAgent::set_mode(const json::Value& result) {
    const acp::Modes modes = acp::read_modes(result);
    mode_ = modes.current;
    if (!options_.mode) return began();
    const std::string* wanted = acp::find_mode(modes, *options_.mode);
    // Some tell their modes with a new session alone: one that goes on says itself what it has not.
    if (modes.known.empty() && options_.session.is_resumed) wanted = &*options_.mode;
    if (wanted == nullptr)
        return fail(fmt::format(
            "{} has no mode {}; it has: {}", session().called(), *options_.mode,
            modes.known.empty() ? "none" : fmt::format("{}", fmt::join(modes.known, ", "))));
    if (*wanted == mode_) return began();
    send(acp::mode_line(kMode, own_name_, modes, *wanted));
}

void AcpAgent::give(std::vector<std::string> texts, Task has_them) {
    is_cancelled_ = false;
    has_them_ = std::move(has_them);
    send(acp::prompt_line(kPrompts + ++prompts_, own_name_, texts));
}

// The reply to a prompt comes with the end of its turn; what the agent does for it comes before.
void AcpAgent::heard() {
    if (has_them_) std::exchange(has_them_, nullptr)();
}

void AcpAgent::prompted(const acp::Reply& reply) {
    heard();
    const std::string last_words = reader_.said();
    session().show(reader_.end_turn());
    asks_.close_all(session().called() + " has ended its turn");
    session().end_turn();
    const std::string reason = acp::stop_reason(reply.result);
    if (reply.code) {
        const std::string why = cut_to_clusters(reply.error, limits::kLastWordsChars);
        session().tell(
            {.text = fmt::format("{} could not finish its turn: {}", session().called(), why),
             .level = Level::error});
        return turn_over({Ending::Kind::failed, why});
    }
    if (is_cancelled_ || reason == "cancelled")
        return turn_over({Ending::Kind::stopped, "the turn was stopped"});
    if (reason != "end_turn")
        session().tell({.text = fmt::format("{} ended its turn early: {}", session().called(),
                                            reason.empty() ? "no reason given" : reason),
                        .level = Level::warning});
    turn_over({.kind = Ending::Kind::done, .result = last_words});
}

void AcpAgent::reply(std::string line) {
    send(std::move(line));
}

void AcpAgent::said(std::string words) {
    session().say_next(std::move(words));
    session().deliver();
}

void AcpAgent::passed(const std::string& what) {
    session().tell({.text = fmt::format("{} passes by rule: it is Parley's own", what)});
}

void AcpAgent::turn_stopped() {
    if (!session().is_turn_running() || std::exchange(is_cancelled_, true)) return;
    send(acp::cancel_line(own_name_));
    loop().post_at(loop().now() + options_.stop_patience, alive_.guard([this, turn = prompts_] {
        if (turn == prompts_ && session().is_turn_running()) not_stopped();
    }));
}

// Nobody could tell it anything any more: what it is to be told waits for its turn's end.
void AcpAgent::not_stopped() {
    std::string why =
        fmt::format("{} was told to stop and has not ended its turn: it is ended. --resume goes on",
                    session().called());
    session().tell({.text = why, .level = Level::error});
    fail(std::move(why));
}

void AcpAgent::close_asks(const std::string& why, Task done) {
    asks_.close_all(why);
    asks_.when_closed(std::move(done));
}

}  // namespace parley
