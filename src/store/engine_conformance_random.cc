// SPDX-License-Identifier: Apache-2.0
// Random transactions against StoreModel. Names, sessions and asks come from small pools, so that
// changes meet each other; a failure names the seed.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "store/engine_conformance.h"
#include "store/engine_conformance_model.h"

namespace parley {

namespace {

class RandomChanges {
public:
    explicit RandomChanges(TestValues& make) : make_(make) {}

    Change next() {
        switch (pick(16)) {
            case 0: return open_session();
            case 1: return change_session();
            case 2: return pick(4) == 0 ? Change(make_.end(session())) : Change(open_session());
            case 3: return message();
            case 4: return TakeMessages{session(), make_.tick(), a_message()};
            case 5: return make_.part(session(), text());
            case 6: return make_.notice(pick(3) == 0 ? SessionId() : session(), text());
            case 7: return draft();
            case 8: return snooze();
            case 9: return token();
            case 10:
            case 11:
            case 12: return settle();
            default: return open_ask();
        }
    }

    SessionId session() {
        return sessions_.empty() || pick(12) == 0 ? make_.session_id() : one_of(sessions_)->id;
    }

private:
    std::size_t pick(std::size_t below) { return make_.random() % below; }
    template <class T>
    const T& one_of(const std::vector<T>& list) {
        return list[pick(list.size())];
    }
    std::string text() { return fmt::format("text {:x}", make_.random()); }
    AskPtr ask() {
        // Mostly the newest: only those are likely to be pending.
        if (asks_.empty() || pick(20) == 0) return make_.ask(session());
        const std::size_t newest = std::min<std::size_t>(asks_.size(), 12);
        return asks_[asks_.size() - 1 - pick(newest)];
    }

    Change open_session() {
        if (!sessions_.empty() && pick(6) == 0) return OpenSession{one_of(sessions_)};
        auto name = pick(2) == 0 ? std::optional(fmt::format("name-{}", pick(3))) : std::nullopt;
        sessions_.push_back(make_.session(std::move(name)));
        if (sessions_.size() > 6) sessions_.erase(sessions_.begin());
        return OpenSession{sessions_.back()};
    }

    Change change_session() {
        auto changed = sessions_.empty() ? std::make_shared<Session>(*make_.session())
                                         : std::make_shared<Session>(*one_of(sessions_));
        changed->title = fmt::format("title {}", pick(2));
        changed->activity = pick(2) == 0 ? Activity::idle : Activity::working;
        return ChangeSession{changed, make_.tick()};
    }

    Change open_ask() {
        if (!asks_.empty() && pick(10) == 0) return OpenAsk{one_of(asks_)};
        AskNames names;
        if (pick(3) == 0) names.key = fmt::format("key-{}", pick(5));
        // Never both: which of two asks a pair of names means is not promised.
        if (!names.key && pick(3) == 0) names.call_id = fmt::format("call-{}", pick(5));
        asks_.push_back(make_.ask(session(), names, pick(5) == 0 ? "Which colour?" : "Which one?"));
        return OpenAsk{asks_.back()};
    }

    Change settle() {
        const AskPtr settled = ask();
        const auto outcome = static_cast<Outcome>(pick(4));
        const AskPtr known = pick(2) == 0 ? settled : nullptr;
        auto settlement = make_.settlement(outcome, pick(2) == 0 ? "ada" : "bob");
        if (last_settlement_ && pick(4) == 0) settlement = last_settlement_;
        last_settlement_ = settlement;
        return SettleAsk{settled->id, settlement, known};
    }

    Change draft() {
        const std::string principal = pick(2) == 0 ? "ada" : "bob";
        if (pick(4) == 0) return PutDraft{ask()->id, make_.tick(), principal, nullptr};
        return make_.draft(ask()->id, text(), principal);
    }

    Change snooze() {
        const std::string principal = pick(2) == 0 ? "ada" : "bob";
        const auto until = pick(3) == 0 ? std::nullopt : std::optional(make_.tick());
        return PutSnooze{ask()->id, principal, until};
    }

    Change message() {
        if (!messages_.empty() && pick(6) == 0) return one_of(messages_);
        messages_.push_back(make_.message(session(), text()));
        return messages_.back();
    }

    MessageId a_message() {
        return messages_.empty() ? MessageId(IdBits{1, 1}) : one_of(messages_).message.id;
    }

    Change token() {
        const std::string name = fmt::format("token-{}", pick(3));
        if (pick(3) == 0) return DropToken{name};
        return PutToken{make_.token(name, fmt::format("hash-{}", pick(2)))};
    }

    TestValues& make_;
    std::vector<SessionPtr> sessions_;
    std::vector<AskPtr> asks_;
    std::vector<AddMessage> messages_;
    TestValues::SettlementPtr last_settlement_;
};

std::string describe_all(const std::vector<ChangeOutcome>& outcomes) {
    std::string text;
    for (const ChangeOutcome& outcome : outcomes)
        text += fmt::format("{} {} {}\n", to_string(outcome.verdict), describe(outcome.ask),
                            describe(outcome.session));
    return text;
}

std::string describe_all(const std::vector<AskPtr>& asks) {
    std::string text;
    for (const AskPtr& ask : asks) text += describe(ask) + '\n';
    return text;
}

// Which ask a draft or a snooze belongs to is known to the caller; engines may leave it out.
void forget_optional(std::span<const Change> changes, std::vector<ChangeOutcome>& outcomes) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (std::holds_alternative<PutDraft>(changes[i]) ||
            std::holds_alternative<PutSnooze>(changes[i]))
            outcomes[i].ask = nullptr;
    }
}

}  // namespace

TEST_P(EngineConformance, RandomTransactionsDoWhatTheModelDoes) {
    constexpr int kSeeds = 20;
    constexpr int kTransactions = 40;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        engine_.reset();
        store_ = GetParam().make_store();
        StoreModel model(open().head);
        TestValues make(seed);
        RandomChanges random(make);
        for (int i = 0; i < kTransactions && !HasFailure(); ++i) {
            std::vector<Change> changes(1 + make.random() % 12);
            for (Change& change : changes) change = random.next();

            const std::size_t events_before = model.events().size();
            auto expected = model.commit(changes);
            CommitReport report = commit(changes);
            forget_optional(changes, expected);
            forget_optional(changes, report.outcomes);
            EXPECT_EQ(describe_all(report.outcomes), describe_all(expected));
            const auto first_new =
                model.events().begin() + static_cast<std::ptrdiff_t>(events_before);
            EXPECT_EQ(describe(report.events), describe({first_new, model.events().end()}));

            if (make.random() % 8 == 0) EXPECT_EQ(describe(reopen()), describe(model.snapshot()));
            AskQuery query;
            if (make.random() % 2 == 0) query.state = static_cast<AskState>(make.random() % 5);
            if (make.random() % 2 == 0) query.session = random.session();
            query.limit = 1 + make.random() % 50;
            EXPECT_EQ(describe_all(engine_->list_asks(query)->asks),
                      describe_all(model.asks(query)));
        }
        EXPECT_EQ(describe(reopen()), describe(model.snapshot()));
        const Cursor first = model.snapshot().oldest;
        const EventPage page = list_events({.after = first, .limit = model.events().size()});
        EXPECT_EQ(describe(page.events, DraftDetail::hidden),
                  describe(model.events(), DraftDetail::hidden));
    }
}

}  // namespace parley
