// SPDX-License-Identifier: Apache-2.0
// The question as a form in the client, or as a page that it opens.
#include "bridge/mcp/conversation_fixture.h"

namespace parley::mcp {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST_F(ConversationTest, AnAcceptedFormAnswers) {
    initialize("2025-11-25", kForms);
    const auto sent = ask(1);
    const auto forms = sent->of_method("elicitation/create");
    ASSERT_THAT(forms, SizeIs(1));
    EXPECT_EQ(at(forms[0], "/params/requestedSchema/properties/q0/oneOf/0/title"), "Tea: hot");
    send(fmt::format(R"({{"jsonrpc":"2.0","id":"{}","result":{{"action":"accept","content":)"
                     R"({{"q0":"Coffee"}}}}}})",
                     at(forms[0], "/id")));
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/answers/0/selectedOptions/0"),
              "Coffee");
}

TEST_F(ConversationTest, AFormThatAPersonDeclinesDismissesAndACancelledOneOnlyCloses) {
    initialize("2025-11-25", kForms);
    const auto declined = ask(1);
    broker_.pass(std::chrono::seconds(1));
    reply_to_form(*declined, R"({"action":"decline"})");
    EXPECT_EQ(at(declined->answer(), "/result/structuredContent/status"), "dismissed");

    const auto cancelled = ask(2);
    reply_to_form(*cancelled, R"({"action":"cancel"})");
    EXPECT_TRUE(cancelled->answer().is_null());
    answer("Tea");
    EXPECT_EQ(at(cancelled->answer(), "/result/structuredContent/status"), "answered");
}

// A program declined it: nobody has seen it, so nobody has dismissed the question.

TEST_F(ConversationTest, AFormThatIsDeclinedSoonerThanAPersonReadsIsOnlyClosed) {
    initialize("2025-11-25", kForms);
    const auto sent = ask(1);
    broker_.pass(std::chrono::milliseconds(999));
    reply_to_form(*sent, R"({"action":"decline"})");
    EXPECT_TRUE(sent->answer().is_null());
    ASSERT_NE(pending(), nullptr);
    answer("Tea");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/answers/0/selectedOptions/0"), "Tea");
}

TEST_F(ConversationTest, AClientWithoutAWayToDeclineByHandNeverDismisses) {
    initialize("2025-06-18", kForms, "codex-mcp-client");
    const auto sent = ask(1);
    broker_.pass(std::chrono::seconds(30));
    reply_to_form(*sent, R"({"action":"decline"})");
    ASSERT_NE(pending(), nullptr);
    answer("Coffee");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
}

TEST_F(ConversationTest, NoFormWhereTheCallSaysThatNobodySitsThere) {
    initialize("2025-06-18", kForms, "codex-mcp-client");
    const auto sent = ask(1, R"(,"_meta":{"x-codex-turn-metadata":{"turn_trigger":"exec"}})");
    EXPECT_THAT(sent->of_method("elicitation/create"), SizeIs(0));
    answer("Tea");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
    EXPECT_THAT(ask(2, R"(,"_meta":{"x-codex-turn-metadata":{"turn_trigger":"user"}})")
                    ->of_method("elicitation/create"),
                SizeIs(1));
}

TEST_F(ConversationTest, AFormIsTakenBackWhenTheAnswerComesFromElsewhere) {
    initialize("2025-11-25", kForms);
    const auto sent = ask(1);
    const std::string id = at(sent->of_method("elicitation/create").at(0), "/id");
    answer("Tea");
    ASSERT_THAT(aside_, SizeIs(testing::Le(1u)));
    const auto cancelled = sent->of_method("notifications/cancelled");
    const std::string named =
        aside_.empty() ? at(cancelled.at(0), "/params/requestId") : aside_.front();
    EXPECT_THAT(named, HasSubstr(id));
    // Too late: the answer that stands stays, and whoever filled it in is told.
    EXPECT_THAT(told_.texts, SizeIs(0));
    reply_to_form(*sent, R"({"action":"accept","content":{"q0":"Coffee"}})");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/answers/0/selectedOptions/0"), "Tea");
    ASSERT_THAT(told_.texts, SizeIs(1));
    EXPECT_THAT(told_.texts.front(), HasSubstr("does not count"));
    EXPECT_THAT(told_.texts.front(), HasSubstr("Tea or coffee?"));
}

TEST_F(ConversationTest, AFormThatDoesNotFitIsShownAgain) {
    initialize("2025-11-25", kForms);
    const auto sent = ask(1);
    send(fmt::format(
        R"({{"jsonrpc":"2.0","id":"{}","result":{{"action":"accept","content":{{}}}}}})",
        at(sent->of_method("elicitation/create").at(0), "/id")));
    EXPECT_NE(pending(), nullptr);
    const auto forms = sent->of_method("elicitation/create");
    ASSERT_THAT(forms, SizeIs(2));
    EXPECT_THAT(at(forms[1], "/params/message"), HasSubstr("try again"));
}

TEST_F(ConversationTest, NoFormWhereNobodyMayAnswer) {
    open({.may_show_forms = false});
    initialize("2025-11-25", kForms);
    EXPECT_THAT(ask(1)->of_method("elicitation/create"), SizeIs(0));
}

// It could not be taken back, and its client would wait for whoever closes it.
TEST_F(ConversationTest, AModernClientIsShownNoFormAndGetsTheAnswerFromElsewhereAtOnce) {
    for (const std::string_view capabilities : {kForms, kUrls}) {
        const auto sent = ask_modern(1, "", capabilities);
        EXPECT_THAT(sent->messages, SizeIs(0));
        answer("Tea");
        EXPECT_EQ(at(sent->answer(), "/result/resultType"), "complete");
        EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
    }
}

// A client that only opens addresses.

TEST_F(ConversationTest, APageIsOpenedAndTheAnswerComesFromThere) {
    initialize("2025-11-25", kUrls);
    const auto sent = ask(1);
    const auto shown = sent->of_method("elicitation/create");
    ASSERT_THAT(shown, SizeIs(1));
    const std::string id = pending()->id.str();
    EXPECT_EQ(at(shown[0], "/params/mode"), "url");
    EXPECT_EQ(at(shown[0], "/params/url"), "http://page/#/ask/" + id);
    EXPECT_EQ(at(shown[0], "/params/elicitationId"), id);
    EXPECT_EQ(at(shown[0], "/params/requestedSchema"), "(missing)");
    send(fmt::format(R"({{"jsonrpc":"2.0","id":"{}","result":{{"action":"accept"}}}})",
                     at(shown[0], "/id")));
    // Opened is not answered.
    ASSERT_NE(pending(), nullptr);
    EXPECT_TRUE(sent->answer().is_null());
    answer("Tea");
    EXPECT_EQ(at(sent->answer(), "/result/structuredContent/status"), "answered");
    auto told = sent->of_method("notifications/elicitation/complete");
    if (told.empty()) told.push_back(json::parse(aside_.at(0)).value_or(json::Value()));
    EXPECT_EQ(at(told.at(0), "/method"), "notifications/elicitation/complete");
    EXPECT_EQ(at(told.at(0), "/params/elicitationId"), id);
}

TEST_F(ConversationTest, APageThatAPersonDeclinesDismissesAndOneThatIsCancelledCloses) {
    initialize("2025-11-25", kUrls);
    const auto declined = ask(1);
    broker_.pass(std::chrono::seconds(1));
    reply_to_form(*declined, R"({"action":"decline"})");
    EXPECT_EQ(at(declined->answer(), "/result/structuredContent/status"), "dismissed");

    const auto cancelled = ask(2);
    reply_to_form(*cancelled, R"({"action":"cancel"})");
    EXPECT_TRUE(cancelled->answer().is_null());
    answer("Tea");
    EXPECT_EQ(at(cancelled->answer(), "/result/structuredContent/status"), "answered");
    EXPECT_THAT(aside_, SizeIs(0));
}

TEST_F(ConversationTest, AClientThatShowsFormsIsGivenFormsAndAnOldOneNoAddress) {
    initialize("2025-11-25", R"({"elicitation":{"form":{},"url":{}}})");
    EXPECT_EQ(at(ask(1)->of_method("elicitation/create").at(0), "/params/mode"), "form");
    initialize("2025-06-18", kUrls);
    EXPECT_THAT(ask(2)->of_method("elicitation/create"), SizeIs(0));
}

}  // namespace
}  // namespace parley::mcp
