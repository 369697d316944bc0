// SPDX-License-Identifier: Apache-2.0
// What an ask said is in the store's files until it is deleted, and then no more.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <memory>
#include <sstream>

#include "store/sqlite_engine.h"
#include "store/sqlite_test_folder.h"
#include "store/test_values.h"

namespace parley {

namespace {

constexpr const char* kSecret = "hunter2-in-the-open";

class SqliteContentTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(engine_.open());
        session_ = make_.session("one");
        commit(OpenSession{session_});
    }
    ChangeOutcome commit(Change change) {
        const std::array<Change, 1> changes = {std::move(change)};
        auto report = engine_.commit(changes);
        EXPECT_TRUE(report);
        return report ? report->outcomes.front() : ChangeOutcome{};
    }
    // With the secret in its question, a draft, the answer and the note.
    AskId settle_one(const std::string& text) {
        const AskPtr ask = make_.ask(session_->id, {}, text);
        commit(OpenAsk{ask});
        commit(make_.draft(ask->id, text));
        auto answered = std::make_shared<Settlement>(*make_.settlement(Outcome::answered));
        answered->answers = {Answer{.other = text, .note = text}};
        commit(SettleAsk{ask->id, answered});
        return ask->id;
    }
    void settle_others(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const AskPtr ask = make_.ask(session_->id, {}, std::string(40 * i, 'x'));
            commit(OpenAsk{ask});
            commit(SettleAsk{ask->id, make_.settlement(Outcome::answered)});
        }
    }
    bool is_in_files() const {
        std::ostringstream out;
        for (const char* suffix : {"", "-wal"})
            out << std::ifstream(folder_.path("store.db") + suffix, std::ios::binary).rdbuf();
        return out.str().find(kSecret) != std::string::npos;
    }

    TestFolder folder_;
    StillClock clock_;
    TestValues make_;
    SqliteEngine engine_{{.path = folder_.path("store.db")}, clock_};
    SessionPtr session_;
};

}  // namespace

TEST_F(SqliteContentTest, NothingOfItIsLeftInTheFileAndItsLog) {
    settle_others(50);
    std::string text = kSecret;
    const AskId brief = settle_one(text);
    // Over many pages, and the secret in each.
    while (text.size() < 20'000) text += std::string(" and again ") + kSecret;
    const AskId at_length = settle_one(text);
    settle_others(50);
    ASSERT_TRUE(is_in_files());
    EXPECT_EQ(commit(DeleteContent{brief, make_.tick()}).verdict, Verdict::applied);
    EXPECT_EQ(commit(DeleteContent{at_length, make_.tick()}).verdict, Verdict::applied);
    EXPECT_FALSE(is_in_files());
    engine_.close();
    EXPECT_FALSE(is_in_files());
}

}  // namespace parley
