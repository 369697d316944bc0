// SPDX-License-Identifier: Apache-2.0
#include "agent/demo/demo_scenes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "agent/limits.h"
#include "core/display.h"
#include "core/permission.h"

namespace parley {

namespace {

constexpr std::string_view kEnough = "That is enough";
constexpr std::string_view kRollBack = "Roll back";

// What was answered to one question of an ask, as people read it.
std::string answer_text(const Ask& ask, std::size_t index) {
    const Question& question = ask.spec->questions[index];
    const Answers& answers = ask.settlement->answers;
    if (index >= answers.size() || answers[index].is_empty()) return "nothing";
    const Answer& answer = answers[index];
    std::vector<std::string> parts;
    for (const std::string& label : answer.selected) {
        const auto option = std::ranges::find(question.options, label, &Option::label);
        const bool is_known = option != question.options.end();
        const auto place = static_cast<std::size_t>(option - question.options.begin());
        parts.push_back(is_known ? shown_label(question, place).text : label);
    }
    if (answer.other) parts.push_back(*answer.other);
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string listed(std::span<const AskPtr> answered) {
    std::string lines;
    for (const AskPtr& ask : answered)
        for (const std::string& line : summary_lines(*ask)) lines += "- " + line + "\n";
    return lines;
}

std::vector<DemoStep> interview() {
    AskSpec method{
        .questions = {
            {.text = "Which authentication method should we use?",
             .header = "Auth method",
             .options = {{"OAuth 2.0 (Recommended)", "Industry standard, supports social login"},
                         {"JWT", "Stateless tokens, good for APIs"},
                         {"Session-based", "Traditional cookie sessions"}}},
            {.text = "Which user storage should we use?",
             .header = "User storage",
             .options = {{"PostgreSQL (Recommended)", "Your existing database"},
                         {"Firebase Auth", "Managed auth service"}}}}};
    AskSpec features{
        .questions = {{.text = "Which features should sign-in have from the start?",
                       .header = "Features",
                       .options = {{"Password reset", "By e-mail, with a link that expires"},
                                   {"Two factors", "A code from an app"},
                                   {"Remember me", "Stay signed in for 30 days"},
                                   {"Audit log", "Who signed in, from where, when"}},
                       .multi_select = true}}};
    return {{"I pretend to build sign-in for your app. Before I begin, I need two decisions from "
             "you: choose, or write something of your own.",
             std::move(method)},
            {"Thank you. One more thing, and here you may choose several.", std::move(features)}};
}

std::string interview_end(std::span<const AskPtr> answered) {
    return "That is all I needed:\n" + listed(answered) +
           fmt::format(
               "I would now build sign-in with {} and {}, with these features from the "
               "start: {}.",
               answer_text(*answered[0], 0), answer_text(*answered[0], 1),
               answer_text(*answered[1], 0));
}

constexpr std::string_view kSidebar =
    R"(```
┌──────┬───────────────────┐
│ Home │ Revenue    ▁▂▄▆█  │
│ Data │ ───────────────── │
│ Team │ Orders       1,204│
│ Help │ Returns         17│
└──────┴───────────────────┘
```)";
constexpr std::string_view kTopBar =
    R"(```
┌──────────────────────────┐
│ Home  Data  Team    Help │
├────────────┬─────────────┤
│ Revenue    │ Orders      │
│ ▁▂▄▆█      │ 1,204       │
└────────────┴─────────────┘
```)";
constexpr std::string_view kCards =
    R"(```
┌─────────┐ ┌─────────┐
│ Revenue │ │ Orders  │
│ ▁▂▄▆█   │ │ 1,204   │
└─────────┘ └─────────┘
┌─────────┐ ┌─────────┐
│ Returns │ │ Team  ▸ │
└─────────┘ └─────────┘
```)";

std::vector<DemoStep> previews() {
    AskSpec ask{
        .questions = {
            {.text = "Which layout should the dashboard have?",
             .header = "Layout",
             .options = {
                 {"Sidebar", "Navigation stays in sight on the left", std::string(kSidebar)},
                 {"Top bar", "More room for the figures", std::string(kTopBar)},
                 {"Cards", "Nothing but figures; best on a phone", std::string(kCards)}}}}};
    return {
        {"I have drawn three layouts of a dashboard. Look at each before you choose; a note "
         "says what to change.",
         std::move(ask)}};
}

std::string previews_end(std::span<const AskPtr> answered) {
    const auto& answer = answered[0]->settlement->answers.front();
    std::string end =
        fmt::format("I would now build this layout: {}", answer_text(*answered[0], 0));
    if (answer.note) end += fmt::format(", with your note in mind: {}", *answer.note);
    return end + ". The other drawings I throw away.";
}

std::vector<DemoStep> form() {
    AskSpec ask{.questions = {
                    {.text = "What is the service called?",
                     .header = "Name",
                     .options = {},
                     .required = true},
                    {.text = "Where should it run?",
                     .header = "Region",
                     .options = {{"Frankfurt", "Closest to you"}, {"Dublin", ""}, {"Oregon", ""}},
                     .custom = false,
                     .required = true,
                     .preset = Answer{.selected = {"Frankfurt"}}},
                    {.text = "On which days may it restart by itself?",
                     .header = "Days",
                     .options = {{"Saturday", ""}, {"Sunday", ""}, {"Monday", ""}, {"Tuesday", ""}},
                     .multi_select = true,
                     .custom = false,
                     .min = 1,
                     .max = 2,
                     .preset = Answer{.selected = {"Sunday"}}},
                    {.text = "Who is told when it fails?",
                     .header = "Contact",
                     .options = {},
                     .required = true,
                     .preset = Answer{.other = "ops@example.org"}},
                    {.text = "Is there anything else that I should know?",
                     .header = "Remarks",
                     .options = {},
                     .required = false}}};
    return {
        {"I set up a service and need five things at once. Some fields are filled already: "
         "nothing is sent before you send it. The name is needed, the remarks are not, and one "
         "or two days may be chosen.",
         std::move(ask)}};
}

std::string form_end(std::span<const AskPtr> answered) {
    const Ask& ask = *answered[0];
    return "I would now write this into the service's configuration:\n" + listed(answered) +
           fmt::format("Then I would start {} in {}, and write to {} should it fail.",
                       answer_text(ask, 0), answer_text(ask, 1), answer_text(ask, 3));
}

constexpr std::string_view kPlan = R"(# Move sign-in to OAuth 2.0

1. Add the table `identities` beside `users`; nothing is dropped.
2. Let both ways sign in for two weeks, behind the flag `oauth_sign_in`.
3. Write to everybody who still signs in with a password.
4. Switch the flag on for all, and watch the error rate for a day.
5. Remove the old code and the column `password_hash`.

**Cannot be undone:** step 5. I ask once more before it.
)";

std::vector<DemoStep> plan() {
    const PermissionRequest request{
        .tool = "ExitPlanMode", .input = "{}", .plan = std::string(kPlan)};
    AskSpec ask{.questions = {{.text = "Shall I carry out this plan?",
                               .header = "Plan",
                               .options = {{std::string(permission::kAllowOnce),
                                            "I begin with the first step"},
                                           {std::string(permission::kDeny),
                                            "I change nothing; say why, and I plan again"}}}},
                .permission = request};
    return {
        {"I have read the code and made a plan. I touch nothing before you approve it; if you "
         "do not, your reason reaches me.",
         std::move(ask)}};
}

std::string plan_end(std::span<const AskPtr> answered) {
    const Answer& answer = answered[0]->settlement->answers.front();
    const bool is_allowed = !answer.other && !answer.selected.empty() &&
                            answer.selected.front() == permission::kAllowOnce;
    if (is_allowed)
        return "The plan is approved. I would now carry out its steps in order, and ask again for "
               "anything that is not in it.";
    std::string end = "The plan is not approved, so I change nothing. I would now plan again";
    if (answer.note) end += fmt::format(", with your reason: {}", *answer.note);
    if (answer.other) end += fmt::format(", with what you said: {}", *answer.other);
    return end + ".";
}

std::vector<DemoStep> pair() {
    AskSpec ask{.questions = {{.text = "How should the list of orders be cut into pages?",
                               .header = "Pages",
                               .options = {{"By cursor", "Nothing is skipped while orders arrive"},
                                           {"By number", "One can jump to page 7"}}}}};
    return {
        {"I build an API while a second agent writes the texts of its page, in a session of its "
         "own. Both of us ask now: answer in any order, and each goes on as soon as it can.",
         std::move(ask)}};
}

DemoStep pair_second() {
    AskSpec ask{.questions = {{.text = "How should the page speak to people?",
                               .header = "Tone",
                               .options = {{"Plainly", "“Your order is on its way.”"},
                                           {"Cheerfully", "“Good news: it's on its way!”"},
                                           {"Briefly", "“Sent.”"}}}}};
    return DemoStep{
        "I am the second agent of the demo, as scripted as the first. I write the texts "
        "and need one decision.",
        std::move(ask)};
}

std::string pair_end(std::span<const AskPtr> answered) {
    return fmt::format(
        "Both of us have an answer, each its own. I would now page the orders like this: {}. The "
        "second agent writes like this: {}.",
        answer_text(*answered[0], 0), answer_text(*answered[1], 0));
}

std::vector<DemoStep> urgent() {
    AskSpec ask{.questions = {{.text = "Release 2.4.1 fails for 12 % of all requests, and more "
                                       "every minute. What shall I do?",
                               .header = "Release",
                               .options = {{std::string(kRollBack), "Back to 2.4.0, in 20 seconds"},
                                           {"Keep it", "I go on watching and write a report"}}}},
                .urgency = Urgency::high,
                .timeout = limits::kDemoUrgentTimeout};
    return {
        {"I watch a release, and it goes wrong. This cannot wait for long: look at the deadline. "
         "You may also let it pass, and see what I do then.",
         std::move(ask)}};
}

std::string urgent_end(std::span<const AskPtr> answered) {
    if (answer_text(*answered[0], 0) == kRollBack)
        return "I would now roll back to 2.4.0, and tell the team who decided it and when.";
    return fmt::format("I would not roll back, because you said: {}. I go on watching.",
                       answer_text(*answered[0], 0));
}

constexpr std::array kScenes = {
    DemoScene{"interview", "A short interview",
              "Choices with descriptions, one or several at a time, or your own words", interview,
              interview_end},
    DemoScene{"previews", "Previews side by side",
              "Three layouts of a page, to compare before one of them is built", previews,
              previews_end},
    DemoScene{"form", "A form to fill in",
              "Texts and choices; some are needed, some are filled in already", form, form_end},
    DemoScene{"plan", "A plan to approve",
              "What the agent would do, step by step; without your yes it does nothing", plan,
              plan_end},
    DemoScene{"two", "Two agents at once", "A second one asks beside the first, in its own session",
              pair, pair_end, pair_second},
    DemoScene{"urgent", "Something urgent",
              "A deadline of 90 seconds, and what happens when nobody answers", urgent, urgent_end,
              nullptr,
              "Nobody decided in time, so the ask timed out and I change nothing: silence is not "
              "consent. I would now wake the person on call."},
};

}  // namespace

std::span<const DemoScene> demo_scenes() {
    return kScenes;
}

const DemoScene* find_demo_scene(std::string_view name) {
    const auto found = std::ranges::find(kScenes, name, &DemoScene::name);
    return found == kScenes.end() ? nullptr : found;
}

AskSpec demo_menu(std::string told) {
    Question which{.text = told.empty() ? "What shall I show you?" : "What shall I show you next?",
                   .header = "Demo",
                   .options = {},
                   .custom = false};
    for (const DemoScene& scene : kScenes)
        which.options.push_back({std::string(scene.label), std::string(scene.description)});
    which.options.push_back({std::string(kEnough), "The demo ends"});
    if (told.empty()) told = "This is a demo: no model is behind it, and nothing is built.";
    return {.questions = {std::move(which)}, .context = std::move(told)};
}

const DemoScene* chosen_demo_scene(const Ask& answered_menu) {
    const Answers& answers = answered_menu.settlement->answers;
    if (answers.empty() || answers.front().selected.empty()) return nullptr;
    const auto found =
        std::ranges::find(kScenes, answers.front().selected.front(), &DemoScene::label);
    return found == kScenes.end() ? nullptr : found;
}

}  // namespace parley
