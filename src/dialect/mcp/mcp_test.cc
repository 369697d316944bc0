// SPDX-License-Identifier: Apache-2.0
// The tool as models are given it, and asks as forms.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/printers_test.h"
#include "core/profile.h"
#include "dialect/ask_tool.h"
#include "dialect/mcp/client.h"
#include "dialect/mcp/elicitation.h"
#include "dialect/mcp/tools.h"

namespace parley::mcp {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

json::Value document(std::string_view text) {
    auto value = json::parse(text);
    EXPECT_TRUE(value.has_value()) << text;
    return value.value_or(json::Value());
}

std::string at(const json::Value& value, std::string_view pointer) {
    boost::system::error_code missing;
    const json::Value* found = value.find_pointer({pointer.data(), pointer.size()}, missing);
    if (found == nullptr) return "(missing)";
    return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

Ask drinks() {
    AskSpec spec;
    spec.questions = {
        {.text = "Tea or coffee?", .header = "Drink", .options = {{"Tea", "hot"}, {"Coffee", ""}}},
        {.text = "With what?",
         .header = "With",
         .options = {{"Milk", ""}, {"Sugar", ""}},
         .multi_select = true,
         .custom = false}};
    return {.id = {}, .session = {}, .spec = std::make_shared<AskSpec>(std::move(spec))};
}

json::Value form_of(const Ask& ask, std::string_view version, std::string_view name = {}) {
    std::string text;
    json::Writer out(text);
    write_form(out, ask, {.version = std::string(version), .name = std::string(name)});
    return document(text);
}

TEST(AskTool, EachFormatHasTheSchemaWhereItsApiWantsIt) {
    const auto anthropic = document(ask_tool::definition(ask_tool::Format::anthropic));
    EXPECT_EQ(at(anthropic, "/name"), "AskUserQuestion");
    EXPECT_EQ(at(anthropic, "/input_schema/properties/questions/minItems"), "1");
    EXPECT_EQ(at(anthropic, "/input_schema/properties/questions/maxItems"), "4");
    const std::string items = "/input_schema/properties/questions/items/properties";
    EXPECT_EQ(at(anthropic, items + "/header/maxLength"), "12");
    EXPECT_EQ(at(anthropic, items + "/options/minItems"), "2");
    EXPECT_EQ(at(anthropic, items + "/options/maxItems"), "4");
    const auto openai = document(ask_tool::definition(ask_tool::Format::openai));
    EXPECT_EQ(at(openai, "/type"), "function");
    EXPECT_EQ(at(openai, "/function/parameters/required/0"), "questions");
    const auto tool = document(ask_tool::definition(ask_tool::Format::mcp));
    EXPECT_EQ(at(tool, "/inputSchema/type"), "object");
    const auto schema = document(ask_tool::definition(ask_tool::Format::json_schema));
    EXPECT_EQ(at(schema, "/type"), "object");
    EXPECT_THAT(at(schema, "/$schema"), HasSubstr("2020-12"));
}

// The words are by hand, the schema's bounds are not.
TEST(AskTool, TellsModelsTheNumbersOfTheStrictProfile) {
    constexpr std::array kWords = {"none", "one", "two", "three", "four", "five", "six"};
    const Profile& strict = kStrictProfile;
    EXPECT_THAT(ask_tool::description(),
                AllOf(HasSubstr(fmt::format("one to {} multiple-choice questions",
                                            kWords.at(strict.questions_max))),
                      HasSubstr(fmt::format("Give {} to {} options", kWords.at(strict.options_min),
                                            kWords.at(strict.options_max))),
                      HasSubstr(fmt::format("within {} characters", strict.header_chars))));
}

TEST(AskTool, WhatItsSchemaAllowsIsRead) {
    const auto spec = read_ask_user(
        document(R"({"questions":[{"question":"Q?","header":"H","multiSelect":true,)"
                 R"("options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}],)"
                 R"("timeout_seconds":1.5,"context":"see *this*"})"));
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->spec.timeout, Millis(1500));
    EXPECT_EQ(spec->spec.context, "see *this*");
    EXPECT_TRUE(spec->spec.questions.front().multi_select);
}

TEST(Elicitation, ChoicesHaveTitlesAndOtherHasItsField) {
    const auto form = form_of(drinks(), "2025-11-25");
    EXPECT_EQ(at(form, "/mode"), "form");
    const std::string fields = "/requestedSchema/properties";
    EXPECT_EQ(at(form, fields + "/q0/oneOf"),
              R"([{"const":"Tea","title":"Tea: hot"},{"const":"Coffee","title":"Coffee"}])");
    EXPECT_EQ(at(form, fields + "/q0_other/type"), "string");
    EXPECT_EQ(at(form, fields + "/q1/items/anyOf/1/const"), "Sugar");
    EXPECT_EQ(at(form, fields + "/q1_other"), "(missing)");
    EXPECT_EQ(at(form, "/requestedSchema/required"), R"(["q1"])");
}

TEST(Elicitation, AFormHasWhatIsWantedOfTheAnswer) {
    Ask ask = drinks();
    AskSpec spec = *ask.spec;
    auto& questions = spec.questions;
    questions[0].preset = Answer{.selected = {"Coffee"}};
    questions[1].min = 1;
    questions[1].max = 2;
    questions[1].required = false;
    questions[1].preset = Answer{.selected = {"Sugar"}};
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    const auto form = form_of(ask, "2025-11-25");
    const std::string fields = "/requestedSchema/properties";
    EXPECT_EQ(at(form, fields + "/q0/default"), "Coffee");
    EXPECT_EQ(at(form, fields + "/q1/default"), R"(["Sugar"])");
    EXPECT_EQ(at(form, fields + "/q1/minItems"), "1");
    EXPECT_EQ(at(form, fields + "/q1/maxItems"), "2");
    EXPECT_EQ(at(form, "/requestedSchema/required"), "[]");
    EXPECT_EQ(at(form_of(ask, "2025-06-18"), fields + "/q1_1/default"), "true");
}

TEST(Elicitation, AFormRepeatsNoQuestion) {
    const auto count = [](const json::Value& form, std::string_view text) {
        const std::string all = json::serialize(form);
        std::size_t found = 0;
        for (std::size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1))
            ++found;
        return found;
    };
    const Ask two = drinks();
    AskSpec one = *two.spec;
    one.questions.pop_back();
    const Ask single{.id = {}, .session = {}, .spec = std::make_shared<AskSpec>(one)};
    for (const std::string_view version : {"2025-06-18", "2025-11-25"}) {
        EXPECT_EQ(count(form_of(single, version), "Tea or coffee?"), 1u) << version;
        EXPECT_EQ(count(form_of(two, version), "Tea or coffee?"), 1u) << version;
        EXPECT_EQ(count(form_of(two, version), "With what?"), 1u) << version;
    }
    EXPECT_EQ(at(form_of(single, "2025-11-25"), "/message"), "Tea or coffee?");
}

// Its Enter does nothing on an empty text field: a form that has one cannot be sent.
TEST(Elicitation, CodexIsAskedForAChoiceAlone) {
    const auto form = form_of(drinks(), "2025-06-18", "codex-mcp-client");
    EXPECT_EQ(at(form, "/requestedSchema/properties/q0_other"), "(missing)");
    EXPECT_EQ(at(form, "/requestedSchema/required"), R"(["q0"])");
}

TEST(Elicitation, WordsBesideASingleChoiceAreItsNote) {
    const auto questions = drinks().spec->questions;
    const auto form =
        read_form(questions,
                  document(R"({"action":"accept","content":{"q0":"Tea","q0_other":"with milk"}})"));
    ASSERT_TRUE(form);
    EXPECT_EQ(form->answers.front(), (Answer{.selected = {"Tea"}, .note = "with milk"}));
    const auto own = read_form(
        questions, document(R"({"action":"accept","content":{"q0":"Ale","q0_other":"cold"}})"));
    EXPECT_EQ(own->answers.front(), (Answer{.other = "Ale", .note = "cold"}));
    auto several = questions;
    several.front().multi_select = true;
    const auto both = read_form(
        several, document(R"({"action":"accept","content":{"q0":["Tea"],"q0_other":"water"}})"));
    EXPECT_EQ(both->answers.front(), (Answer{.selected = {"Tea"}, .other = "water"}));
}

TEST(Elicitation, OlderClientsGetSwitches) {
    const auto form = form_of(drinks(), "2025-06-18");
    EXPECT_EQ(at(form, "/mode"), "(missing)");
    const std::string fields = "/requestedSchema/properties";
    EXPECT_EQ(at(form, fields + "/q0/enum"), R"(["Tea","Coffee"])");
    EXPECT_EQ(at(form, fields + "/q1_0/type"), "boolean");
    EXPECT_EQ(at(form, "/requestedSchema/required"), "[]");
}

TEST(Elicitation, ContentBecomesAnswers) {
    const auto questions = drinks().spec->questions;
    const auto form = read_form(questions, document(R"({"action":"accept","content":)"
                                                    R"({"q0":"Tea","q1":["Milk","Sugar"]}})"));
    ASSERT_TRUE(form);
    EXPECT_THAT(form->answers,
                ElementsAre(Answer{.selected = {"Tea"}}, Answer{.selected = {"Milk", "Sugar"}}));
    const auto own = read_form(questions, document(R"({"action":"accept","content":)"
                                                   R"({"q0_other":"water","q1_1":true}})"));
    ASSERT_TRUE(own);
    EXPECT_THAT(own->answers, ElementsAre(Answer{.other = "water"}, Answer{.selected = {"Sugar"}}));
    // A client that does not hold the text against the choices.
    const auto loose =
        read_form(questions, document(R"({"action":"accept","content":{"q0":"water"}})"));
    EXPECT_EQ(loose->answers.front().other, "water");
    EXPECT_FALSE(read_form(questions, document(R"({"action":"maybe"})")));
    EXPECT_EQ(read_form(questions, document(R"({"action":"decline","content":null})"))->action,
              FormReply::Action::decline);
}

TEST(McpClient, FormsAreShownOnlyWhereTheyAreDeclared) {
    const auto client = [](std::string_view capabilities) {
        return *read_initialize(document(std::string(R"({"protocolVersion":"2025-11-25",)") +
                                         R"("capabilities":)" + std::string(capabilities) + "}"));
    };
    EXPECT_TRUE(client(R"({"elicitation":{}})").has_forms);
    EXPECT_TRUE(client(R"({"elicitation":{"form":{},"url":{}}})").has_forms);
    EXPECT_FALSE(client(R"({"elicitation":{"url":{}}})").has_forms);
    EXPECT_FALSE(client("{}").has_forms);
    EXPECT_FALSE(read_initialize(json::Value(1)));
}

}  // namespace
}  // namespace parley::mcp
