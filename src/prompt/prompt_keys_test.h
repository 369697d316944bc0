// SPDX-License-Identifier: Apache-2.0
// For the tests of what keys do: keys as people name them, and prompts to press them in.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "prompt/prompt_state.h"

namespace parley {

inline const Mono kNow{std::chrono::hours(1)};

inline Key named(const std::string& name) {
    static const std::map<std::string, Key> kKeys = {
        {"Enter", {.code = Key::Code::enter}},
        {"Esc", {.code = Key::Code::escape}},
        {"Up", {.code = Key::Code::up}},
        {"Down", {.code = Key::Code::down}},
        {"Left", {.code = Key::Code::left}},
        {"Right", {.code = Key::Code::right}},
        {"Home", {.code = Key::Code::home}},
        {"End", {.code = Key::Code::end}},
        {"Tab", {.code = Key::Code::tab}},
        {"S-Tab", {.code = Key::Code::tab, .is_shift = true}},
        {"Space", {.text = " "}},
        {"Back", {.code = Key::Code::backspace}},
        {"PgDn", {.code = Key::Code::page_down}},
        {"PgUp", {.code = Key::Code::page_up}},
        {"Del", {.code = Key::Code::del}},
        {"Ins", {.code = Key::Code::insert}},
        {"M-Up", {.code = Key::Code::up, .is_alt = true}},
        {"M-Down", {.code = Key::Code::down, .is_alt = true}},
        {"Paste", {.code = Key::Code::paste, .text = "p\nq"}},
        {"Focus", {.code = Key::Code::focus_in}},
        {"Blur", {.code = Key::Code::focus_out}},
        {"C-w", {.text = "w", .is_ctrl = true}},
        {"M-Enter", {.code = Key::Code::enter, .is_alt = true}},
        {"M-n", {.text = "n", .is_alt = true}},
        {"M-o", {.text = "o", .is_alt = true}},
        {"M-?", {.text = "?", .is_alt = true}},
        {"C-a", {.text = "a", .is_ctrl = true}},
        {"C-Space", {.text = " ", .is_ctrl = true}},
        {"C-c", {.text = "c", .is_ctrl = true}},
        {"C-z", {.text = "z", .is_ctrl = true}},
        {"C-e", {.text = "e", .is_ctrl = true}},
        {"C-_", {.text = "_", .is_ctrl = true}},
    };
    const auto found = kKeys.find(name);
    return found != kKeys.end() ? found->second : Key{.text = name};
}

// The picture is shown before each key, as a terminal does it.
inline PromptEffect press(PromptState& state, const Key& key, Mono now) {
    state.was_shown();
    return reduce(state, key, now);
}

inline std::vector<Key> keys_of(const std::string& keys) {
    std::vector<Key> all;
    std::istringstream words(keys);
    for (std::string word; words >> word;) {
        if (word.size() > 2 && word.front() == '"') {
            for (const char c : word.substr(1, word.size() - 2))
                all.push_back({.text = std::string(1, c)});
        } else {
            all.push_back(named(word));
        }
    }
    return all;
}

// Presses them all at one moment; gives the last effect. "Hi" in quotes is typed.
inline PromptEffect press(PromptState& state, const std::string& keys, Mono now) {
    PromptEffect effect;
    for (const Key& key : keys_of(keys)) effect = press(state, key, now);
    return effect;
}

// One after the other, in no hurry.
inline PromptEffect press(PromptState& state, const std::string& keys) {
    static Mono now = kNow;
    PromptEffect effect;
    for (const Key& key : keys_of(keys)) effect = press(state, key, now += std::chrono::seconds(1));
    return effect;
}

inline const Question kDatabase = {.text = "Which database?",
                                   .header = "Database",
                                   .options = {{"PostgreSQL (Recommended)", "The usual"},
                                               {"MongoDB", "Documents"},
                                               {"SQLite", "A file", "CREATE TABLE t;"}}};
inline const Question kFeatures = {.text = "Which features?",
                                   .header = "Features",
                                   .options = {{"Dark", ""}, {"Offline", ""}, {"Sync", ""}},
                                   .multi_select = true};
inline const Question kClosed = {
    .text = "Sure?", .header = "Sure", .options = {{"Yes", ""}, {"No", ""}}, .custom = false};
inline const Question kName = {.text = "Its name?", .header = "Name", .options = {}};

inline PromptState prompt(std::vector<Question> questions, bool dismissible = true) {
    return {std::make_shared<AskSpec>(
                AskSpec{.questions = std::move(questions), .dismissible = dismissible}),
            {}};
}

inline Question many() {
    Question question{.text = "Which one?", .header = "Many", .options = {}};
    for (int i = 1; i <= 12; ++i) question.options.push_back({"Option " + std::to_string(i), ""});
    question.options.push_back({"Java", "with a j"});
    return question;
}

}  // namespace parley
