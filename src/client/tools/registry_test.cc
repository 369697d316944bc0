// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "parley/tools.h"

namespace parley::tools {
namespace {

using testing::HasSubstr;

constexpr std::string_view kDrink =
    R"({"questions":[{"question":"Tea or coffee?","header":"Drink","multiSelect":false,)"
    R"("options":[{"label":"Tea","description":""},{"label":"Coffee","description":""}]}]})";

class RegistryTest : public testing::Test {
protected:
    // Answers every ask with `label`.
    void answer_with(std::string label) {
        broker_.set_handler([label = std::move(label)](
                                const Ask&, const std::stop_token&) -> std::optional<Answers> {
            return Answers{{.selected = {label}}};
        });
    }

    Broker broker_ = *Broker::open();
    Registry registry_{broker_};
};

TEST_F(RegistryTest, ListsTheQuestionToolsAndThoseOfTheSdk) {
    std::vector<std::string> names;
    for (const ToolDefinition& tool : registry_.list()) names.push_back(tool.name);
    EXPECT_THAT(names, testing::UnorderedElementsAre(
                           "Bash", "Read", "Write", "Edit", "MultiEdit", "Glob", "Grep", "Task",
                           "WebFetch", "WebSearch", "NotebookEdit", "TodoRead", "TodoWrite",
                           "AskFollowupQuestion", "AskUserQuestion", "Agent", "TaskOutput",
                           "TaskStop", "Skill", "EnterPlanMode", "ExitPlanMode", "TaskCreate",
                           "TaskGet", "TaskUpdate", "TaskList", "EnterWorktree", "question"));
    ASSERT_NE(registry_.find("AskUserQuestion"), nullptr);
    EXPECT_THAT(registry_.find("AskUserQuestion")->input_schema, HasSubstr("\"maxLength\":12"));
    EXPECT_EQ(registry_.find("Bash")->input_schema,
              R"({"type":"object","additionalProperties":true})");
    EXPECT_EQ(registry_.find("mcp__x__y"), nullptr);
}

TEST_F(RegistryTest, AsksThroughTheBroker) {
    answer_with("Coffee");
    const auto asked = registry_.execute("AskUserQuestion", kDrink, {.call_id = "toolu_1"});
    EXPECT_TRUE(asked.success);
    EXPECT_EQ(asked.output,
              R"({"answers":[{"question":"Tea or coffee?","selectedOptions":["Coffee"]}]})");
    const auto flat = registry_.execute(
        "AskFollowupQuestion", R"({"question":"Tea or coffee?","options":["Tea","Coffee"]})");
    EXPECT_TRUE(flat.success);
    const auto opencode = registry_.execute("question", kDrink);
    EXPECT_EQ(opencode.output,
              "User has answered your questions: \"Tea or coffee?\"=\"Coffee\". You can now "
              "continue with the user's answers in mind.");
}

TEST_F(RegistryTest, LeavesOutWhatItDoesNotKnowAndSaysSo) {
    answer_with("Tea");
    const auto asked = registry_.execute(
        "AskFollowupQuestion",
        R"({"questions":[{"question":"Tea?","options":["Tea","None"],"colour":"red"}]})");
    EXPECT_TRUE(asked.success);
    ASSERT_EQ(asked.warnings.size(), 1U);
    EXPECT_EQ(asked.warnings.front().path, "/questions/0/colour");
}

TEST_F(RegistryTest, NamesEveryFaultAndAsksNothing) {
    const auto refused = registry_.execute("AskUserQuestion", R"({"questions":[{"question":""}]})");
    EXPECT_FALSE(refused.success);
    EXPECT_THAT(refused.output, HasSubstr("/questions/0/question"));
    EXPECT_FALSE(registry_.execute("question", "no JSON").success);
    EXPECT_TRUE(broker_.pending()->empty());
}

TEST_F(RegistryTest, ADismissalIsNoAnswer) {
    auto asked = std::async(std::launch::async,
                            [&] { return registry_.execute("AskUserQuestion", kDrink); });
    std::promise<AskId> opened;
    bool is_told = false;
    const auto watch = broker_.watch({}, [&](const Frame& frame) {
        const auto* event = std::get_if<EventPtr>(&frame);
        const auto* snapshot = std::get_if<SnapshotAsk>(&frame);
        const AskOpened* ask = event ? std::get_if<AskOpened>(&(*event)->body) : nullptr;
        if ((ask == nullptr && snapshot == nullptr) || std::exchange(is_told, true)) return;
        opened.set_value(ask != nullptr ? ask->ask->id : snapshot->ask->id);
    });
    ASSERT_TRUE(broker_.dismiss(opened.get_future().get(), {.reason = "not now"}));
    const ToolResult result = asked.get();
    EXPECT_FALSE(result.success);
    EXPECT_THAT(result.output, HasSubstr("not now"));
}

TEST_F(RegistryTest, AsksInTheProgramsOwnInterface) {
    std::vector<Prompt> prompts;
    ToolContext context;
    context.prompt_user = [&](const Prompt& prompt) -> std::optional<std::vector<std::string>> {
        prompts.push_back(prompt);
        if (prompt.type == Prompt::Type::input) return std::vector<std::string>{"water"};
        return std::vector<std::string>{"Other"};
    };
    const auto asked = registry_.execute("AskUserQuestion", kDrink, context);
    EXPECT_TRUE(asked.success);
    EXPECT_EQ(asked.output, R"({"answers":[{"question":"Tea or coffee?","selectedOptions":[],)"
                            R"("customInput":"water"}]})");
    ASSERT_EQ(prompts.size(), 2u);
    EXPECT_EQ(prompts[0].type, Prompt::Type::select);
    EXPECT_EQ(prompts[0].choices.size(), 3u);
    EXPECT_EQ(prompts[0].choices[2].name, "Other");
    EXPECT_EQ(prompts[1].message, "Please specify:");

    context.prompt_user = [](const Prompt&) { return std::nullopt; };
    EXPECT_FALSE(registry_.execute("AskUserQuestion", kDrink, context).success);
}

TEST_F(RegistryTest, AsksForSeveralChoicesAndForTextAlone) {
    constexpr std::string_view kTwo =
        R"({"questions":[{"question":"Which extras?","header":"Extras","multiple":true,"options":)"
        R"([{"label":"Dark mode","description":"easy on the eyes"},{"label":"Offline"}]},)"
        R"({"question":"Your name?","header":"Name","options":[]}]})";
    std::vector<Prompt> prompts;
    ToolContext context;
    context.prompt_user = [&](const Prompt& prompt) -> std::optional<std::vector<std::string>> {
        prompts.push_back(prompt);
        switch (prompt.type) {
            case Prompt::Type::multiselect:
                return std::vector<std::string>{"Dark mode", "Offline", "Other"};
            case Prompt::Type::input:
                return std::vector<std::string>{prompts.size() == 2 ? "a clock" : "Ada"};
            case Prompt::Type::select: break;
        }
        return std::nullopt;
    };
    const auto asked = registry_.execute("AskFollowupQuestion", kTwo, context);
    EXPECT_TRUE(asked.success) << asked.output;
    EXPECT_EQ(asked.output, R"({"answers":[{"question":"Which extras?","selectedOptions":)"
                            R"(["Dark mode","Offline"],"customInput":"a clock"},)"
                            R"({"question":"Your name?","selectedOptions":[],)"
                            R"("customInput":"Ada"}]})");
    ASSERT_EQ(prompts.size(), 3u);
    EXPECT_EQ(prompts[0].type, Prompt::Type::multiselect);
    EXPECT_EQ(prompts[0].message, "Which extras?");
    EXPECT_EQ(prompts[0].choices[0].hint, "easy on the eyes");
    EXPECT_EQ(prompts[2].message, "Your name?");
    EXPECT_TRUE(prompts[2].choices.empty());
}

TEST_F(RegistryTest, OtherToolsWaitForTheirPublishedResult) {
    auto running = std::async(std::launch::async, [&] {
        return registry_.execute("Bash", "{}", {.call_id = "toolu_1"});
    });
    EXPECT_TRUE(registry_.publish("toolu_1", "Bash", R"({"stdout":"ok"})"));
    EXPECT_FALSE(registry_.publish("toolu_1", "Bash", "{}"));
    const ToolResult result = running.get();
    EXPECT_TRUE(result.success);
    EXPECT_EQ(result.output, R"({"stdout":"ok"})");
    // A name that is not listed passes through as well, and a result may come first.
    registry_.publish("toolu_2", "mcp__x__y", "1");
    EXPECT_EQ(registry_.execute("mcp__x__y", "{}", {.call_id = "toolu_2"}).output, "1");
    EXPECT_FALSE(registry_.execute("Bash", "{}").success);
}

TEST_F(RegistryTest, AWaitCanBeStopped) {
    std::stop_source stop;
    auto running = std::async(std::launch::async, [&] {
        return registry_.execute("Bash", "{}", {.call_id = "toolu_1", .stop = stop.get_token()});
    });
    auto asking = std::async(std::launch::async, [&] {
        return registry_.execute("question", kDrink, {.stop = stop.get_token()});
    });
    stop.request_stop();
    EXPECT_FALSE(running.get().success);
    EXPECT_FALSE(asking.get().success);
}

TEST_F(RegistryTest, QuestionToolsPassThroughToo) {
    Registry passing(broker_, {.asks = false});
    passing.publish("toolu_1", "AskUserQuestion", R"({"answers":[]})");
    EXPECT_EQ(passing.execute("AskUserQuestion", kDrink, {.call_id = "toolu_1"}).output,
              R"({"answers":[]})");
}

TEST_F(RegistryTest, AProgramAddsToolsOfItsOwn) {
    registry_.add({"Deploy", "Deploys", "{}"}, [](std::string_view input, const ToolContext&) {
        return ToolResult{true, std::string(input)};
    });
    EXPECT_EQ(registry_.execute("Deploy", "{}").output, "{}");
    EXPECT_NE(registry_.find("Deploy"), nullptr);
}

}  // namespace
}  // namespace parley::tools
