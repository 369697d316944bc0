// SPDX-License-Identifier: Apache-2.0
#include "agent/opencode/opencode_asks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "agent/limits.h"
#include "core/json_fields.h"
#include "core/settle.h"
#include "core/text_rules.h"
#include "dialect/limits.h"
#include "wire/url.h"

namespace parley {

namespace {

using json::field;
using json::text_field;
using opencode::Wish;

constexpr std::string_view kNoLonger = "OpenCode asks this no longer";
constexpr std::string_view kGone = "OpenCode has ended, or cannot be reached";
constexpr std::string_view kTurnEnded = "its turn ended in OpenCode";
constexpr std::string_view kDeleted = "its session was deleted in OpenCode";
constexpr std::string_view kFolderClosed = "OpenCode closed this folder";

// Who decided there, and what.
std::string decided_there(const opencode::ServerEvent& event) {
    if (event.type == "question.rejected") return "dismissed in OpenCode itself";
    if (event.type == "permission.replied")
        return fmt::format(
            "decided in OpenCode itself: {}",
            one_line(text_field(event.properties, "reply"), limits::kOpencodeTitleChars));
    std::vector<std::string> texts;
    if (const json::Array* answers = json::list_field(event.properties, "answers"))
        for (const json::Value& answer : *answers)
            if (const json::Array* labels = answer.if_array())
                for (const json::Value& label : *labels)
                    if (label.is_string()) texts.emplace_back(view_of(label.get_string()));
    if (texts.empty()) return "answered in OpenCode itself";
    return fmt::format("answered in OpenCode itself: {}",
                       one_line(fmt::format("{}", fmt::join(texts, ", ")), limits::kRuleTextChars));
}

std::string session_path(std::string_view session, std::string_view rest = {}) {
    return fmt::format("/session/{}{}", wire::percent_encode(session), rest);
}

}  // namespace

OpencodeAsks::OpencodeAsks(net::Loop& loop, Link& link, Rules rules, Listener& listener)
    : loop_(loop),
      listener_(listener),
      rules_(std::move(rules)),
      asks_({loop, loop.clock(), link},
            {.key_prefix = rules_.key_prefix,
             .called = std::string(opencode::kCalled),
             .timeout = rules_.timeout,
             .asks_max = limits::kOpencodeAsksMax},
            *this),
      lists_(loop, *this) {}

void OpencodeAsks::use(OpencodeServer* server) {
    lists_.stop();
    server_ = server;
}

void OpencodeAsks::all_listed() {
    asks_.drop_unseen(kNoLonger);
}

void OpencodeAsks::remember(const opencode::SessionFacts& session) {
    if (session.id.empty()) return;
    if (sessions_.size() >= limits::kOpencodeSessionsKept) sessions_.clear();
    sessions_[session.id] = session;
}

void OpencodeAsks::on_event(const opencode::ServerEvent& event) {
    const std::string& type = event.type;
    const json::Value& properties = event.properties;
    const std::string session = text_field(properties, "sessionID");
    if (type == "question.asked" || type == "permission.asked") {
        const auto kind = type == "question.asked" ? Wish::Kind::questions : Wish::Kind::permission;
        if (auto wish = opencode::read_wish(kind, event.directory, properties))
            take(std::move(*wish));
    } else if (type == "question.replied" || type == "question.rejected" ||
               type == "permission.replied") {
        resolved(event);
    } else if (type == "session.created" || type == "session.updated") {
        remember(opencode::read_session_facts(field(properties, "info")));
    } else if (type == "session.deleted") {
        session_deleted(session.empty() ? text_field(field(properties, "info"), "id") : session);
    } else if (type == "server.instance.disposed") {
        folder_closed(event.directory);
    } else if (const auto status = opencode::read_status(event); status && !status->is_busy) {
        check_idle(session, event.directory);
    }
}

void OpencodeAsks::take(Wish wish) {
    const std::string key = opencode::wish_key(wish.session, wish.id);
    asks_.see(key);
    const auto found = known_.find(key);
    if (found != known_.end() && (found->second.is_coming || found->second.is_replying)) return;
    const std::string session = wish.session;
    Known& known = known_[key];
    known.wish = std::move(wish);
    known.is_coming = true;
    trace(key, {}, session);
}

// Up to the session that a person began, whose the question is.
void OpencodeAsks::trace(const std::string& key, Lineage lineage, const std::string& session) {
    const auto entry = known_.find(key);
    if (entry == known_.end() || server_ == nullptr) return;
    if (const auto found = sessions_.find(session); found != sessions_.end()) {
        lineage.push_back(found->second);
        const std::string parent = found->second.parent;
        const bool is_deep = lineage.size() >= limits::kOpencodeLineageMax;
        if (parent.empty() || is_deep) return traced(key, lineage);
        return trace(key, std::move(lineage), parent);
    }
    server_->read(session_path(session), entry->second.wish.directory,
                  alive_.guard([this, key, lineage = std::move(lineage),
                                session](const Result<json::Value>& info) mutable {
                      if (!info && info.error().code == ErrorCode::unavailable)
                          return refused(key, fmt::format("whose question it is cannot be read: {}",
                                                          info.error().message));
                      opencode::SessionFacts facts{.id = session};
                      if (info) facts = opencode::read_session_facts(*info);
                      if (facts.id != session) facts = {.id = session};
                      remember(facts);
                      trace(key, std::move(lineage), session);
                  }));
}

void OpencodeAsks::traced(const std::string& key, const Lineage& lineage) {
    Known& known = known_.find(key)->second;
    known.root = lineage.back();
    const auto place = listener_.place_of(known.root);
    if (!place || pass(known.wish, place->name.value_or(""))) {
        known_.erase(key);
        return;
    }
    known.session = place->name.value_or("");
    opencode::Surroundings surroundings;
    if (lineage.size() > 1) surroundings.sub_agent = lineage.front().title;
    if (known.wish.kind != Wish::Kind::permission || known.wish.message.empty())
        return ask(key, surroundings);
    server_->read(
        session_path(known.wish.session, "/message/" + known.wish.message), known.wish.directory,
        alive_.guard([this, key, surroundings](const Result<json::Value>& message) mutable {
            const auto entry = known_.find(key);
            if (entry == known_.end()) return;
            if (message) opencode::read_call(entry->second.wish, *message, surroundings);
            ask(key, surroundings);
        }));
}

void OpencodeAsks::ask(const std::string& key, const opencode::Surroundings& surroundings) {
    Known& known = known_.find(key)->second;
    known.is_coming = false;
    const auto place = listener_.place_of(known.root);
    auto spec = opencode::make_spec(known.wish, surroundings);
    if (!spec || !place)
        return refused(key, spec ? std::string("its session is gone") : spec.error().message);
    asks_.take(
        {.key = key, .place = known.wish.session, .session = *place, .spec = std::move(*spec)});
}

// Our own tools ask by themselves.
bool OpencodeAsks::pass(const Wish& wish, const std::string& session) {
    if (!opencode::is_own(wish)) return false;
    const opencode::Ruling ruling = opencode::passing(wish);
    server_->act(ruling.path, wish.directory, ruling.body, [](Result<net::ClientResponse>) {});
    listener_.tell(session, {.text = fmt::format("{} passes by rule: it is Parley's own",
                                                 text_field(wish.request, "permission"))});
    return true;
}

void OpencodeAsks::settled(const std::string& key, const Ask& ask) {
    const auto entry = known_.find(key);
    if (entry == known_.end() || server_ == nullptr) return;
    const Known& known = entry->second;
    // One that is coming is given when it is there.
    if (known.is_replying || known.is_coming) return;
    if (withdrawal_rule(*ask.settlement) == WithdrawalRule::turn_stopped) {
        stop_turn(known);
        return asks_.taken(key);
    }
    // Nothing was decided here; it still can be there.
    if (ask.state() == AskState::withdrawn && rules_.has_company) return asks_.taken(key);
    reply(key, opencode::read_ruling(known.wish, ask));
}

void OpencodeAsks::reply(const std::string& key, const opencode::Ruling& ruling) {
    Known& known = known_.find(key)->second;
    known.is_replying = true;
    known.lost.reset();
    ++known.tries;
    server_->post(ruling.path, known.wish.directory, ruling.body,
                  alive_.guard([this, key, ruling](const Result<net::ClientResponse>& response) {
                      replied(key, ruling, response);
                  }));
}

void OpencodeAsks::replied(const std::string& key, const opencode::Ruling& ruling,
                           const Result<net::ClientResponse>& response) {
    const auto entry = known_.find(key);
    if (entry == known_.end()) return;
    const Known& known = entry->second;
    const bool is_taken = response && response->status() < 300;
    // Where the answer to our reply was lost, its event may have come.
    if (is_taken || (known.is_answered && known.tries > 1)) return reply_taken(key, ruling);
    const Error why = OpencodeServer::body_of(response).error();
    if (OpencodeServer::is_lost(response)) return reply_lost(key, ruling, why);
    if (!response || response->status() != 404) return reply_refused(key, why);
    if (known.tries == 1) return asks_.too_late(key);
    listener_.tell(
        known.session,
        {.text = "Whether OpenCode took this answer is not known: it did not say so, and "
                 "asks no longer.",
         .level = NoticeGiven::Level::warning});
    asks_.taken(key);
}

void OpencodeAsks::reply_taken(const std::string& key, const opencode::Ruling& ruling) {
    const Known& known = known_.find(key)->second;
    if (opencode::is_cut(ruling))
        listener_.tell(known.session,
                       {.text = "The answer is long: OpenCode cuts it for its model, which is "
                                "told in which file the whole of it is.",
                        .level = NoticeGiven::Level::warning});
    if (!ruling.words.empty()) listener_.say(known.root, ruling.words);
    asks_.taken(key);
}

void OpencodeAsks::reply_lost(const std::string& key, const opencode::Ruling& ruling,
                              const Error& why) {
    Known& known = known_.find(key)->second;
    if (known.is_answered) return reply_taken(key, ruling);
    // On the next connection, when it is seen there.
    if (losses_ > 0 || server_ == nullptr) {
        known.is_replying = false;
        known.lost.reset();
        known.tries = 0;
        return;
    }
    if (known.tries >= limits::kOpencodeTriesMax) return reply_refused(key, why);
    known.lost = ruling;
    loop_.post_at(loop_.now() + OpencodeServer::delay_after(known.tries),
                  alive_.guard([this, key, ruling, why] {
                      const auto entry = known_.find(key);
                      if (entry == known_.end()) return;
                      const bool is_open = !entry->second.is_answered && losses_ == 0;
                      if (!is_open || server_ == nullptr) return reply_lost(key, ruling, why);
                      reply(key, ruling);
                  }));
}

// Where nobody else can answer, its turn would wait for ever.
void OpencodeAsks::reply_refused(const std::string& key, const Error& why) {
    const Known& known = known_.find(key)->second;
    listener_.tell(known.session,
                   {.text = fmt::format(
                        "OpenCode does not take the answer ({}): {}", why.message,
                        rules_.has_company ? "give it in OpenCode itself" : "its turn is stopped"),
                    .level = NoticeGiven::Level::error});
    if (!rules_.has_company) stop_turn(known);
    asks_.taken(key);
}

void OpencodeAsks::refused(const std::string& key, const std::string& why) {
    const auto entry = known_.find(key);
    if (entry == known_.end()) return;
    const Known known = entry->second;
    known_.erase(entry);
    const std::string text = fmt::format("OpenCode could not ask: {}", why);
    if (known.session.empty()) {
        listener_.trouble(text);
    } else {
        listener_.tell(known.session, {.text = text, .level = NoticeGiven::Level::warning});
    }
    if (rules_.has_company || server_ == nullptr) return;
    clear(known.wish);
    listener_.say(known.root, fmt::format("The user could not be asked: {}", why));
}

void OpencodeAsks::closed(const std::string& key) {
    const auto entry = known_.find(key);
    if (entry != known_.end() && !entry->second.is_coming) known_.erase(entry);
}

// What the turn waited for stays open there, unless it is cleared.
void OpencodeAsks::stop_turn(const Known& known) {
    server_->act(session_path(known.root.id, "/abort"), known.wish.directory, {},
                 alive_.guard([this, wish = known.wish](const Result<net::ClientResponse>&) {
                     if (server_ != nullptr) clear(wish);
                 }));
}

void OpencodeAsks::clear(const Wish& wish) {
    const opencode::Ruling ruling = opencode::rejection(wish);
    server_->act(ruling.path, wish.directory, ruling.body, [](Result<net::ClientResponse>) {});
}

void OpencodeAsks::resolved(const opencode::ServerEvent& event) {
    const std::string key = opencode::wish_key(text_field(event.properties, "sessionID"),
                                               text_field(event.properties, "requestID"));
    const auto entry = known_.find(key);
    if (entry == known_.end()) return;
    // The answer to our own reply says whose it is.
    if (entry->second.is_replying) {
        entry->second.is_answered = true;
        // Where that is lost, this does; and the turn may be over before we would try again.
        if (const auto lost = entry->second.lost) reply_taken(key, *lost);
        return;
    }
    drop(key, decided_there(event));
}

void OpencodeAsks::drop(const std::string& key, std::string_view why) {
    if (const auto entry = known_.find(key); entry != known_.end() && entry->second.is_coming)
        known_.erase(entry);
    asks_.closed_there(key, why);
}

std::vector<std::string> OpencodeAsks::select(
    const std::function<bool(const Known&)>& which) const {
    std::vector<std::string> keys;
    for (const auto& [key, known] : known_)
        if (which(known)) keys.push_back(key);
    return keys;
}

// One that is stopped is told to be idle twice, and the second time may be in the next turn: what
// that one asks is not over.
void OpencodeAsks::check_idle(const std::string& session, const std::string& directory) {
    std::vector<std::string> keys =
        select([&](const Known& known) { return known.wish.session == session; });
    if (keys.empty() || server_ == nullptr) return;
    server_->read(
        "/session/status", directory,
        alive_.guard([this, session, keys = std::move(keys)](const Result<json::Value>& status) {
            if (!status || server_ == nullptr) return;
            const auto busy = opencode::read_busy(*status);
            if (std::ranges::find(busy, session) != busy.end()) return;
            for (const std::string& key : keys) turn_ended(key);
        }));
}

void OpencodeAsks::turn_ended(const std::string& key) {
    const auto entry = known_.find(key);
    // The answer to our reply says what became of it.
    if (entry == known_.end() || entry->second.is_replying) return;
    clear(entry->second.wish);
    drop(key, kTurnEnded);
}

void OpencodeAsks::session_deleted(const std::string& session) {
    for (const std::string& key : select([&](const Known& known) {
             return known.wish.session == session && !known.is_replying;
         }))
        drop(key, kDeleted);
}

void OpencodeAsks::folder_closed(const std::string& directory) {
    for (const std::string& key :
         select([&](const Known& known) { return known.wish.directory == directory; }))
        drop(key, kFolderClosed);
}

void OpencodeAsks::lost() {
    lists_.stop();
    asks_.lost();
    // Lost once it may be there all the same; what it asked lives no longer than it does.
    if (++losses_ > 1) asks_.drop_unseen(kGone);
}

void OpencodeAsks::catch_up(std::vector<std::string> directories) {
    losses_ = 0;
    lists_.read(*server_, std::move(directories), asks_.unseen_places());
}

void OpencodeAsks::withdraw_all(std::string_view why, Task done) {
    lists_.stop();
    std::erase_if(known_, [](const auto& entry) { return entry.second.is_coming; });
    // The answer to our reply would say whose it is, and nobody waits for that any more.
    for (const std::string& key : select([](const Known& known) { return known.is_answered; }))
        asks_.taken(key);
    asks_.withdraw_all(why, std::move(done));
}

}  // namespace parley
