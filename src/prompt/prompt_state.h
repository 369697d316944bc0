// SPDX-License-Identifier: Apache-2.0
// A prompt as a value, and what keys do to it. `reduce` is a pure function of state, key and time:
// it reads no terminal, draws nothing (prompt_view.h does) and settles nothing; its owner does what
// the effect says. It serves the prompt of `parley ask` and every opened ask of the inbox.
//
// What holds after any keys: nothing settles but by Enter; what was typed into a field stays in it
// until the person takes it out; what is sent is what the last picture showed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "core/profile.h"
#include "parley/values.h"
#include "prompt/key_guard.h"
#include "prompt/pane_range.h"
#include "prompt/question_state.h"
#include "prompt/text_editor.h"
#include "term/key.h"

namespace parley {

enum class PromptMode : std::uint8_t {
    choosing,
    typing,  // the free text
    noting,  // the note
    reviewing,
    dismissing,  // asked whether to; a reason may be typed
    helping,
    folded,   // one line, out of the way
    sending,  // settled here, not yet taken
};

// What a picture says that Enter would do. The owner tells when one was shown (was_shown), and
// nothing is settled but by a key that was pressed on a picture that says the same.
struct PromptPicture {
    PromptMode mode = PromptMode::choosing;
    std::size_t index = 0;
    std::size_t row = 0;  // in hand: of the choices, or of the review
    std::string filter = {};
    Answers answers = {};
    std::string reason = {};

    bool operator==(const PromptPicture&) const = default;
};

struct PromptState {
    struct Options {
        Profile profile = kOpenProfile;
        // Appeared by itself at this time: a key that was meant for something else settles nothing
        // for a moment. Without it the person opened the prompt.
        std::optional<Mono> appeared_at = {};
        bool closes_on_escape = false;  // Esc is the way back to a list, not to a dismissal
    };

    PromptState() = default;
    // The questions have been checked (core/questions.h).
    PromptState(std::shared_ptr<const AskSpec> asked, const Options& options);

    std::shared_ptr<const AskSpec> spec;
    Options options;
    std::vector<QuestionState> questions;
    std::size_t index = 0;  // the question in hand
    PromptMode mode = PromptMode::choosing;
    PromptMode under = PromptMode::choosing;  // where help, folding and dismissal go back to
    std::size_t review_cursor = 0;            // a question, or the row after them that sends
    bool was_reviewed = false;                // an answered question leads back to the review
    TextEditor reason{TextEditor::Lines::one};
    std::string notice = {};  // about the last key; gone with the next
    // Against keys that were meant for what stood here before, and against one Enter, held down,
    // that answers question after question.
    KeyGuard guard = {};
    std::optional<PromptPicture> shown = {};
    std::optional<Answers> offered = {};  // typed on another device of this person; Ctrl-T takes it
    int context_scroll = 0;               // lines
    int preview_scroll = 0;               // and of the help
    PaneRange range = {};                 // as the last drawing has it
    bool has_read = false;                // the context was on the screen to its last line

    const Question& question() const { return spec->questions[index]; }
    QuestionState& current() { return questions[index]; }
    const QuestionState& current() const { return questions[index]; }
    // One question with one choice needs no second look, unless it may be left empty.
    bool has_review() const;
    Answer answer_of(std::size_t question) const;
    Answers answers() const;
    bool is_answered(std::size_t question) const;
    // Whether it may be sent as it is: answered, unless it may be left empty, and as many choices
    // as are wanted.
    bool is_ready(std::size_t question) const;
    std::optional<std::size_t> first_unready() const;
    // "has no answer yet", "wants at least 2 choices, and 1 is chosen; …".
    std::string why_unready(std::size_t question) const;
    // Whether anything was chosen or typed beyond what was marked beforehand.
    bool is_touched() const;

    // What Enter would do now, and that a person sees it.
    PromptPicture picture() const;
    void was_shown() { shown = picture(); }

    // The unsent answers of before, as a draft has them, in place of all that is there.
    void restore(const Answers& draft);
    // Answers that came from elsewhere. They are taken where nothing was done here yet, and are
    // offered where something was; what is on its way stays as it is.
    void take_draft(const Answers& draft, Mono now);
    // What was sent was not taken: says why and goes on.
    void refused(const Error& error);
    // This is what a drawing showed of what scrolls.
    void drawn(const PaneRange& shown_range);
    // The keys that scroll the context or the preview; false for any other.
    bool scroll(const Key& key);
    // Whether those for pages scroll the context, not the preview.
    bool pages_context() const;
    // Something would be allowed of which not all was on the screen.
    bool must_read_first() const;
    std::string what_to_read() const;
    // What the person wrote in an editor of their own. One that is too long is refused, and the
    // text stays as it was.
    void edited(std::string_view text);
    // The field that keys are typed into, if they are.
    TextEditor* field();
    // False: no key of a text field, or it would make the text longer than an answer may be, which
    // the notice says; nothing of it is taken then.
    bool type_into(TextEditor& field, const Key& key);
};

inline constexpr std::string_view kHeldKeyNotice = "Let go of Enter for a moment, then press it.";
// Why a text that would have so many bytes was refused.
std::string too_long_notice(std::size_t bytes);

struct PromptEffect {
    enum class Kind : std::uint8_t {
        none,
        answer,       // settle with `answers`
        dismiss,      // settle as dismissed, for `reason`
        interrupt,    // Ctrl-C
        suspend,      // Ctrl-Z
        open_editor,  // on `text`; then call edited()
        close,        // Esc, with Options::closes_on_escape
    };

    Kind kind = Kind::none;
    Answers answers = {};
    std::optional<std::string> reason = {};
    std::string text = {};
};

PromptEffect reduce(PromptState& state, const Key& key, Mono now);

}  // namespace parley
