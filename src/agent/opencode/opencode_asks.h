// SPDX-License-Identifier: Apache-2.0
// What an OpenCode server wants decided, in the sessions that its owner wants to hear of: each
// question and permission is an ask, and each settlement a reply there. Its own windows stay beside
// it, and the first answer counts. What nobody waits for any more, which OpenCode leaves open, is
// cleared on both sides. Lives on the loop.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/opencode/opencode_lists.h"
#include "agent/opencode/opencode_server.h"
#include "agent/shared_asks.h"
#include "base/lifetime.h"
#include "dialect/opencode/server_events.h"
#include "dialect/opencode/wishes.h"

namespace parley {

class OpencodeAsks final : private SharedAsks::Listener, private OpencodeLists::Listener {
public:
    struct Rules {
        std::string key_prefix;
        // What cannot be asked, or is taken back here, is left to OpenCode's own windows; or there
        // are none, and it is rejected.
        bool has_company = true;
        std::optional<Millis> timeout = {};
    };
    class Listener {
    public:
        virtual ~Listener() = default;
        // The session of ours for what that session of OpenCode asks, or a sub-agent below it.
        // Nothing: it is not for us.
        virtual std::optional<SessionRequest> place_of(const opencode::SessionFacts& root) = 0;
        virtual void asked(const AskRequest& request) = 0;
        // What a reply had no room for, to the session that began it.
        virtual void say(const opencode::SessionFacts& root, std::string words) = 0;
        // For people, in a session of ours.
        virtual void tell(const std::string& session, NoticeGiven notice) = 0;
        virtual void trouble(const std::string& text) = 0;
    };

    OpencodeAsks(net::Loop& loop, Link& link, Rules rules, Listener& listener);

    // Null: there is none.
    void use(OpencodeServer* server);
    void adopt(Task done) { asks_.adopt(std::move(done)); }

    void on_event(const opencode::ServerEvent& event);
    // Called each time that the server is not reached: the second time what was open there is over.
    void lost();
    // After each connect: reads what is open in these folders, and takes back what is not.
    void catch_up(std::vector<std::string> directories);
    void remember(const opencode::SessionFacts& session);

    void withdraw_all(std::string_view why, Task done);

private:
    struct Known {
        opencode::Wish wish;
        opencode::SessionFacts root = {};
        std::string session = {};                   // of ours
        bool is_coming = true;                      // on its way to become an ask
        bool is_replying = false;                   // our reply is under way, or tried again
        int tries = 0;                              // of that
        bool is_answered = false;                   // seen so meanwhile, by us or by somebody else
        std::optional<opencode::Ruling> lost = {};  // our reply, whose answer was lost
    };
    using Lineage = std::vector<opencode::SessionFacts>;  // a session, its parent, … the root

    // SharedAsks::Listener
    void settled(const std::string& key, const Ask& ask) override;
    void asked(const AskRequest& request) override { listener_.asked(request); }
    void refused(const std::string& key, const std::string& why) override;
    void closed(const std::string& key) override;
    void trouble(const std::string& text) override { listener_.trouble(text); }  // and of lists
    // OpencodeLists::Listener
    void listed(opencode::Wish wish) override { take(std::move(wish)); }
    void left_over(const opencode::Wish& wish) override { clear(wish); }
    void all_listed() override;

    void take(opencode::Wish wish);
    void trace(const std::string& key, Lineage lineage, const std::string& session);
    void traced(const std::string& key, const Lineage& lineage);
    void ask(const std::string& key, const opencode::Surroundings& surroundings);
    bool pass(const opencode::Wish& wish, const std::string& session);
    void reply(const std::string& key, const opencode::Ruling& ruling);
    void replied(const std::string& key, const opencode::Ruling& ruling,
                 const Result<net::ClientResponse>& response);
    void reply_taken(const std::string& key, const opencode::Ruling& ruling);
    void reply_lost(const std::string& key, const opencode::Ruling& ruling, const Error& why);
    void reply_refused(const std::string& key, const Error& why);
    void stop_turn(const Known& known);
    void clear(const opencode::Wish& wish);
    void resolved(const opencode::ServerEvent& event);
    std::vector<std::string> select(const std::function<bool(const Known&)>& which) const;
    void check_idle(const std::string& session, const std::string& directory);
    void turn_ended(const std::string& key);
    void session_deleted(const std::string& session);
    void folder_closed(const std::string& directory);
    void drop(const std::string& key, std::string_view why);

    net::Loop& loop_;
    Listener& listener_;
    Rules rules_;
    SharedAsks asks_;
    OpencodeLists lists_;
    OpencodeServer* server_ = nullptr;
    std::map<std::string, Known, std::less<>> known_;  // by the wish's key
    std::map<std::string, opencode::SessionFacts, std::less<>> sessions_;
    int losses_ = 0;  // of the connection, one after the other
    Lifetime alive_;
};

}  // namespace parley
