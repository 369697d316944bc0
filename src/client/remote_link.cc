// SPDX-License-Identifier: Apache-2.0
#include "client/remote_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/limits.h"
#include "client/remote_follow.h"
#include "client/remote_reading.h"
#include "core/door_names.h"
#include "core/limits.h"
#include "dialect/native/client.h"
#include "dialect/native/problem.h"

namespace parley {

// One call, tried until it is answered or given up.
struct RemoteLink::Pending {
    net::ClientRequest request;
    std::optional<Mono> give_up_at;
    Millis delay = limits::kRetryDelayMin;
    Answered done;
    net::HttpCalls::Handle handle;
};

namespace {

Result<AskPtr> read_ask(const net::ClientResponse& response) {
    return native::read_ask_document(response.body);
}

Result<SessionPtr> read_session(const net::ClientResponse& response) {
    TRY(listed, native::read_session_document(response.body));
    return listed.session;
}

Result<DraftPtr> read_draft(const net::ClientResponse& response) {
    TRY(draft, native::read_draft_document(response.body));
    return std::make_shared<const Draft>(std::move(draft));
}

std::string ask_path(AskId id, std::string_view rest = "") {
    return fmt::format("/v1/asks/{}{}", id.str(), rest);
}

std::string session_path(std::string_view ref, std::string_view rest = "") {
    return fmt::format("/v1/sessions/{}{}", wire::percent_encode(ref), rest);
}

// A proxy that does not reach the broker, or waits for it no longer, says so in words of its own.
bool is_of_proxy(const net::ClientResponse& response) {
    const bool is_gateways = response.status() == 502 || response.status() == 504;
    return is_gateways && response.head.fields.find("Content-Type") != net::kProblemJson;
}

}  // namespace

Result<std::unique_ptr<RemoteLink>> RemoteLink::create(net::Loop& loop, Options options) {
    TRY(calls, net::HttpCalls::create(loop, options.server, {.trust = options.trust}));
    return std::unique_ptr<RemoteLink>(new RemoteLink(loop, std::move(calls), std::move(options)));
}

RemoteLink::RemoteLink(net::Loop& loop, std::unique_ptr<net::HttpCalls> calls, Options options)
    : loop_(loop), options_(std::move(options)), calls_(std::move(calls)) {}

RemoteLink::~RemoteLink() = default;

net::ClientRequest RemoteLink::request(wire::Method method, std::string target,
                                       std::string body) const {
    net::ClientRequest request{.method = method, .target = std::move(target)};
    if (!options_.token.empty()) request.headers.add("Authorization", "Bearer " + options_.token);
    if (!options_.door.empty()) request.headers.add(door_names::kHeader, options_.door);
    if (!body.empty()) request.content_type = net::kJson;
    request.body = std::move(body);
    return request;
}

std::uint64_t RemoteLink::call(net::ClientRequest request, std::optional<Millis> patience,
                               Answered done) {
    const std::uint64_t number = next_number_++;
    auto pending = std::make_unique<Pending>();
    pending->request = std::move(request);
    if (patience) pending->give_up_at = loop_.now() + *patience;
    pending->done = std::move(done);
    pending_.emplace(number, std::move(pending));
    send(number);
    return number;
}

void RemoteLink::send(std::uint64_t number) {
    const auto found = pending_.find(number);
    if (found == pending_.end()) return;
    found->second->handle =
        calls_->send(found->second->request, [this, number](Result<net::ClientResponse> response) {
            answered(number, std::move(response));
        });
}

void RemoteLink::answered(std::uint64_t number, Result<net::ClientResponse> response) {
    const auto found = pending_.find(number);
    if (found == pending_.end()) return;
    Pending& pending = *found->second;
    // A broker that is away, or brings its store back, is asked again.
    const bool is_away = !response || response->status() == 503 || is_of_proxy(*response);
    const Mono again = loop_.now() + pending.delay;
    if (is_away && (!pending.give_up_at || again < *pending.give_up_at)) {
        pending.delay = std::min<Millis>(pending.delay * 2, limits::kRetryDelayMax);
        loop_.post_at(again, alive_.guard([this, number] { send(number); }));
        return;
    }
    auto node = pending_.extract(found);
    node.mapped()->done(std::move(response));
}

void RemoteLink::check(Done<void> done) {
    call(request(wire::Method::get, "/v1/asks?limit=1"), Millis::zero(),
         reading_nothing(std::move(done)));
}

void RemoteLink::ask(AskRequest body, Done<OpenedAsk> done) {
    // With a key, an answer that was lost on the way does no harm: the same ask is found again.
    if (!body.spec.key && !body.spec.tool)
        body.spec.key = fmt::format("once-{:016x}{:016x}", random_(), random_());
    call(request(wire::Method::post, "/v1/asks", native::ask_request(body)), std::nullopt,
         reading<OpenedAsk>(std::move(done), [](const net::ClientResponse& response) {
             return read_ask(response).map(
                 [&](AskPtr ask) { return OpenedAsk{std::move(ask), response.status() == 201}; });
         }));
}

void RemoteLink::find_ask(AskId id, Done<AskPtr> done) {
    call(request(wire::Method::get, ask_path(id)), options_.patience,
         reading<AskPtr>(std::move(done), read_ask));
}

LinkWait RemoteLink::wait(AskId id, Done<AskPtr> settled) {
    const std::uint64_t wait = next_number_++;
    waits_.emplace(wait, 0);
    poll(id, wait, std::move(settled));
    return LinkWait(alive_.guard([this, wait] {
        const auto found = waits_.find(wait);
        if (found == waits_.end()) return;
        pending_.erase(found->second);
        waits_.erase(found);
    }));
}

// Each poll is held by the server for a while, short enough for any proxy between.
void RemoteLink::poll(AskId id, std::uint64_t wait, Done<AskPtr> settled) {
    const auto found = waits_.find(wait);
    if (found == waits_.end()) return;
    const auto held = std::chrono::seconds(limits::kPollHold).count();
    found->second =
        call(request(wire::Method::get, ask_path(id, fmt::format("?wait={}", held))), std::nullopt,
             reading<AskPtr>(
                 [this, id, wait, settled = std::move(settled)](Result<AskPtr> ask) mutable {
                     if (ask && (*ask)->is_pending()) return poll(id, wait, std::move(settled));
                     waits_.erase(wait);
                     settled(std::move(ask));
                 },
                 read_ask));
}

void RemoteLink::settle(AskId id, std::string_view verb, std::string body, Done<SettleReply> done) {
    call(request(wire::Method::post, ask_path(id, verb), std::move(body)), options_.patience,
         [done = std::move(done)](Result<net::ClientResponse> response) mutable {
             if (!response) return done(reject(std::move(response).error()));
             if (is_good(*response)) {
                 auto ask = read_ask(*response);
                 if (!ask) return done(reject(std::move(ask).error()));
                 return done(SettleReply{std::move(*ask), true});
             }
             native::Problem problem = native::read_problem(response->body, response->status());
             if (problem.ask) return done(SettleReply{std::move(problem.ask), false});
             done(reject(std::move(problem.error)));
         });
}

void RemoteLink::answer(AskId id, Answers answers, AnswerOptions options, Done<SettleReply> done) {
    settle(id, "/answer",
           native::answer_request({.answers = std::move(answers),
                                   .by = options.by ? std::move(options.by) : options_.by,
                                   .rules = rules_of(options)}),
           std::move(done));
}

void RemoteLink::dismiss(AskId id, DismissOptions options, Done<SettleReply> done) {
    settle(id, "/dismiss",
           native::reason_request(
               {std::move(options.reason), options.by ? std::move(options.by) : options_.by}),
           std::move(done));
}

void RemoteLink::withdraw(AskId id, std::optional<std::string> reason, Done<SettleReply> done) {
    settle(id, "/withdraw", native::reason_request({std::move(reason), options_.by}),
           std::move(done));
}

void RemoteLink::find_draft(AskId id, Done<DraftPtr> done) {
    call(request(wire::Method::get, ask_path(id, "/draft")), options_.patience,
         [done = std::move(done)](Result<net::ClientResponse> response) mutable {
             if (!response) return done(reject(std::move(response).error()));
             const int status = response->status();
             if (status == 204 || status == 404) return done(DraftPtr());
             if (!is_good(*response)) return done(reject(to_error(*response)));
             done(read_draft(*response));
         });
}

void RemoteLink::put_draft(AskId id, Draft draft, Done<DraftReply> done) {
    call(request(wire::Method::put, ask_path(id, "/draft"), native::draft_request(draft)),
         options_.patience, [done = std::move(done)](Result<net::ClientResponse> response) mutable {
             if (!response) return done(reject(std::move(response).error()));
             if (is_good(*response)) {
                 auto kept = read_draft(*response);
                 if (!kept) return done(reject(std::move(kept).error()));
                 return done(DraftReply{std::move(*kept)});
             }
             native::Problem problem = native::read_problem(response->body, response->status());
             if (!problem.draft) return done(reject(std::move(problem.error)));
             done(DraftReply{std::move(problem.draft), false});
         });
}

void RemoteLink::list_drafts(Done<Drafts> done) {
    call(request(wire::Method::get, "/v1/drafts"), options_.patience,
         reading<Drafts>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_draft_page(response.body);
         }));
}

void RemoteLink::drop_draft(AskId id, Done<void> done) {
    call(request(wire::Method::del, ask_path(id, "/draft")), options_.patience,
         reading_nothing(std::move(done)));
}

void RemoteLink::snooze(AskId id, Millis period, Done<void> done) {
    call(request(wire::Method::post, ask_path(id, "/snooze"), native::snooze_request(period)),
         options_.patience, reading_nothing(std::move(done)));
}

void RemoteLink::open_session(SessionRequest body, Done<SessionPtr> done) {
    native::SessionBody wire_body{.name = std::move(body.name),
                                  .title = std::move(body.title),
                                  .agent = std::move(body.agent),
                                  .directory = std::move(body.directory),
                                  .on_dismiss = body.on_dismiss,
                                  .ask_timeout = body.ask_timeout};
    if (body.parent) wire_body.parent = body.parent->str();
    call(request(wire::Method::post, "/v1/sessions", native::session_request(wire_body)),
         options_.patience, reading<SessionPtr>(std::move(done), read_session));
}

void RemoteLink::find_session(std::string_view ref, Done<SessionPtr> done) {
    call(request(wire::Method::get, session_path(ref)), options_.patience,
         reading<SessionPtr>(std::move(done), read_session));
}

void RemoteLink::end_session(std::string_view ref, std::optional<std::string> reason,
                             Done<SessionPtr> done) {
    call(request(wire::Method::del, session_path(ref),
                 native::reason_request({std::move(reason), options_.by})),
         options_.patience, reading<SessionPtr>(std::move(done), read_session));
}

void RemoteLink::abort(std::string_view ref, Done<SessionPtr> done) {
    call(request(wire::Method::post, session_path(ref, "/abort")), options_.patience,
         reading<SessionPtr>(std::move(done), read_session));
}

void RemoteLink::list_log(std::string_view ref, std::optional<Cursor> before,
                          Done<SessionLog> done) {
    std::string target = session_path(ref, fmt::format("/events?limit={}", limits::kListPageMax));
    if (before) target += fmt::format("&before={}", native::cursor_text(*before));
    call(request(wire::Method::get, std::move(target)), options_.patience,
         reading<SessionLog>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_event_page(response.body).map([](native::EventList list) {
                 return SessionLog{std::move(list.events), list.before};
             });
         }));
}

// A stream is not repeated: what was sent twice would be shown twice.
void RemoteLink::push(std::string_view ref, std::vector<StreamItem> items, Done<void> done) {
    call(request(wire::Method::post, session_path(ref, "/events"), native::stream_request(items)),
         Millis::zero(), reading_nothing(std::move(done)));
}

void RemoteLink::say(std::string_view ref, std::string text, Done<Said> done) {
    call(request(wire::Method::post, session_path(ref, "/messages"),
                 native::message_request({std::move(text), options_.by})),
         Millis::zero(), reading<Said>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_said_document(response.body);
         }));
}

void RemoteLink::take_messages(std::string_view ref, MessageId up_to, Done<void> done) {
    call(request(wire::Method::post, session_path(ref, "/messages/taken"),
                 native::taken_request(up_to)),
         options_.patience, reading_nothing(std::move(done)));
}

void RemoteLink::list_messages(std::string_view ref, Done<std::vector<QueuedText>> done) {
    call(request(wire::Method::get, session_path(ref, "/messages")), options_.patience,
         reading<std::vector<QueuedText>>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_message_page(response.body).map([](auto messages) {
                 std::vector<QueuedText> texts;
                 for (MessageAdded& message : messages)
                     texts.push_back({message.id, std::move(message.text)});
                 return texts;
             });
         }));
}

void RemoteLink::give_notice(std::string_view ref, NoticeGiven notice, Done<void> done) {
    call(request(wire::Method::post, "/v1/notices",
                 native::notice_request({std::move(notice), std::string(ref)})),
         Millis::zero(), reading_nothing(std::move(done)));
}

std::unique_ptr<Following> RemoteLink::follow(FollowRequest body, FollowListener& listener) {
    std::string target = "/v1/events";
    if (!body.session.empty()) target += "?session=" + wire::percent_encode(body.session);
    if (!body.session.empty() && body.is_agent) target += "&as=agent";
    return RemoteFollow::start({loop_, *calls_, alive_.watch()},
                               request(wire::Method::get, std::move(target)), body.after, listener);
}

}  // namespace parley
