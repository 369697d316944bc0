// SPDX-License-Identifier: Apache-2.0
#include "dialect/native/ask_texts.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dialect/limits.h"
#include "dialect/native/server.h"

namespace parley::native {
namespace {

// Asks differ in whatever their opening tells.
AskPtr make_ask(const std::string& question, const std::string& answer) {
    const std::size_t number = std::hash<std::string>()(question) % 10'000;
    auto ask = std::make_shared<Ask>();
    ask->created_at = Instant(Millis(number));
    AskSpec spec;
    spec.questions.emplace_back().text = question;
    if (number % 2 == 0) spec.context = "because " + std::to_string(number);
    if (number % 3 == 0) spec.asker = "agent " + std::to_string(number);
    if (number % 5 == 0) {
        spec.timeout = Millis(number + 1);
        ask->deadline = ask->created_at + *spec.timeout;
    }
    if (number % 7 == 0) spec.default_answers = {{.other = std::to_string(number)}};
    ask->spec = std::make_shared<const AskSpec>(std::move(spec));
    if (!answer.empty()) {
        Settlement settlement;
        settlement.answers.emplace_back().selected.push_back(answer);
        ask->settlement = std::make_shared<const Settlement>(std::move(settlement));
    }
    return ask;
}

TEST(AskTexts, DocumentsAreTheSameWithThem) {
    AskTexts texts;
    for (int i = 0; i < 3000; ++i) {
        // Most die at once, so that addresses come again; some texts are too long to be kept.
        const std::string size(i % 7 == 0 ? limits::kAskTextBytes : 1, 'x');
        const AskPtr ask = make_ask(size + std::to_string(i), i % 2 == 0 ? "" : size);
        for (int again = 0; again < 3; ++again) {
            ASSERT_EQ(ask_document(*ask, {.texts = &texts}), ask_document(*ask));
        }
    }
}

TEST(AskTexts, ThoseOfManyAsksAreForgottenAndWrittenAgain) {
    AskTexts texts;
    std::vector<AskPtr> asks;
    for (std::size_t i = 0; i < 3 * limits::kAskTextsKept; ++i)
        asks.push_back(make_ask(std::to_string(i), std::to_string(i)));
    for (int again = 0; again < 2; ++again) {
        for (const AskPtr& ask : asks)
            ASSERT_EQ(ask_document(*ask, {.texts = &texts}), ask_document(*ask));
    }
}

TEST(AskTexts, KeepNoValueAlive) {
    AskTexts texts;
    const AskPtr ask = make_ask("Which?", "this");
    const std::weak_ptr<const AskSpec> spec = std::shared_ptr<const AskSpec>(ask->spec);
    const auto copy = std::make_shared<Ask>(*ask);
    (void)ask_document(*copy, {.texts = &texts});
    EXPECT_EQ(spec.use_count(), 2);
}

}  // namespace
}  // namespace parley::native
