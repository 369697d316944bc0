// SPDX-License-Identifier: Apache-2.0
// Who may: the gate in front of every route. Checks Host and Origin, finds out who is calling (the
// local socket's peer, a Bearer or Basic token, a cookie, `?token=`), holds the caller's role
// against what the route wants, and slows down who guesses. Belongs to the loop's thread. Writes no
// secret anywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/lifetime.h"
#include "base/result.h"
#include "core/settle.h"
#include "core/token.h"
#include "core/viewer.h"
#include "door/alarms.h"
#include "net/router.h"
#include "parley/values.h"
#include "wire/url.h"

namespace parley {

// What a route wants; the `access` of its RouteOptions.
enum class Needs : std::uint8_t {
    nothing,  // open to all who reach the port
    asset,    // the same, and browsers may keep a copy
    token,    // any role
    // Any role; a socket's token may come in its first message, where a door's QueryForm promises
    // it. Until then its request has no principal.
    late_token,
    asker,      // may ask: agent or owner
    responder,  // may settle as a person: responder or owner
    owner,
};

// Who is calling. A handler finds it as its Exchange's principal.
struct Caller {
    std::string principal;  // the stable key: a token's principal, "uid:1000" on the local socket
    std::string name;       // that people are shown: the principal's, or the login name
    Role role = Role::agent;
    TokenPtr token = {};                    // what it came with; null where that was no token
    bool is_browser = false;                // it came with a cookie, or from our own page
    std::optional<std::uint32_t> uid = {};  // of the local socket's peer, where that counts
    std::optional<std::uint32_t> pid = {};

    bool is_person() const { return role != Role::agent; }
    // What this caller may see (core/viewer.h).
    Viewer viewer() const;
};

// The caller as one who acts; `by` is what it says of itself.
Actor as_actor(const Caller& caller, std::string_view door,
               std::optional<std::string> by = std::nullopt);

// What those who run a server want to know of who comes in. Names and addresses, never a secret.
struct AccessNews {
    enum class Kind : std::uint8_t {
        wrong_token,
        locked_out,  // too many of them from one address
        signed_in,
        signed_out,
        token_created,
        token_rotated,
        token_revoked,
    };
    Kind kind = Kind::wrong_token;
    std::string address = {};  // of the caller, without its port; "local" on the socket
    std::string subject = {};  // the person who signed in, or the token
    std::string by = {};       // who made or revoked it
    std::optional<Role> role = {};
};

// Calls back once what other nodes had made is known here.
using HearFirst = std::function<void(Task)>;
// The same, which calls back in time: where the database hangs, a stranger is told by what is
// known.
HearFirst hear_in_time(HearFirst hear, std::shared_ptr<Alarms> alarms);

struct GateOptions {
    bool requires_token = true;  // false: --no-auth, everyone is the owner
    // "127.0.0.1:7373" and what else this server is called; a Host outside is refused. One without
    // a port is meant with every port.
    std::vector<std::string> hosts = {};
    // Origins besides our own; "http://localhost:*" stands for every port.
    std::vector<std::string> allowed_origins = {};
    // Told now and then that a token is in use.
    std::function<void(const std::string& token, Instant now)> on_use = {};
    std::function<void(const AccessNews& news)> on_news = {};
    // Where other nodes make tokens too; else empty.
    HearFirst hear_first = {};
};

// How the clients of one door bring a token that cannot send headers.
struct QueryForm {
    // None where the query is not of this form. What is of it, and no token, is a guess: empty.
    std::function<std::optional<std::string>(const wire::Query& query)> find_secret;
    // Whether it says that the token comes later, over the socket that it asks for.
    std::function<bool(const wire::Query& query)> promises_secret = {};
};

class Access {
public:
    using Tokens = std::map<std::string, TokenPtr>;

    // `tokens` is looked at on each request and must outlive this.
    Access(GateOptions options, const Tokens& tokens, const Clock& clock);

    // The port is known only once the listener has it.
    void add_host(std::string host) { options_.hosts.push_back(std::move(host)); }

    void add_query_form(QueryForm form) { query_forms_.push_back(std::move(form)); }

    net::Admission admit(net::Visit& visit);
    net::Response answer_preflight(const net::Visit& visit, std::string_view allow) const;

    // A token that comes after the request; nullopt unless it counts. At once, or after others were
    // heard.
    void sign_in(const net::Peer& peer, std::string secret,
                 UniqueFunction<void(std::optional<Caller>)> done);

    // `is_over` cuts what it stands for if its token counts no longer, and says whether it is gone.
    // For those whose token came after their request.
    void watch(std::function<bool()> is_over) { watches_.push_back(std::move(is_over)); }
    // A token was revoked.
    void tell_revoked() {
        std::erase_if(watches_, [](const auto& is_over) { return is_over(); });
    }

    std::uint64_t failed_logins() const { return failed_logins_; }
    // The address is that of `exchange`.
    void tell(AccessNews news, const net::Exchange& exchange) const;

private:
    struct Guesses {
        int count = 0;
        Mono since = {};
    };
    struct Identity {
        std::optional<Caller> caller = {};
        bool is_guess = false;    // a token was shown, and it is none of ours
        bool has_cookie = false;  // the same of a cookie, which is no guess
        // Who has a secret as long as those that we make has not found it by trying: others who
        // guess at the same address do not lock it out.
        bool is_unguessable = false;
    };

    std::optional<net::Refusal> check_origin(net::Visit& visit) const;
    bool is_our_host(const net::Visit& visit) const;
    bool is_allowed_origin(std::string_view origin, const net::Visit& visit) const;
    Identity identify(const net::Visit& visit);
    Caller socket_owner(const net::Peer& peer);
    std::optional<std::string> secret_in_query(std::string_view text) const;
    bool promises_token(std::string_view text) const;
    Identity find_token(std::string_view secret) const;
    std::optional<Caller> find_cookie(std::string_view secret) const;
    std::optional<Caller> sign_in_known(const net::Peer& peer, std::string_view secret);
    // Each costs the database a question, whoever shows what is wrong.
    bool may_look_again();
    bool is_slowed_down(const std::string& address);
    void note_guess(const std::string& address);
    void tell(AccessNews news) const;
    bool is_known(const std::string& address, const Caller& caller) const;
    void note_known(const std::string& address, const Caller& caller);
    void note_use(const Caller& caller) const;

    GateOptions options_;
    const Tokens& tokens_;
    const Clock& clock_;
    std::vector<QueryForm> query_forms_;
    std::vector<std::function<bool()>> watches_;
    std::unordered_map<std::string, Guesses> guesses_;  // by address without port
    Guesses looks_;                                     // of tokens that other nodes may have made
    // Address and principal of those who have signed in: they are served on while somebody else at
    // their address guesses.
    std::unordered_set<std::string> known_;
    std::uint64_t failed_logins_ = 0;
    std::unordered_map<uid_t, std::string> login_names_;  // the system is asked once for each
    Lifetime alive_;
};

// Refused unless `has` is enough.
bool is_enough(Role has, Needs needs);

// Whether what the caller came with still counts. A request may go on for days, and its token may
// be revoked or run out meanwhile.
bool is_still_valid(const Caller& caller, const Access::Tokens& tokens, Instant now);

// Whether it, or another token of its principal, still gives the same right: what several requests
// share rests on none of their tokens alone.
bool has_live_right(const Caller& caller, const Access::Tokens& tokens, Instant now);

// Who sent this request; it has passed the gate of a route that needs somebody.
const Caller& caller(const net::Exchange& exchange);
inline Viewer viewer(const net::Exchange& exchange) {
    return caller(exchange).viewer();
}

// Names that stand for callers without a token, for browsers or for no name in a path: neither a
// token nor a person may be given them.
bool is_reserved_name(std::string_view name);

inline net::RouteOptions route(Needs needs) {
    return {.access = static_cast<int>(needs)};
}

}  // namespace parley
