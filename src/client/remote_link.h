// SPDX-License-Identifier: Apache-2.0
// A link to a broker behind the native door: a local socket, HTTP or HTTPS. Asking, waiting and
// following outlive a lost connection and a restarted broker; the rest is tried for a while. What
// is repeated is safe to repeat: an ask without a key is given one of the link's own, and the same
// settlement again is no second one. Lives on the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/lifetime.h"
#include "client/limits.h"
#include "client/link.h"
#include "dialect/native/owner.h"
#include "dialect/native/store.h"
#include "net/http_calls.h"
#include "net/loop.h"

namespace parley {

class RemoteLink final : public Link {
public:
    struct Options {
        wire::Url server;
        std::string token = {};              // not needed on a local socket
        std::optional<std::string> by = {};  // who acts, as this client says
        // Which of our doors this client is; empty: it uses the native one as itself.
        std::string door = {};
        net::TlsTrust trust = {};
        // How long a call that is not answered is tried again.
        Millis patience = limits::kRemotePatience;
    };

    [[nodiscard]] static Result<std::unique_ptr<RemoteLink>> create(net::Loop& loop,
                                                                    Options options);
    ~RemoteLink() override;

    // One try, to see whether a broker is there and takes us.
    void check(Done<void> done);

    void ask(AskRequest request, Done<OpenedAsk> done) override;
    void find_ask(AskId id, Done<AskPtr> done) override;
    void list_asks(AskListing listing, Done<AskPage> done) override;
    [[nodiscard]] LinkWait wait(AskId id, Done<AskPtr> settled) override;

    void answer(AskId id, Answers answers, AnswerOptions options, Done<SettleReply> done) override;
    void dismiss(AskId id, DismissOptions options, Done<SettleReply> done) override;
    void withdraw(AskId id, std::optional<std::string> reason, Done<SettleReply> done) override;

    void find_draft(AskId id, Done<DraftPtr> done) override;
    void put_draft(AskId id, Draft draft, Done<DraftReply> done) override;
    void drop_draft(AskId id, Done<void> done) override;
    void list_drafts(Done<Drafts> done) override;
    void snooze(AskId id, Millis period, Done<void> done) override;

    void open_session(SessionRequest request, Done<SessionPtr> done) override;
    void find_session(std::string_view ref, Done<SessionPtr> done) override;
    void list_sessions(SessionQuery query, Done<SessionPage> done) override;
    void end_session(std::string_view ref, std::optional<std::string> reason,
                     Done<SessionPtr> done) override;
    void abort(std::string_view ref, Done<SessionPtr> done) override;
    void list_log(std::string_view ref, std::optional<Cursor> before,
                  Done<SessionLog> done) override;

    void push(std::string_view ref, std::vector<StreamItem> items, Done<void> done) override;
    void say(std::string_view ref, std::string text, Done<Said> done) override;
    void take_messages(std::string_view ref, MessageId up_to, Done<void> done) override;
    void list_messages(std::string_view ref, Done<std::vector<QueuedText>> done) override;
    void give_notice(std::string_view ref, NoticeGiven notice, Done<void> done) override;

    [[nodiscard]] std::unique_ptr<Following> follow(FollowRequest request,
                                                    FollowListener& listener) override;

    void describe_server(Done<native::ServerBody> done);

    // The owner's: tokens.
    void make_token(native::TokenBody body, Done<native::MadeToken> done);
    void list_tokens(Done<std::vector<Token>> done);
    void drop_token(std::string_view name, Done<void> done);
    void rotate_token(std::string_view name, Done<native::MadeToken> done);
    // For that person; nullopt: a new one.
    void make_sign_in_link(const std::optional<std::string>& person, Done<native::SignInLink> done);

    // The owner's: the address of the store; a copy of it, read in pieces ("" at its end); what is
    // over goes.
    void find_store(Done<std::string> done);
    void begin_copy(Done<native::CopyBody> done);
    void look_at_copy(std::string_view id, Done<native::CopyBody> done);
    void read_copy(std::string_view id, std::uint64_t offset, Done<std::string> done);
    void drop_copy(std::string_view id, Done<void> done);
    // Of a settled ask; what is left of it is told.
    void delete_content(AskId id, Done<AskPtr> done);
    // For a moment; the answer says whether there is more.
    void prune(const native::PruneBody& before, Done<native::PrunedBody> done);

private:
    using Answered = UniqueFunction<void(Result<net::ClientResponse>)>;
    struct Pending;

    RemoteLink(net::Loop& loop, std::unique_ptr<net::HttpCalls> calls, Options options);

    net::ClientRequest request(wire::Method method, std::string target,
                               std::string body = {}) const;
    // `patience`: how long to try again; nullopt: for ever. The number ends it early.
    std::uint64_t call(net::ClientRequest request, std::optional<Millis> patience, Answered done);
    void send(std::uint64_t number);
    void answered(std::uint64_t number, Result<net::ClientResponse> response);
    void poll(AskId id, std::uint64_t wait, Done<AskPtr> settled);
    void settle(AskId id, std::string_view verb, std::string body, Done<SettleReply> done);

    net::Loop& loop_;
    Options options_;
    RandomBits random_ = system_random();
    std::unordered_map<std::uint64_t, std::unique_ptr<Pending>> pending_;
    std::unordered_map<std::uint64_t, std::uint64_t> waits_;  // a wait's current call
    std::uint64_t next_number_ = 1;
    Lifetime alive_;
    // Goes first: its end may still tell the calls above.
    std::unique_ptr<net::HttpCalls> calls_;
};

}  // namespace parley
