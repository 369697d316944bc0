// SPDX-License-Identifier: Apache-2.0
// A pending ask put to the person at this terminal: as a picture with keys where the terminal can
// show one, else in numbered lines. It only asks; its owner settles, and ends the prompt when the
// ask is settled, here or elsewhere. Lives on the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/run_context.h"
#include "base/unique_function.h"
#include "core/profile.h"
#include "net/loop.h"
#include "parley/values.h"

namespace parley::app {

struct PromptDecision {
    enum class Kind : std::uint8_t {
        answer,     // settle with `answers`; then end() or refused()
        dismiss,    // the same, for `reason`
        interrupt,  // Ctrl-C
        give_up,    // no more input will come
        command,    // one of PromptSetting::commands, `command`; then end() or say()
    };

    Kind kind = Kind::answer;
    Answers answers = {};
    std::optional<std::string> reason = {};
    std::string command = {};
};

struct PromptSetting {
    int in = 0;  // what is typed; what is shown goes to stderr
    Profile profile = kOpenProfile;
    bool has_numbers = true;
    bool is_accessible = false;  // in lines, whatever the terminal can do
    // Another question stood here and ended by itself: what is typed on is not for this one, and a
    // line that was begun then goes on here.
    bool replaces_another = false;
    bool is_line_begun = false;
    Answers draft = {};                      // typed before and not sent
    std::vector<std::string> commands = {};  // of the owner, in lines
};

class AnswerPrompt {
public:
    using Decided = UniqueFunction<void(PromptDecision)>;

    // `ask` is pending; `context` and `loop` outlive the prompt.
    [[nodiscard]] static std::unique_ptr<AnswerPrompt> open(const RunContext& context,
                                                            net::Loop& loop, AskPtr ask,
                                                            const PromptSetting& setting,
                                                            Decided decided);
    virtual ~AnswerPrompt() = default;

    // What was chosen and typed and not sent.
    virtual Answers unsent() const = 0;
    // Says something and goes on.
    virtual void say(std::string_view text) = 0;
    // What was decided was not taken: says why and goes on.
    virtual void refused(const Error& error) = 0;
    // Leaves the terminal as it was, with the cursor at the start of a line. `by_itself`: not by a
    // decision here, so what was typed meanwhile is dropped; gives whether there was anything.
    enum class Ending : std::uint8_t { decided, by_itself };
    virtual bool end(Ending ending) = 0;
    // Whether the prompt goes away when it ends, so that what was answered is to be said again.
    virtual bool is_picture() const = 0;
    // The person's editor has the terminal: words would disturb it, and Ctrl-C is the editor's.
    virtual bool is_lent() const = 0;
};

}  // namespace parley::app
