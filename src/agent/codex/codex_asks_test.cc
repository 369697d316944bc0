// SPDX-License-Identifier: Apache-2.0
#include "agent/codex/codex_asks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/limits.h"
#include "broker/broker_fixture.h"
#include "client/local_link.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kQuestion =
    R"({"threadId":"t1","turnId":"u1","itemId":"call_1","questions":[{"id":"db","header":"DB",)"
    R"("question":"Which database?","isOther":true,"isSecret":false,"options":[)"
    R"({"label":"PostgreSQL","description":""},{"label":"SQLite","description":""}]}],)"
    R"("isBlocking":true})";
constexpr std::string_view kCommand =
    R"({"threadId":"t1","turnId":"u1","itemId":"call_2","command":"touch f","cwd":"/srv/ada"})";
constexpr std::string_view kForm =
    R"({"threadId":"t1","turnId":"u1","serverName":"asker","mode":"form","message":"Which port?",)"
    R"("requestedSchema":{"type":"object","properties":{"port":{"type":"integer"}},)"
    R"("required":["port"]}})";

// One link to Codex, with what was said to it.
class CodexAsksTest : public BrokerTest, public CodexAsks::Listener {
protected:
    CodexAsksTest()
        : link_(LocalLink::Wiring{process_->home, clock_, process_->broker}, agent_),
          asks_(make()) {}

    std::unique_ptr<CodexAsks> make() {
        return std::make_unique<CodexAsks>(
            CodexAsks::Wiring{process_->home, clock_, link_},
            CodexAsks::Rules{.key_prefix = "codex-join", .company = company_}, *this);
    }

    void reply(const codex::Wish& wish, std::string result) override {
        replies_.push_back(wish.id + " " + result);
    }
    void say(const codex::Wish&, std::string words) override { said_.push_back(std::move(words)); }
    void stop_turn(const codex::Wish& wish) override { stopped_.push_back(wish.turn); }
    void asked(const AskRequest&) override {}
    void closed() override {}
    void trouble(std::string text) override { troubles_.push_back(std::move(text)); }

    void take(std::string_view method, std::string_view params, std::string id = "0") {
        asks_->take(
            codex::read_wish({std::move(id), std::string(method), json::parse(params).value()}),
            {.name = "t1", .title = "Codex in shop", .agent = "codex"}, {});
        process_->settle_down();
    }
    void take_question(std::string id = "0") {
        take("item/tool/requestUserInput", kQuestion, std::move(id));
    }
    std::vector<AskPtr> pending() {
        std::vector<AskPtr> all;
        link_.list_asks({.state = AskState::pending},
                        [&](const Result<AskPage>& page) { all = page->asks; });
        process_->settle_down();
        return all;
    }
    AskPtr only() {
        const auto all = pending();
        EXPECT_THAT(all, SizeIs(1));
        return all.at(0);
    }
    std::vector<std::string> notices() {
        std::vector<std::string> all;
        link_.list_log("t1", std::nullopt, [&](const Result<SessionLog>& log) {
            for (const EventPtr& event : log->events)
                if (const auto* notice = std::get_if<NoticeGiven>(&event->body))
                    all.push_back(notice->text);
        });
        process_->settle_down();
        return all;
    }
    void settle_down() { process_->settle_down(); }

    CodexAsks::Company company_ = CodexAsks::Company::its_own_window;
    LocalLink link_;
    std::vector<std::string> replies_;
    std::vector<std::string> said_;
    std::vector<std::string> stopped_;
    std::vector<std::string> troubles_;
    std::unique_ptr<CodexAsks> asks_;
};

constexpr std::string_view kSqlite = R"(0 {"answers":{"db":{"answers":["SQLite"]}}})";

TEST_F(CodexAsksTest, AnsweredHereIsRepliedThere) {
    take_question();
    (void)answer(only()->id, "SQLite", ada_);
    EXPECT_THAT(replies_, ElementsAre(kSqlite));
    asks_->resolved("t1", "0");
    EXPECT_FALSE(asks_->is_waiting());
    EXPECT_THAT(notices(), IsEmpty());
}

TEST_F(CodexAsksTest, AnsweredThereIsTakenBackHereAndSaysSo) {
    take_question();
    const AskId id = only()->id;
    asks_->resolved("t1", "7");  // another one's
    asks_->resolved("t1", "0");
    settle_down();
    EXPECT_EQ(stored(id)->state(), AskState::withdrawn);
    EXPECT_EQ(stored(id)->settlement->note, "answered or closed in Codex itself");
    EXPECT_THAT(replies_, IsEmpty());
}

TEST_F(CodexAsksTest, AnAnswerThatCameTooLateIsTold) {
    take_question();
    const AskId id = only()->id;
    // Both at once: the answer is written before we can take the ask back.
    broker().answer(id, {{.selected = {"SQLite"}}}, {}, ada_, [](const Result<SettleReply>&) {});
    asks_->resolved("t1", "0");
    settle_down();
    EXPECT_EQ(stored(id)->state(), AskState::answered);
    EXPECT_THAT(replies_, IsEmpty());
    EXPECT_THAT(notices(), ElementsAre(HasSubstr("DB: SQLite")));
}

TEST_F(CodexAsksTest, ATurnThatIsStoppedThereTakesItsAsksBack) {
    take_question();
    const AskId id = only()->id;
    asks_->turn_ended("t2", true);
    asks_->turn_ended("t1", true);
    settle_down();
    EXPECT_EQ(stored(id)->settlement->note, "its turn was stopped in Codex");
}

TEST_F(CodexAsksTest, ATurnThatIsStoppedHereIsStoppedThere) {
    take_question();
    link_.abort("t1", [](const Result<SessionPtr>&) {});
    settle_down();
    EXPECT_THAT(stopped_, ElementsAre("u1"));
    EXPECT_FALSE(asks_->is_waiting());
}

TEST_F(CodexAsksTest, ARequestThatComesAgainIsTheSameAskAndGetsWhatWasAnsweredMeanwhile) {
    take_question();
    const AskId id = only()->id;
    asks_->lost();
    (void)answer(id, "SQLite", ada_);
    EXPECT_THAT(replies_, IsEmpty());
    take_question("0");
    EXPECT_THAT(replies_, ElementsAre(kSqlite));
    EXPECT_THAT(pending(), IsEmpty());
}

TEST_F(CodexAsksTest, WhatDoesNotComeAgainIsTakenBackAndAskedAnewIfItDoesLater) {
    take_question();
    const AskId id = only()->id;
    asks_->lost();
    EXPECT_THAT(asks_->unseen_threads(), ElementsAre("t1"));
    asks_->missing("t1", "Codex asks this no longer");
    settle_down();
    EXPECT_EQ(stored(id)->state(), AskState::withdrawn);
    take_question("4");
    EXPECT_NE(only()->id, id);
    (void)answer(only()->id, "SQLite", ada_);
    EXPECT_THAT(replies_, ElementsAre(R"(4 {"answers":{"db":{"answers":["SQLite"]}}})"));
}

TEST_F(CodexAsksTest, AnotherProcessTakesOverWhatWaits) {
    take_question();
    const AskId id = only()->id;
    asks_ = make();
    asks_->adopt([] {});
    settle_down();
    EXPECT_THAT(asks_->unseen_threads(), ElementsAre("t1"));
    take_question();
    EXPECT_EQ(only()->id, id);
    (void)answer(id, "SQLite", ada_);
    EXPECT_THAT(replies_, ElementsAre(R"(0 {"answers":{"db":{"answers":["SQLite"]}}})"));
}

TEST_F(CodexAsksTest, AsksOfOthersAreNotTakenOver) {
    AskRequest other{.spec = spec(), .session = "t1"};
    other.spec.key = "codex-joiner:t1:u1:call_1";
    (void)open(std::move(other));
    asks_->adopt([] {});
    settle_down();
    EXPECT_FALSE(asks_->is_waiting());
}

TEST_F(CodexAsksTest, WordsBesideADecisionAreSaid) {
    take("item/commandExecution/requestApproval", kCommand);
    EXPECT_EQ(only()->spec->permission->summary, "touch f");
    broker().answer(only()->id, {{.selected = {"Deny"}, .note = "not here"}}, {}, ada_,
                    [](const Result<SettleReply>&) {});
    settle_down();
    EXPECT_THAT(replies_, ElementsAre(R"(0 {"decision":"decline"})"));
    EXPECT_THAT(said_, ElementsAre(HasSubstr("not here")));
}

TEST_F(CodexAsksTest, AFormThatIsFilledInWrongIsAskedAgainWithTheFault) {
    take("mcpServer/elicitation/request", kForm);
    broker().answer(only()->id, {{.other = "many"}}, {}, ada_, [](const Result<SettleReply>&) {});
    settle_down();
    EXPECT_THAT(replies_, IsEmpty());
    EXPECT_THAT(*only()->spec->context, HasSubstr("number"));
    broker().answer(only()->id, {{.other = "5432"}}, {}, ada_, [](const Result<SettleReply>&) {});
    settle_down();
    EXPECT_THAT(replies_, ElementsAre(HasSubstr(R"("port":5432)")));
}

TEST_F(CodexAsksTest, WhatCannotBeShownIsLeftToCodexsOwnWindow) {
    take("item/fileChange/requestApproval",
         R"({"threadId":"t1","turnId":"u1","itemId":"call_3","reason":null})");
    EXPECT_THAT(pending(), IsEmpty());
    EXPECT_THAT(troubles_, SizeIs(1));
    EXPECT_THAT(replies_, IsEmpty());
}

TEST_F(CodexAsksTest, WithoutAWindowOfItsOwnItIsToldNo) {
    company_ = CodexAsks::Company::nobody;
    asks_ = make();
    take("item/fileChange/requestApproval",
         R"({"threadId":"t1","turnId":"u1","itemId":"call_3","reason":null})");
    EXPECT_THAT(replies_, ElementsAre(R"(0 {"decision":"decline"})"));
    EXPECT_THAT(said_, SizeIs(1));
}

TEST_F(CodexAsksTest, TooManyAreLeftToCodex) {
    for (std::size_t i = 0; i <= limits::kCodexAsksMax; ++i) {
        std::string params(kQuestion);
        params.replace(params.find("call_1"), 6, "call_" + std::to_string(i));
        take("item/tool/requestUserInput", params, std::to_string(i));
    }
    EXPECT_THAT(troubles_, ElementsAre(HasSubstr("too many")));
}

TEST_F(CodexAsksTest, WhenItStopsAllIsTakenBack) {
    take_question();
    bool is_done = false;
    asks_->withdraw_all("stopped", [&] { is_done = true; });
    settle_down();
    EXPECT_TRUE(is_done);
    EXPECT_THAT(pending(), IsEmpty());
}

}  // namespace
}  // namespace parley
