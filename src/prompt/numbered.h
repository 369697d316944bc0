// SPDX-License-Identifier: Apache-2.0
// The prompt in lines: it prints, reads a line, prints on, and never redraws. For pipes, plain
// terminals and screen readers. A state machine over the lines that a person types; its owner does
// the reading and printing, and settles what comes out. Nothing is answered without being typed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/profile.h"
#include "parley/values.h"
#include "prompt/choice_line.h"
#include "prompt/choice_rows.h"
#include "prompt/plain_page.h"

namespace parley {

class NumberedPrompt {
public:
    struct Options {
        PlainStyle style = {};
        Profile profile = kOpenProfile;        // how long a header may be
        std::optional<Millis> time_left = {};  // until the deadline, if there is one
        bool has_editor = false;               // the owner can open the person's own
        // What the owner does when it is typed, such as "skip".
        std::vector<std::string> commands = {};
    };

    struct Step {
        enum class Next : std::uint8_t {
            read,     // print `text`, then feed the next line
            answer,   // settle with `answers`
            dismiss,  // settle as dismissed, for `reason`
            give_up,  // the lines ended before there was an answer
            command,  // one of the owner's, `command`
            edit,     // open the person's editor on `written`, then edited()
        };

        std::string text = {};
        Next next = Next::read;
        Answers answers = {};
        std::optional<std::string> reason = {};
        std::string command = {};
        std::string written = {};
        // The next line goes on with a text: it may have been typed before this was shown.
        bool is_amid_text = false;
    };

    // The questions have been checked (core/questions.h).
    NumberedPrompt(std::shared_ptr<const AskSpec> spec, const Options& options);

    // What is shown first.
    Step start();
    // One line, without its newline.
    Step feed(std::string_view line);
    // No line will follow.
    Step end_of_input();
    // The answers that the last step gave were not taken: says why and goes on asking.
    Step refused(const Error& error);
    // What the editor left, or why it left nothing.
    Step edited(const Result<std::string>& text);
    // The same state goes on, after a word about the line that was typed.
    Step say(std::string_view text);

    // What was answered so far.
    Answers answers() const;
    // What was answered before, as a draft has it.
    void restore(const Answers& draft);

private:
    enum class State : std::uint8_t {
        choosing,
        typing,
        doubting,
        reviewing,
        dismissing,
        reasoning,
        noting,
        writing,    // a text of several lines
        confirming  // whether it is to be taken
    };
    enum class Command : std::uint8_t { help, back, dismiss, note, lines, edit };
    // A text of several lines, until it is taken.
    struct Written {
        std::string text = {};
        bool is_note = false;
        bool has_lines = false;  // an empty one is a line too
    };

    const Question& question() const { return spec_->questions[index_]; }
    bool has_several() const { return spec_->questions.size() > 1; }
    bool is_text_only() const { return rows().empty(); }
    const std::vector<ChoiceRow>& rows() const { return rows_[index_]; }

    // What each state makes of a line.
    Step choose(std::string_view line);
    Step type(std::string_view line);
    Step doubt(std::string_view line);
    Step review(std::string_view line);
    Step confirm_dismissal(std::string_view line);
    Step note(std::string_view line);
    // Texts of several lines (numbered_text.cc).
    Step write(std::string_view line);
    Step confirm_text(std::string_view line);
    Step take_written();
    Step start_writing(Command how);
    Step ask_whether(std::string_view hint);
    std::optional<Command> as_writing(std::string_view line) const;
    std::string_view without_escape(std::string_view line) const;
    bool takes_text() const { return is_text_only() || question().custom; }

    std::optional<Command> as_command(std::string_view line) const;
    std::optional<std::string> as_owners(std::string_view line) const;
    bool is_taken(std::string_view word) const;
    std::string key_of(std::string_view word) const;
    static std::string_view letter_of(Command command);
    std::string key_of(Command command) const;
    bool is_on_offer(Command command) const;
    Step obey(Command command);

    // Moving on.
    Step read_choice(std::string_view line);
    Step take_text(std::string_view text);
    Step take(Answer answer);
    Step go_to(std::size_t index);
    Step ask_again(std::string_view hint);
    Step ask_for_text();
    Step go_to_review(std::string_view hint = {});
    Step finish() const { return {.next = Step::Next::answer, .answers = answers()}; }

    // What is shown (numbered_pages.cc).
    PlainPage new_page() const { return PlainPage(options_.style); }
    void show_deadline(PlainPage& page) const;
    void show_permission(PlainPage& page) const;
    void show_question(PlainPage& page) const;
    void show_rows(PlainPage& page) const;
    void show_cue(PlainPage& page) const;
    void show_review(PlainPage& page) const;
    void show_help(PlainPage& page) const;
    std::string cue_text() const;
    std::string command_hint() const;
    std::vector<std::string> summaries(const Answers& answers) const;

    std::shared_ptr<const AskSpec> spec_;
    Options options_;
    std::vector<std::vector<ChoiceRow>> rows_;  // of each question
    Answers answers_;
    std::vector<std::optional<std::string>> notes_;  // of each question

    State state_ = State::choosing;
    State before_dismissal_ = State::choosing;
    std::size_t index_ = 0;      // the question in hand
    bool was_reviewed_ = false;  // an answered question leads back to the review
    ChoiceLine pending_;         // in doubt, or waiting for its text
    std::optional<Written> written_;
};

}  // namespace parley
