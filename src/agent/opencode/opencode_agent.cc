// SPDX-License-Identifier: Apache-2.0
#include "agent/opencode/opencode_agent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "agent/limits.h"
#include "core/json_fields.h"
#include "text/safe_text.h"
#include "text/width.h"
#include "wire/url.h"

namespace parley {

namespace {

using json::field;
using json::text_field;
using Level = NoticeGiven::Level;

// What its server says once it is there.
constexpr std::string_view kListening = "listening on ";

// Of the ids of its sessions.
constexpr std::string_view kSessionLead = "ses_";

std::string in_few_words(std::string_view text) {
    return cut_to_clusters(escape_unsafe(text), limits::kLastWordsChars);
}

}  // namespace

OpencodeAgent::OpencodeAgent(net::Loop& loop, Link& link, Options options, Onlooker& onlooker,
                             Finished finished)
    : loop_(loop),
      options_(std::move(options)),
      onlooker_(onlooker),
      asks_(loop, link,
            {.key_prefix = "opencode", .has_company = false, .timeout = options_.timeout}, *this),
      prompt_(loop, *this),
      session_({loop, loop.clock(), link}, options_.session, *this, onlooker, std::move(finished)) {
}

OpencodeAgent::~OpencodeAgent() = default;

void OpencodeAgent::session_opened(std::optional<std::string> own_name) {
    // One that Parley has not run before is known by the name that was given.
    if (options_.session.is_resumed) own_name_ = own_name.value_or(options_.session.session);
    if (!own_name_.empty() && !own_name_.starts_with(kSessionLead))
        return fail(
            fmt::format("Parley has run no session {} with OpenCode, and OpenCode's own "
                        "begin with {}",
                        own_name_, kSessionLead));
    if (options_.command) {
        spawn(*options_.command);
    } else {
        connect();
    }
    if (auto prompt = std::exchange(options_.prompt, std::nullopt)) say(std::move(*prompt));
}

void OpencodeAgent::spawn(const net::ChildOptions& command) {
    auto process = LineProcess::start(loop_, command, *this);
    if (!process)
        return conclude({Ending::Kind::failed,
                         fmt::format("{}; OpenCode is installed by: npm install -g opencode-ai",
                                     process.error().message)});
    process_ = std::move(*process);
    loop_.post_at(loop_.now() + limits::kOpencodeStartPatience, alive_.guard([this] {
        if (!server_ && life_ == Life::starting) fail("OpenCode does not say where it listens");
    }));
}

bool OpencodeAgent::on_line(const std::string& line) {
    const std::size_t at = line.find(kListening);
    if (server_ || at == std::string::npos) return false;
    auto url = wire::Url::parse(std::string_view(line).substr(at + kListening.size()));
    if (!url) return false;
    options_.server.url = std::move(*url);
    connect();
    return true;
}

void OpencodeAgent::connect() {
    OpencodeServer::Listener& listener = *this;
    auto server = OpencodeServer::create(loop_, options_.server, listener);
    if (!server) return fail(server.error().message);
    server_ = std::move(*server);
    asks_.use(server_.get());
    server_->start();
}

std::string OpencodeAgent::own_path(std::string_view rest) const {
    return fmt::format("/session/{}{}", wire::percent_encode(own_name_), rest);
}

bool OpencodeAgent::is_own(const opencode::ServerEvent& event) const {
    return !own_name_.empty() && text_field(event.properties, "sessionID") == own_name_;
}

void OpencodeAgent::on_connected(const std::string& version) {
    is_connected_ = true;
    if (std::exchange(is_away_told_, false))
        session_.tell({.text = fmt::format("OpenCode {} is there again", version)});
    if (life_ == Life::running) {
        asks_.catch_up({own_.directory});
        return prompt_.is_under_way() ? prompt_.go_on() : look_at_turn();
    }
    if (life_ != Life::starting || std::exchange(is_opening_, true)) return;
    session_.tell({.text = fmt::format("OpenCode {} serves at {}", version, server_->address())});
    open_session();
}

void OpencodeAgent::open_session() {
    auto found = [this](const Result<json::Value>& info) { found_session(info); };
    if (!own_name_.empty()) return server_->read(own_path(), {}, found);
    server_->act("/session", options_.session.folder,
                 opencode::new_session_body({}, options_.session.session),
                 OpencodeServer::reading(found));
}

void OpencodeAgent::found_session(const Result<json::Value>& info) {
    if (life_ != Life::starting) return;
    if (!info && !is_connected_) {
        is_opening_ = false;  // on the next connection
        return;
    }
    if (!info)
        return fail(own_name_.empty()
                        ? fmt::format("OpenCode did not begin a session: {}", info.error().message)
                        : fmt::format("OpenCode has no session {} to go on with: {}", own_name_,
                                      info.error().message));
    own_ = opencode::read_session_facts(*info);
    own_name_ = own_.id;
    asks_.remember(own_);
    stream_ = opencode::ServerStream(own_name_);
    session_.keep_own_name(own_name_);
    if (options_.choice.agent.empty()) return began();
    server_->read("/agent", own_.directory,
                  [this](const Result<json::Value>& list) { found_agents(list); });
}

// OpenCode itself says of an unknown one that the error is unknown.
void OpencodeAgent::found_agents(const Result<json::Value>& list) {
    if (!list) return began();
    const auto names = opencode::read_agents(*list);
    if (std::ranges::find(names, options_.choice.agent) == names.end())
        return fail(fmt::format("OpenCode has no agent {} to speak to; it has: {}",
                                options_.choice.agent, fmt::join(names, ", ")));
    began();
}

void OpencodeAgent::began() {
    if (life_ != Life::starting) return;
    life_ = Life::running;
    asks_.catch_up({own_.directory});
    look_at_turn();
}

// What it says, of a server that is there. One that is away is looked at anew when it is back.
void OpencodeAgent::read(const std::string& path, const std::string& directory,
                         UniqueFunction<void(const json::Value&)> done) {
    server_->read(path, directory,
                  [this, done = std::move(done)](const Result<json::Value>& value) mutable {
                      if (life_ != Life::running) return;
                      if (value) return done(*value);
                      if (is_connected_)
                          fail(fmt::format("OpenCode does not say how its turn stands: {}",
                                           in_few_words(value.error().message)));
                  });
}

void OpencodeAgent::read_status(UniqueFunction<void(bool is_busy)> done) {
    read("/session/status", own_.directory,
         [this, done = std::move(done)](const json::Value& status) mutable {
             const auto busy = opencode::read_busy(status);
             done(std::ranges::find(busy, own_name_) != busy.end());
         });
}

// Whether it works, as things stand: what happened while nobody listened is told by nothing else.
void OpencodeAgent::look_at_turn() {
    read_status([this](bool is_busy) {
        if (is_busy) {
            has_begun_ = true;
            session_.begin_turn();
        } else if (session_.is_turn_running()) {
            return read_outcome();
        }
        session_.deliver();
    });
}

// The turn ended while we were away: by itself, or with its server.
void OpencodeAgent::read_outcome() {
    read(own_path("/message?limit=1"), {}, [this](const json::Value& messages) {
        if (!session_.is_turn_running()) return;
        const json::Array* list = messages.if_array();
        const json::Value& info = list == nullptr || list->empty() ? json::Value() : list->back();
        const json::Value& time = field(field(info, "info"), "time");
        if (field(time, "completed").is_null())
            error_ = {.text = "OpenCode was restarted in the middle of its turn"};
        end_turn();
    });
}

void OpencodeAgent::give(std::vector<std::string> texts, Task has_them) {
    is_cancelled_ = false;
    has_begun_ = false;
    error_.reset();
    unheard_ = texts;
    prompt_.give(*server_, own_path(), texts, options_.choice, std::move(has_them));
}

void OpencodeAgent::prompt_taken(const Result<void>& taken) {
    if (!session_.is_turn_running()) return session_.deliver();
    if (taken) return;
    error_ = {.text = taken.error().message};
    end_turn();
}

void OpencodeAgent::prompt_lost(const Error& why) {
    fail(
        fmt::format("OpenCode does not take the message: {}; it waits for the next run of this "
                    "session",
                    in_few_words(why.message)));
}

void OpencodeAgent::on_event(const opencode::ServerEvent& event) {
    asks_.on_event(event);
    if (life_ != Life::running || !is_own(event)) return;
    if (const std::string words = stream_.told(event); !words.empty()) hear(words);
    session_.show(stream_.read(event));
    if (const auto status = opencode::read_status(event)) return on_status(*status);
    if (event.type == "session.error") {
        error_ = opencode::read_error(event.properties);
        is_cancelled_ |= error_->is_stop;
        if (!has_begun_) check_idle();
    } else if (event.type == "session.deleted") {
        fail("the session was deleted in OpenCode");
    }
}

void OpencodeAgent::on_status(const opencode::SessionStatus& status) {
    if (!status.is_busy) {
        if (has_begun_) check_idle();
        return;
    }
    has_begun_ = true;
    if (!status.retry.empty() && std::exchange(retry_, status.retry) != status.retry)
        session_.tell({.text = fmt::format("OpenCode tries again: {}", in_few_words(status.retry)),
                       .level = Level::warning});
    // Somebody speaks to it there.
    if (!session_.is_turn_running()) {
        is_cancelled_ = false;
        error_.reset();
        session_.begin_turn();
    }
}

void OpencodeAgent::hear(const std::string& words) {
    const auto found = std::ranges::find(unheard_, words);
    if (found == unheard_.end())
        return session_.tell(
            {.text = fmt::format("Said in OpenCode itself: {}", in_few_words(words))});
    unheard_.erase(found);
    if (unheard_.empty()) prompt_.heard();
}

// One that is stopped is told to be idle twice, and the second time may be in the next turn.
void OpencodeAgent::check_idle() {
    read_status([this](bool is_busy) {
        if (!is_busy && session_.is_turn_running()) end_turn();
    });
}

void OpencodeAgent::end_turn() {
    const std::string last_words = stream_.said();
    session_.show(stream_.end_turn());
    retry_.clear();
    has_begun_ = false;
    session_.end_turn();
    if (is_cancelled_) {
        prompt_.give_up();
        ending_ = {Ending::Kind::stopped, "the turn was stopped"};
    } else if (error_) {
        const std::string why = in_few_words(error_->text);
        ending_ = {Ending::Kind::failed, why};
        session_.tell({.text = fmt::format("OpenCode could not finish its turn: {}", why),
                       .level = Level::error});
    } else {
        ending_ = {.kind = Ending::Kind::done, .result = last_words};
    }
    went_idle();
}

void OpencodeAgent::went_idle() {
    session_.deliver();
    if (session_.is_turn_running()) return;
    if (options_.ends_with_turn && !session_.has_words()) return close();
    ending_.reset();
    onlooker_.show_idle(true);
}

std::optional<SessionRequest> OpencodeAgent::place_of(const opencode::SessionFacts& root) {
    if (root.id != own_name_) return std::nullopt;
    return DrivenSession::request(options_.session);
}

void OpencodeAgent::say(const opencode::SessionFacts&, std::string words) {
    session_.say_next(std::move(words));
    session_.deliver();
}

void OpencodeAgent::tell(const std::string&, NoticeGiven notice) {
    session_.tell(std::move(notice));
}

void OpencodeAgent::turn_stopped() {
    if (!server_ || !session_.is_turn_running() || std::exchange(is_cancelled_, true)) return;
    server_->act(own_path("/abort"), {}, {}, [this](const Result<net::ClientResponse>& response) {
        if (!session_.is_turn_running()) return;
        if (!OpencodeServer::is_lost(response)) return check_idle();
        is_cancelled_ = false;
        session_.warn("OpenCode was not told to stop: " +
                      OpencodeServer::body_of(response).error().message);
    });
}

void OpencodeAgent::on_lost(const Error& why) {
    is_connected_ = false;
    prompt_.pause();
    asks_.lost();
    // Of one that we started its end tells more.
    if (options_.command || life_ == Life::quitting || std::exchange(is_away_told_, true)) return;
    session_.warn(
        fmt::format("OpenCode at {} is away ({}); trying again", server_->address(), why.message));
}

void OpencodeAgent::session_ended(std::string why) {
    ending_ = {Ending::Kind::session_ended, std::move(why)};
    quit();
}

void OpencodeAgent::fail(std::string why) {
    ending_ = {Ending::Kind::failed, std::move(why)};
    quit();
}

void OpencodeAgent::quit() {
    if (life_ == Life::quitting) return;
    const bool is_working = session_.is_turn_running() && is_connected_;
    life_ = Life::quitting;
    if (process_ || !is_working) return close();
    // It would go on without anybody.
    server_->post(own_path("/abort"), {}, {},
                  [this](const Result<net::ClientResponse>&) { close(); });
}

void OpencodeAgent::close() {
    life_ = Life::quitting;
    if (process_) return process_->stop();
    conclude(ending_.value_or(Ending{Ending::Kind::stopped}));
}

void OpencodeAgent::on_exit(net::ExitStatus status, std::vector<std::string> words) {
    process_.reset();
    if (life_ == Life::quitting) return conclude(ending_.value_or(Ending{Ending::Kind::stopped}));
    std::string why = fmt::format("OpenCode ended unexpectedly ({})", status.str());
    if (!words.empty()) why += fmt::format(":\n{}", fmt::join(words, "\n"));
    why = in_few_words(why);
    session_.tell({.text = why, .level = Level::error});
    conclude({Ending::Kind::failed, std::move(why)});
}

// Nothing that it had asked may stay open, and the stream must say that it is over.
void OpencodeAgent::conclude(Ending ending) {
    life_ = Life::quitting;
    asks_.use(nullptr);
    session_.show(stream_.end_turn());
    session_.conclude(std::move(ending), [this](Task done) {
        asks_.withdraw_all("OpenCode has ended", std::move(done));
    });
}

}  // namespace parley
