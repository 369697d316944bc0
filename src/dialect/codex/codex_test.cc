// SPDX-License-Identifier: Apache-2.0
// The frames below are Codex 0.166's own, with their long ids cut short.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json_fields.h"
#include "core/printers_test.h"
#include "core/questions.h"
#include "dialect/codex/messages.h"
#include "dialect/codex/shell_words.h"
#include "dialect/codex/wishes.h"

namespace parley::codex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

constexpr std::string_view kAskFrame =
    R"({"method":"item/tool/requestUserInput","id":0,"params":{"threadId":"t1","turnId":"u1",)"
    R"("itemId":"call_1","questions":[{"id":"db","header":"Database","question":"Which database?",)"
    R"j("isOther":true,"isSecret":false,"options":[{"label":"PostgreSQL (Recommended)",)j"
    R"("description":"yours"},{"label":"SQLite","description":"a file"}]}],"isBlocking":true,)"
    R"("autoResolutionMs":null}})";
constexpr std::string_view kCommandFrame =
    R"({"method":"item/commandExecution/requestApproval","id":3,"params":{"kind":"command",)"
    R"("threadId":"t1","turnId":"u1","itemId":"call_2","startedAtMs":1,"environmentId":"local",)"
    R"("reason":"May I create a file?","command":"/bin/bash -lc 'touch f'","cwd":"/srv/ada/shop",)"
    R"("commandActions":[{"type":"unknown","command":"touch f"}],)"
    R"("proposedExecpolicyAmendment":["touch"],"availableDecisions":["accept",)"
    R"({"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch"]}},"cancel"]}})";
constexpr std::string_view kEditFrame =
    R"({"method":"item/fileChange/requestApproval","id":0,"params":{"threadId":"t1",)"
    R"("turnId":"u1","itemId":"call_3","startedAtMs":1,"reason":null,"grantRoot":null}})";
constexpr std::string_view kEditItem =
    R"({"type":"fileChange","id":"call_3","changes":[{"path":"a.txt","kind":{"type":"add"},)"
    R"("diff":"hi\nthere\n"},{"path":"b.txt","kind":{"type":"update","move_path":null},)"
    R"("diff":"@@ -1 +1 @@\n-old\n+new\n"}],"status":"inProgress"})";
constexpr std::string_view kPermissionsFrame =
    R"({"method":"item/permissions/requestApproval","id":0,"params":{"threadId":"t1",)"
    R"("turnId":"u1","itemId":"call_4","environmentId":"local","startedAtMs":1,"cwd":"/srv/ada",)"
    R"("reason":"need net","permissions":{"network":{"enabled":true},"fileSystem":null}}})";
constexpr std::string_view kToolFrame =
    R"({"method":"mcpServer/elicitation/request","id":0,"params":{"threadId":"t1","turnId":"u1",)"
    R"("serverName":"asker","mode":"form","_meta":{"codex_approval_kind":"mcp_tool_call",)"
    R"("persist":["session","always"],"tool_description":"Asks.","tool_params":{"variant":"text"},)"
    R"("tool_params_display":[]},"message":"Allow the asker MCP server to run tool \"elicit\"?",)"
    R"("requestedSchema":{"type":"object","properties":{}}}})";
constexpr std::string_view kFormFrame =
    R"({"method":"mcpServer/elicitation/request","id":1,"params":{"threadId":"t1","turnId":"u1",)"
    R"("serverName":"asker","mode":"form","_meta":null,"message":"Which database?",)"
    R"("requestedSchema":{"type":"object","properties":{"port":{"type":"integer","title":"Port"}},)"
    R"("required":["port"]}}})";

Wish wish_of(std::string_view frame) {
    auto message = read_message(frame);
    EXPECT_TRUE(message.has_value());
    return read_wish(std::get<ServerRequest>(std::move(*message)));
}

AskSpec spec_of(const Wish& wish, std::string_view item = "null") {
    auto spec = make_spec(wish, {.edit = json::parse(item).value()});
    EXPECT_TRUE(spec.has_value());
    auto checked = check_spec(std::move(*spec), kOpenProfile);
    EXPECT_TRUE(checked.has_value()) << checked.error().message;
    return checked.value_or(AskSpec{});
}

Ask settled(AskSpec spec, Settlement settlement) {
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    ask.settlement = std::make_shared<const Settlement>(std::move(settlement));
    return ask;
}

Ruling answered(const Wish& wish, Answer answer, std::string_view item = "null") {
    return read_ruling(wish, settled(spec_of(wish, item), {.answers = {std::move(answer)}}))
        .value();
}

std::vector<std::string> labels(const AskSpec& spec) {
    std::vector<std::string> all;
    for (const Option& option : spec.questions.front().options) all.push_back(option.label);
    return all;
}

TEST(CodexMessages, TellsRequestsRepliesAndNewsApart) {
    const auto news = read_message(R"({"method":"serverRequest/resolved","params":{"a":1}})");
    EXPECT_EQ(std::get<Notification>(*news).method, "serverRequest/resolved");
    EXPECT_EQ(std::get<ServerRequest>(*read_message(R"({"id":"x","method":"m"})")).id, R"("x")");
    const auto failed =
        read_message(R"({"error":{"code":-32600,"message":"no rollout found"},"id":4})");
    EXPECT_EQ(std::get<Reply>(*failed).id, 4u);
    EXPECT_EQ(std::get<Reply>(*failed).error, "no rollout found");
    EXPECT_FALSE(read_message("[]").has_value());
    EXPECT_FALSE(read_message(R"({"id":null})").has_value());
    EXPECT_FALSE(read_message(R"({"id":-1,"result":{}})").has_value());
}

TEST(CodexMessages, AThreadIsCalledByItsNameOrItsBeginningAndItsFolder) {
    Thread thread{.id = "t1", .folder = "/srv/ada/shop/"};
    EXPECT_EQ(thread_title(thread), "Codex in shop");
    thread.preview = "Add\nsign-in";
    EXPECT_EQ(thread_title(thread), "Codex in shop: Add sign-in");
    thread.name = "Sign-in";
    EXPECT_EQ(thread_title(thread), "Codex in shop: Sign-in");
    EXPECT_EQ(thread_title({}), "Codex");
}

TEST(CodexMessages, ReadsWhetherAThreadWaitsAndWhetherItIsCodexsOwn) {
    const auto read = [](std::string_view text) { return read_thread(json::parse(text).value()); };
    const Thread waiting =
        read(R"({"id":"t","status":{"type":"active","activeFlags":["waitingOnApproval"]},)"
             R"("ephemeral":false,"environments":[{}]})");
    EXPECT_TRUE(waiting.is_active && waiting.is_waiting && !waiting.is_side);
    const Thread side =
        read(R"({"id":"t","status":{"type":"idle"},"ephemeral":true,"environments":[]})");
    EXPECT_TRUE(!side.is_active && !side.is_waiting && side.is_side);
}

TEST(CodexWishes, TheSameRequestHasOneKeyWhicheverConnectionBringsIt) {
    EXPECT_EQ(wish_key(wish_of(kAskFrame)), "t1:u1:0:call_1");
    EXPECT_EQ(wish_key(wish_of(kFormFrame)), "t1:u1:1:");
}

TEST(CodexWishes, AnotherRequestAboutTheSameItemIsAnotherQuestion) {
    Wish again = wish_of(kAskFrame);
    again.id = "7";
    EXPECT_NE(wish_key(again), wish_key(wish_of(kAskFrame)));
}

TEST(CodexWishes, WhatBelongsToNoTurnIsToldApartByItsServerWhichCountsAnew) {
    Wish form = wish_of(kFormFrame);
    form.turn.clear();
    form.server = "s1";
    Wish after_a_restart = form;
    after_a_restart.server = "s2";
    EXPECT_NE(wish_key(after_a_restart), wish_key(form));
    // A turn ends with its server, and the next has another name.
    after_a_restart.turn = form.turn = "u1";
    EXPECT_EQ(wish_key(after_a_restart), wish_key(form));
}

TEST(CodexWishes, QuestionsAreAskedAsTheyAreAndAnsweredAsItsOwnDialogDoes) {
    const Wish wish = wish_of(kAskFrame);
    const AskSpec spec = spec_of(wish);
    EXPECT_EQ(spec.questions.front().text, "Which database?");
    EXPECT_THAT(labels(spec), ElementsAre("PostgreSQL (Recommended)", "SQLite"));
    EXPECT_FALSE(spec.context.has_value());
    EXPECT_EQ(answered(wish, {.selected = {"SQLite"}}).result,
              R"({"answers":{"db":{"answers":["SQLite"]}}})");
    EXPECT_EQ(answered(wish, {.selected = {"SQLite"}, .note = "for now"}).result,
              R"({"answers":{"db":{"answers":["SQLite","user_note: for now"]}}})");
    EXPECT_EQ(answered(wish, {.other = "use DuckDB"}).result,
              R"({"answers":{"db":{"answers":["None of the above","user_note: use DuckDB"]}}})");
}

TEST(CodexWishes, ADismissalIsToldInWordsWhereAnAnswerWouldStand) {
    const Wish wish = wish_of(kAskFrame);
    const auto ruling = read_ruling(
        wish, settled(spec_of(wish), {.outcome = Outcome::dismissed, .note = "tomorrow"}));
    EXPECT_THAT(ruling->result, HasSubstr("dismissed"));
    EXPECT_THAT(ruling->result, HasSubstr("tomorrow"));
    EXPECT_EQ(ruling->words, "");
}

TEST(CodexWishes, SaysThatASecretIsKeptAndThatAQuestionIsHurried) {
    std::string frame(kAskFrame);
    frame.replace(frame.find(R"("isSecret":false)"), 16, R"("isSecret":true)");
    frame.replace(frame.find(R"("isBlocking":true)"), 17, R"("isBlocking":false)");
    const AskSpec spec = spec_of(wish_of(frame));
    EXPECT_THAT(spec.context, Optional(HasSubstr("secret")));
    EXPECT_THAT(spec.context, Optional(HasSubstr("two minutes")));
}

TEST(CodexWishes, ACommandIsShownWholeWithCodexsOwnDecisions) {
    const Wish wish = wish_of(kCommandFrame);
    const AskSpec spec = spec_of(wish);
    EXPECT_EQ(spec.permission->summary, "touch f");
    EXPECT_EQ(spec.permission->input,
              R"({"command":"touch f","shell":"/bin/bash -lc","cwd":"/srv/ada/shop"})");
    EXPECT_EQ(spec.context, "May I create a file?");
    EXPECT_THAT(labels(spec),
                ElementsAre("Allow once", "Always allow touch", "Deny", "Deny and stop the turn"));
    EXPECT_EQ(answered(wish, {.selected = {"Allow once"}}).result, R"({"decision":"accept"})");
    EXPECT_EQ(
        answered(wish, {.selected = {"Always allow touch"}}).result,
        R"({"decision":{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch"]}}})");
    EXPECT_EQ(answered(wish, {.selected = {"Deny and stop the turn"}}).result,
              R"({"decision":"cancel"})");
}

TEST(CodexWishes, ARuleForAHostNamesItWhole) {
    const std::string host = "github.com." + std::string(80, 'a') + ".evil.example";
    std::string frame(kCommandFrame);
    const std::string_view before =
        R"({"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch"]}})";
    frame.replace(
        frame.find(before), before.size(),
        R"({"applyNetworkPolicyAmendment":{"network_policy_amendment":{"action":"allow","host":")" +
            host + R"("}}})");
    const AskSpec spec = spec_of(wish_of(frame));
    EXPECT_THAT(spec.questions.at(0).options.at(1).description, HasSubstr(host));
}

TEST(CodexWishes, ARuleThatCannotBeSeenWholeIsNotOffered) {
    for (const std::string_view words : {R"(["a\nb"])", R"([""])"}) {
        std::string frame(kCommandFrame);
        frame.replace(frame.rfind(R"(["touch"])"), 9, words);
        EXPECT_THAT(labels(spec_of(wish_of(frame))),
                    ElementsAre("Allow once", "Deny", "Deny and stop the turn"));
    }
}

TEST(CodexWishes, WordsBesideADecisionFollowAsAMessage) {
    const Wish wish = wish_of(kCommandFrame);
    const Ruling denied = answered(wish, {.selected = {"Deny"}, .note = "not here"});
    EXPECT_EQ(denied.result, R"({"decision":"decline"})");
    EXPECT_EQ(denied.words, "The user did not allow what you asked for. They say: not here");
    EXPECT_EQ(answered(wish, {.selected = {"Deny"}}).words, "");
    // Words in place of a choice permit nothing.
    const Ruling said = answered(wish, {.other = "use git"});
    EXPECT_EQ(said.result, R"({"decision":"decline"})");
    EXPECT_THAT(said.words, HasSubstr("use git"));
    const auto dismissed =
        read_ruling(wish, settled(spec_of(wish), {.outcome = Outcome::dismissed}));
    EXPECT_EQ(dismissed->result, R"({"decision":"decline"})");
    EXPECT_THAT(dismissed->words, HasSubstr("dismissed"));
}

TEST(CodexWishes, ACommandThatIsNoShellsIsShownAsItIs) {
    std::string frame(kCommandFrame);
    frame.replace(frame.find("/bin/bash -lc 'touch f'"), 23, "rm -rf 'a b'");
    EXPECT_THAT(spec_of(wish_of(frame)).permission->input,
                HasSubstr(R"("command":"rm -rf 'a b'")"));
}

TEST(CodexWishes, AnEditIsShownAsADiffAndNeverAskedWithoutOne) {
    const Wish wish = wish_of(kEditFrame);
    const AskSpec spec = spec_of(wish, kEditItem);
    EXPECT_EQ(spec.permission->summary, "a.txt, b.txt");
    EXPECT_EQ(spec.permission->diff,
              "--- /dev/null\n+++ a.txt\n+hi\n+there\n--- b.txt\n+++ b.txt\n"
              "@@ -1 +1 @@\n-old\n+new\n");
    EXPECT_THAT(labels(spec), ElementsAre("Allow once", "Allow for this session", "Deny"));
    EXPECT_EQ(answered(wish, {.selected = {"Allow for this session"}}, kEditItem).result,
              R"({"decision":"acceptForSession"})");
    EXPECT_FALSE(make_spec(wish, {}).has_value());
}

TEST(CodexWishes, APathCannotPretendToBeAnotherFile) {
    const AskSpec spec = spec_of(
        wish_of(kEditFrame),
        R"({"changes":[{"path":"a\n*** Delete File: b","kind":{"type":"add"},"diff":"x"}]})");
    EXPECT_THAT(*spec.permission->diff, HasSubstr("+++ a *** Delete File: b\n+x\n"));
}

TEST(CodexWishes, PermissionsAreGrantedAsAskedOrNotAtAll) {
    const Wish wish = wish_of(kPermissionsFrame);
    EXPECT_EQ(spec_of(wish).context, "need net");
    EXPECT_EQ(answered(wish, {.selected = {"Allow for this session"}}).result,
              R"({"permissions":{"network":{"enabled":true}},"scope":"session"})");
    EXPECT_EQ(answered(wish, {.selected = {"Deny"}}).result,
              R"({"permissions":{},"scope":"turn"})");
}

TEST(CodexWishes, AToolOfAnMcpServerIsPermittedForAsLongAsCodexOffers) {
    const Wish wish = wish_of(kToolFrame);
    const AskSpec spec = spec_of(wish);
    EXPECT_EQ(spec.permission->tool, "mcp__asker__elicit");
    EXPECT_EQ(spec.permission->input, R"({"variant":"text"})");
    EXPECT_THAT(labels(spec),
                ElementsAre("Allow once", "Allow for this session", "Always allow", "Deny"));
    EXPECT_EQ(answered(wish, {.selected = {"Always allow"}}).result,
              R"({"action":"accept","content":{},"_meta":{"persist":"always"}})");
    EXPECT_EQ(answered(wish, {.selected = {"Deny"}}).result,
              R"({"action":"decline","content":null,"_meta":null})");
}

TEST(CodexWishes, AFormIsFilledInOrSaysWhatDoesNotFit) {
    const Wish wish = wish_of(kFormFrame);
    EXPECT_THAT(spec_of(wish).context, Optional(HasSubstr("asker")));
    EXPECT_EQ(answered(wish, {.other = "5432"}).result,
              R"({"action":"accept","content":{"port":5432},"_meta":null})");
    EXPECT_FALSE(
        read_ruling(wish, settled(spec_of(wish), {.answers = {{.other = "many"}}})).has_value());
    EXPECT_EQ(read_ruling(wish, settled(spec_of(wish), {.outcome = Outcome::dismissed}))->result,
              R"({"action":"decline","content":null,"_meta":null})");
    EXPECT_EQ(read_ruling(wish, settled(spec_of(wish), {.outcome = Outcome::withdrawn}))->result,
              R"({"action":"cancel","content":null,"_meta":null})");
}

TEST(CodexWishes, ParleysOwnToolsAndFormsAskByThemselves) {
    std::string own(kToolFrame);
    own.replace(own.find("elicit\\\""), 8, "ask_user\\\"");
    EXPECT_TRUE(is_own(wish_of(own)));
    EXPECT_FALSE(is_own(wish_of(kToolFrame)));
    EXPECT_FALSE(is_own(wish_of(kFormFrame)));
    std::string form(kFormFrame);
    form.replace(form.find(R"("port":)"), 7, R"("q0":)");
    EXPECT_TRUE(is_own(wish_of(form)));
}

TEST(CodexWishes, WhereNobodyCanBeAskedNothingIsPermittedAndTheModelIsTold) {
    EXPECT_THAT(refusal(wish_of(kAskFrame), "no room").result, HasSubstr("no room"));
    EXPECT_EQ(refusal(wish_of(kCommandFrame), "no room").result, R"({"decision":"decline"})");
    EXPECT_THAT(refusal(wish_of(kCommandFrame), "no room").words, HasSubstr("no room"));
    EXPECT_EQ(refusal(wish_of(kFormFrame), "no room").result,
              R"({"action":"cancel","content":null,"_meta":null})");
}

TEST(CodexWishes, WhatNobodyDecidesIsNotAsked) {
    const Wish wish = wish_of(R"({"method":"currentTime/read","id":5,"params":{}})");
    EXPECT_EQ(wish.kind, Wish::Kind::other);
    EXPECT_FALSE(make_spec(wish, {}).has_value());
}

TEST(CodexShellWords, SplitsAsAShellDoesAndGivesUpOnAnythingMore) {
    EXPECT_THAT(split_shell_words(R"(bash -lc 'echo "a b"')"),
                Optional(ElementsAre("bash", "-lc", R"(echo "a b")")));
    EXPECT_THAT(split_shell_words(R"(a\ b "c \"d\"" '')"),
                Optional(ElementsAre("a b", R"(c "d")", "")));
    EXPECT_EQ(split_shell_words("bash -lc 'open"), std::nullopt);
    EXPECT_EQ(split_shell_words("bash -lc x; rm y"), std::nullopt);
    EXPECT_EQ(split_shell_words(R"(bash -lc "$HOME")"), std::nullopt);
    EXPECT_EQ(quoted_name(R"(run tool "elicit"?)"), "elicit");
    EXPECT_EQ(quoted_name("no tool"), "");
}

}  // namespace
}  // namespace parley::codex
