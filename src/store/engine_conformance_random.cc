// SPDX-License-Identifier: Apache-2.0
// Random transactions against StoreModel; a failure names the seed.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "store/engine_conformance.h"
#include "store/engine_conformance_model.h"
#include "store/random_changes.h"

namespace parley {

namespace {

std::string describe_asks(const std::vector<AskPtr>& asks) {
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
    constexpr int kTransactions = 40;
    for (std::uint64_t seed = 1; seed <= GetParam().random_seeds && !HasFailure(); ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        engine_.reset();
        store_ = GetParam().make_store();
        StoreModel model(open().head);
        TestValues make(seed);
        RandomChanges random(make);
        for (int i = 0; i < kTransactions && !HasFailure(); ++i) {
            const std::vector<Change> changes = random.batch(12);
            auto expected = model.commit(changes);
            CommitReport report = commit(changes);
            forget_optional(changes, expected);
            forget_optional(changes, report.outcomes);
            EXPECT_EQ(describe(report.outcomes), describe(expected));
            EXPECT_EQ(describe(report.events), describe(model.told()));

            if (make.random() % 8 == 0) EXPECT_EQ(describe(reopen()), describe(model.snapshot()));
            AskQuery query;
            if (make.random() % 2 == 0) query.state = static_cast<AskState>(make.random() % 5);
            if (make.random() % 2 == 0) query.session = random.session();
            if (make.random() % 3 == 0) query.asker = random.principal();
            query.order = static_cast<ListOrder>(make.random() % 3);
            query.limit = 1 + make.random() % 20;
            for (bool has_more = true; has_more && !HasFailure();) {
                const auto page = engine_->list_asks(query);
                const AskPage expected_page = model.asks(query);
                EXPECT_EQ(describe_asks(page->asks), describe_asks(expected_page.asks));
                EXPECT_EQ(page->has_more, expected_page.has_more);
                has_more = page->has_more;
                if (has_more) query.after = page->last;
            }
        }
        EXPECT_EQ(describe(reopen()), describe(model.snapshot()));
        const Cursor first = model.snapshot().oldest;
        const EventPage page = list_events({.after = first, .limit = model.events().size()});
        EXPECT_EQ(describe(page.events, Detail::left_out),
                  describe(model.events(), Detail::left_out));
    }
}

}  // namespace parley
