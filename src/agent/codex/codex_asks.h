// SPDX-License-Identifier: Apache-2.0
// What Codex wants decided: each of its requests becomes an ask, and each settlement a reply. Where
// Codex has a window of its own beside us the first answer counts: what is answered there is taken
// back here. How asks outlive connections, processes and brokers, SharedAsks knows. Lives on the
// executor of its link.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/shared_asks.h"
#include "client/link.h"
#include "dialect/codex/wishes.h"

namespace parley {

class CodexAsks final : private SharedAsks::Listener {
public:
    // Who else may answer.
    enum class Company : std::uint8_t { nobody, its_own_window };
    struct Rules {
        std::string key_prefix;  // of the asks of this one, in their keys
        Company company = Company::its_own_window;
        std::optional<Millis> timeout = {};
    };
    class Listener {
    public:
        virtual ~Listener() = default;
        virtual void reply(const codex::Wish& wish, std::string result) = 0;
        // What the reply had no room for.
        virtual void add_words(const codex::Wish& wish, std::string words) = 0;
        virtual void stop_turn(const codex::Wish& wish) = 0;
        virtual void asked(const AskRequest& request) = 0;
        // Answered, and Codex takes it no more. Where Codex has a window, people are told instead.
        virtual void late(const AskPtr& ask) = 0;
        virtual void trouble(std::string text) = 0;
    };

    using Wiring = SharedAsks::Wiring;
    CodexAsks(Wiring wiring, Rules rules, Listener& listener);

    // Takes over what waits from an earlier process; `done` in any case.
    void adopt(Task done) { asks_.adopt(std::move(done)); }

    // `session` is opened if it is not there. The same request again is the same ask. `edit` is
    // the item that a wish to edit is about.
    void take(codex::Wish wish, SessionRequest session, json::Value edit);
    // Codex needs it no longer: it was replied to, by us or by somebody else.
    void resolved(std::string_view thread, std::string_view request_id);
    // An item is over: what became of it may be another's decision, in the same moment as ours.
    void item_ended(const std::string& thread, const json::Value& item);
    void turn_ended(std::string_view thread, bool was_stopped);

    // The connection is lost. What was open may come again, or be missing.
    void lost();
    // Of the thread, or of all, what has not come again is over.
    void missing(std::string_view thread, std::string_view why) {
        asks_.drop_unseen_of(thread, why);
    }
    void all_missing(std::string_view why) { asks_.drop_unseen(why); }
    // Threads of what has not come again.
    std::vector<std::string> unseen_threads() const { return asks_.unseen_places(); }

    // `done` once all is taken back, or cannot be: a broker that is away is not waited for long.
    void withdraw_all(std::string_view why, Task done) { asks_.withdraw_all(why, std::move(done)); }

private:
    struct Known {
        codex::Wish wish;
        codex::Surroundings surroundings;
        bool is_there = true;  // its request is open on this connection
    };

    // SharedAsks::Listener
    void settled(const std::string& key, const Ask& ask) override;
    void asked(const AskRequest& request) override { listener_.asked(request); }
    void refused(const std::string& key, const std::string& why) override;
    void late(const AskPtr& ask) override { listener_.late(ask); }
    void closed(const std::string& key) override;
    void trouble(const std::string& text) override { listener_.trouble(text); }

    void refuse(const codex::Wish& wish, const std::string& why);
    void reply(const codex::Wish& wish, codex::Ruling ruling);
    void remember(const codex::Wish& wish, const codex::Ruling& ruling, const Ask& ask);

    // Said to Codex, which takes the first of several replies and says nothing of the others.
    struct Given {
        bool permits = false;
        std::string question;
    };
    using ItemKey = std::pair<std::string, std::string>;  // its thread, its id

    Link& link_;
    Rules rules_;
    Listener& listener_;
    std::map<ItemKey, Given> given_;
    SharedAsks asks_;
    std::map<std::string, Known, std::less<>> known_;  // by the wish's key
};

}  // namespace parley
