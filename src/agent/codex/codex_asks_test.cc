// SPDX-License-Identifier: Apache-2.0
#include "agent/codex/codex_asks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/asks_fixture.h"
#include "agent/limits.h"
#include "support/idle_link.h"

namespace parley {
namespace {

using testing::Contains;
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

// A broker that may be away; one that goes in the middle of a call has done it and cannot say so.
class AwayCodexLink final : public IdleLink {
public:
    explicit AwayCodexLink(Link& link) : link_(link) {}

    enum class Broker : std::uint8_t { there, away, goes };
    Broker broker = Broker::there;

    void ask(AskRequest request, Done<OpenedAsk> done) override {
        if (broker == Broker::goes) {
            link_.ask(std::move(request), [](const Result<OpenedAsk>&) {});
            (void)lost(done);
        } else if (!lost(done)) {
            link_.ask(std::move(request), std::move(done));
        }
    }
    void list_asks(AskListing listing, Done<AskPage> done) override {
        if (!lost(done)) link_.list_asks(listing, std::move(done));
    }
    LinkWait wait(AskId id, Done<AskPtr> settled) override {
        return link_.wait(id, std::move(settled));
    }
    void withdraw(AskId id, std::optional<std::string> reason, Done<SettleReply> done) override {
        if (!lost(done)) link_.withdraw(id, std::move(reason), std::move(done));
    }
    void open_session(SessionRequest request, Done<SessionPtr> done) override {
        link_.open_session(std::move(request), std::move(done));
    }
    void give_notice(std::string_view ref, NoticeGiven notice, Done<void> done) override {
        link_.give_notice(ref, std::move(notice), std::move(done));
    }

private:
    template <class Value>
    bool lost(Done<Value>& done) {
        if (broker == Broker::there) return false;
        broker = Broker::away;
        done(reject(ErrorCode::unavailable, "the broker is away"));
        return true;
    }

    Link& link_;
};

// One link to Codex, with what was said to it.
class CodexAsksTest : public AsksTest, public CodexAsks::Listener {
protected:
    CodexAsksTest() : away_(link_), asks_(make()) {}

    std::unique_ptr<CodexAsks> make() {
        return std::make_unique<CodexAsks>(
            CodexAsks::Wiring{process_->home, clock_, away_},
            CodexAsks::Rules{.key_prefix = "codex-join", .company = company_}, *this);
    }

    void reply(const codex::Wish& wish, std::string result) override {
        replies_.push_back(wish.id + " " + result);
    }
    void add_words(const codex::Wish&, std::string words) override {
        said_.push_back(std::move(words));
    }
    void stop_turn(const codex::Wish& wish) override { stopped_.push_back(wish.turn); }
    void asked(const AskRequest&) override {}
    void late(const AskPtr& ask) override { late_.push_back(ask->id); }
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
    std::vector<std::string> notices() { return AsksTest::notices("t1"); }
    // As who stops now learns it.
    bool is_waiting() {
        bool is_done = false;
        asks_->withdraw_all("stopped", [&] { is_done = true; });
        return !is_done;
    }

    CodexAsks::Company company_ = CodexAsks::Company::its_own_window;
    AwayCodexLink away_;
    std::vector<std::string> replies_;
    std::vector<std::string> said_;
    std::vector<std::string> stopped_;
    std::vector<std::string> troubles_;
    std::vector<AskId> late_;
    std::unique_ptr<CodexAsks> asks_;
};

constexpr std::string_view kSqlite = R"(0 {"answers":{"db":{"answers":["SQLite"]}}})";

TEST_F(CodexAsksTest, AnsweredHereIsRepliedThere) {
    take_question();
    (void)answer(only()->id, "SQLite", ada_);
    EXPECT_THAT(replies_, ElementsAre(kSqlite));
    asks_->resolved("t1", "0");
    EXPECT_FALSE(is_waiting());
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

// Codex takes the first reply and passes over the second in silence: what became of the command
// tells which it was.
TEST_F(CodexAsksTest, ADecisionThatItsWindowMadeInTheSameMomentIsTold) {
    const auto item = [](std::string_view status) {
        return json::parse(fmt::format(R"({{"id":"call_2","status":"{}"}})", status)).value();
    };
    const auto decide = [&](const std::string& label, std::string id) {
        take("item/commandExecution/requestApproval", kCommand, std::move(id));
        (void)answer(only()->id, label, ada_);
        asks_->resolved("t1", replies_.back().substr(0, 1));
    };
    decide("Allow once", "1");
    asks_->item_ended("t1", item("declined"));
    settle_down();
    EXPECT_THAT(notices(), ElementsAre(HasSubstr("it was denied there")));
    decide("Deny", "2");
    asks_->item_ended("t1", item("failed"));
    settle_down();
    EXPECT_THAT(notices(), SizeIs(2));
    EXPECT_THAT(notices(), Contains(HasSubstr("it was permitted there")));
    // Ours counted; and one about which was asked again afterwards tells nothing.
    decide("Deny", "3");
    asks_->item_ended("t1", item("declined"));
    decide("Allow once", "4");
    take("item/commandExecution/requestApproval", kCommand, "5");
    asks_->item_ended("t1", item("declined"));
    settle_down();
    EXPECT_THAT(notices(), SizeIs(2));
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
    EXPECT_FALSE(is_waiting());
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
    EXPECT_FALSE(is_waiting());
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

TEST_F(CodexAsksTest, WhatIsTakenBackWhileTheBrokerIsAwayIsTakenBackOnceItIsThere) {
    take_question();
    const AskId id = only()->id;
    away_.broker = AwayCodexLink::Broker::away;
    asks_->resolved("t1", "0");
    pass(Millis(3000));
    EXPECT_EQ(stored(id)->state(), AskState::pending);
    away_.broker = AwayCodexLink::Broker::there;
    pass(Millis(3000));
    EXPECT_EQ(stored(id)->settlement->note, "answered or closed in Codex itself");
    EXPECT_FALSE(is_waiting());
}

TEST_F(CodexAsksTest, WhatIsAskedWhileTheBrokerIsAwayIsAskedOnceItIsThere) {
    away_.broker = AwayCodexLink::Broker::away;
    take_question();
    pass(Millis(30'000));
    EXPECT_THAT(pending(), IsEmpty());
    away_.broker = AwayCodexLink::Broker::there;
    pass(Millis(2000));
    (void)answer(only()->id, "SQLite", ada_);
    EXPECT_THAT(replies_, ElementsAre(kSqlite));
}

TEST_F(CodexAsksTest, AnAskThatABrokerTookBeforeItWentIsFoundAgainAndTakenBack) {
    away_.broker = AwayCodexLink::Broker::goes;
    take_question();
    const AskId id = only()->id;
    asks_->resolved("t1", "0");
    away_.broker = AwayCodexLink::Broker::there;
    pass(Millis(2000));
    EXPECT_EQ(stored(id)->state(), AskState::withdrawn);
    EXPECT_FALSE(is_waiting());
}

TEST_F(CodexAsksTest, ABrokerThatIsAwayAtTheEndIsNotWaitedForLongAndThatIsSaid) {
    take_question();
    away_.broker = AwayCodexLink::Broker::away;
    bool is_done = false;
    asks_->withdraw_all("stopped", [&] { is_done = true; });
    pass(limits::kSharedStopPatience / 2);
    EXPECT_FALSE(is_done);
    pass(limits::kSharedStopPatience);
    EXPECT_TRUE(is_done);
    EXPECT_THAT(troubles_.back(), HasSubstr("may stay open"));
}

TEST_F(CodexAsksTest, WhatWaitsIsTakenOverOnceTheBrokerIsThere) {
    take_question();
    asks_ = make();
    away_.broker = AwayCodexLink::Broker::away;
    bool is_done = false;
    asks_->adopt([&] { is_done = true; });
    pass(Millis(3000));
    EXPECT_FALSE(is_done);
    away_.broker = AwayCodexLink::Broker::there;
    pass(Millis(2000));
    EXPECT_TRUE(is_done);
    EXPECT_THAT(asks_->unseen_threads(), ElementsAre("t1"));
}

TEST_F(CodexAsksTest, WithoutAWindowALateAnswerIsForTheNextMessage) {
    company_ = CodexAsks::Company::nobody;
    asks_ = make();
    take_question();
    const AskId id = only()->id;
    broker().answer(id, {{.selected = {"SQLite"}}}, {}, ada_, [](const Result<SettleReply>&) {});
    asks_->turn_ended("t1", true);
    settle_down();
    EXPECT_THAT(replies_, IsEmpty());
    EXPECT_THAT(late_, ElementsAre(id));
    EXPECT_THAT(notices(), IsEmpty());
}

}  // namespace
}  // namespace parley
