// SPDX-License-Identifier: Apache-2.0
// What each line does. What is shown meanwhile: numbered_pages.cc.
#include "prompt/numbered.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/assert.h"
#include "core/answers.h"
#include "core/limits.h"
#include "core/text_rules.h"
#include "prompt/question_editors.h"
#include "text/utf8.h"

namespace parley {

namespace {

using Step = NumberedPrompt::Step;

bool is_yes(std::string_view line) {
    return equals_ignoring_case(line, "y") || equals_ignoring_case(line, "yes");
}

bool is_no(std::string_view line) {
    return line.empty() || equals_ignoring_case(line, "n") || equals_ignoring_case(line, "no");
}

std::optional<std::size_t> as_index(std::string_view line, std::size_t count) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
    if (number < 1 || number > count) return std::nullopt;
    return number - 1;
}

}  // namespace

NumberedPrompt::NumberedPrompt(std::shared_ptr<const AskSpec> spec, const Options& options)
    : spec_(std::move(spec)),
      options_(options),
      answers_(spec_->questions.size()),
      notes_(spec_->questions.size()) {
    ASSERT(!spec_->questions.empty());
    for (const Question& each : spec_->questions) rows_.push_back(editor_of(each).rows(each));
}

Step NumberedPrompt::start() {
    PlainPage page = new_page();
    if (spec_->permission) show_permission(page);
    if (spec_->context) {
        page.set_off(*spec_->context);
        page.blank();
    }
    show_deadline(page);
    show_question(page);
    show_cue(page);
    return {.text = page.take()};
}

Step NumberedPrompt::feed(std::string_view line) {
    const std::string_view trimmed = trim_blanks(line);
    switch (state_) {
        case State::choosing: return choose(trimmed);
        case State::typing: return type(line);
        case State::doubting: return doubt(trimmed);
        case State::reviewing: return review(trimmed);
        case State::dismissing: return confirm_dismissal(trimmed);
        case State::noting: return note(line);
        case State::writing: return write(line);
        case State::confirming: return confirm_text(trimmed);
        case State::reasoning: break;
    }
    Step step{.next = Step::Next::dismiss};
    if (!trimmed.empty()) step.reason = trimmed;
    return step;
}

Step NumberedPrompt::end_of_input() {
    // The dismissal was confirmed already; only its reason is missing, and it may be.
    const bool is_dismissed = state_ == State::reasoning;
    return {.text = "\n", .next = is_dismissed ? Step::Next::dismiss : Step::Next::give_up};
}

Step NumberedPrompt::refused(const Error& error) {
    std::string why = fmt::format("This was not taken: {}", error.message);
    if (error.faults.size() > 1) {
        why = "This was not taken:";
        for (const Fault& fault : error.faults) why += fmt::format("\n- {}", fault.detail);
    }
    return has_several() ? go_to_review(why) : ask_again(why);
}

Step NumberedPrompt::choose(std::string_view line) {
    if (line.empty()) {
        if (is_answered(answers_[index_]) || question().required == false)
            return take(answers_[index_]);
        return ask_again(is_text_only() ? "Nothing was typed yet." : "Nothing was chosen yet.");
    }
    if (const auto command = as_command(line)) return obey(*command);
    if (auto command = as_owners(line))
        return {.next = Step::Next::command, .command = std::move(*command)};
    if (!is_text_only()) return read_choice(line);
    // "//b" is how to answer "/b".
    pending_ = {};
    return take_text(line.starts_with("//") && as_command(line.substr(1)) ? line.substr(1) : line);
}

Step NumberedPrompt::read_choice(std::string_view line) {
    pending_ = read_choice_line(question(), line);
    if (!pending_.fault.empty()) {
        state_ = State::choosing;
        return say(pending_.fault);
    }
    if (!pending_.doubt.empty()) {
        state_ = State::doubting;
        return say(pending_.doubt + " y = yes, n = no");
    }
    return pending_.opens_text ? ask_for_text() : take(pending_.answer);
}

Step NumberedPrompt::type(std::string_view line) {
    if (is_blank(line)) return ask_again("No text was typed; back to the choices.");
    if (const auto command = as_writing(line)) return start_writing(*command);
    return take_text(without_escape(line));
}

Step NumberedPrompt::take_text(std::string_view text) {
    if (!utf8::is_valid(text))
        return say("That is not valid UTF-8 text. Type it again in a UTF-8 terminal.");
    if (text.size() > limits::kAnswerTextBytes) {
        return say(fmt::format("That text has {} bytes, and at most {} are allowed.", text.size(),
                               limits::kAnswerTextBytes));
    }
    pending_.answer.other = text;
    return take(pending_.answer);
}

Step NumberedPrompt::doubt(std::string_view line) {
    if (is_yes(line)) return pending_.opens_text ? ask_for_text() : take(pending_.answer);
    if (is_no(line)) return ask_again({});
    state_ = State::choosing;
    return choose(line);
}

Step NumberedPrompt::review(std::string_view line) {
    if (is_yes(line)) return finish();
    if (line.empty()) return go_to_review("Nothing is sent before you type y.");
    if (const auto command = as_command(line)) return obey(*command);
    if (auto command = as_owners(line))
        return {.next = Step::Next::command, .command = std::move(*command)};
    if (const auto index = as_index(line, answers_.size())) return go_to(*index);
    return say(fmt::format("{} is none of these.", quoted_excerpt(line)));
}

Step NumberedPrompt::confirm_dismissal(std::string_view line) {
    if (is_yes(line)) {
        state_ = State::reasoning;
        return say("Your reason, for the asker. An empty line gives none.");
    }
    if (before_dismissal_ == State::reviewing) return go_to_review("Not dismissed.");
    return ask_again("Not dismissed.");
}

std::optional<NumberedPrompt::Command> NumberedPrompt::as_command(std::string_view line) const {
    for (const Command command : {Command::help, Command::back, Command::dismiss, Command::note,
                                  Command::lines, Command::edit}) {
        if (command == Command::edit && !options_.has_editor) continue;
        if (equals_ignoring_case(line, key_of(command)) ||
            (line.starts_with('/') && equals_ignoring_case(line.substr(1), letter_of(command))))
            return command;
    }
    return std::nullopt;
}

std::string_view NumberedPrompt::letter_of(Command command) {
    switch (command) {
        case Command::help: return "?";
        case Command::back: return "b";
        case Command::note: return "note";
        case Command::lines: return "lines";
        case Command::edit: return "edit";
        case Command::dismiss: break;
    }
    return "d";
}

// An option called "B" is chosen by "b"; going back is then "/b". Where any text is an answer,
// every command has its slash.
std::string NumberedPrompt::key_of(Command command) const {
    return key_of(letter_of(command));
}

bool NumberedPrompt::is_taken(std::string_view word) const {
    const auto is_word = [&](const ChoiceRow& row) {
        return equals_ignoring_case(row.shown, word);
    };
    return state_ != State::reviewing && (is_text_only() || std::ranges::any_of(rows(), is_word));
}

std::string NumberedPrompt::key_of(std::string_view word) const {
    return is_taken(word) ? fmt::format("/{}", word) : std::string(word);
}

std::optional<std::string> NumberedPrompt::as_owners(std::string_view line) const {
    for (const std::string& word : options_.commands)
        if (equals_ignoring_case(line, key_of(word)) ||
            (line.starts_with('/') && equals_ignoring_case(line.substr(1), word)))
            return word;
    return std::nullopt;
}

Answers NumberedPrompt::answers() const {
    Answers all = answers_;
    for (std::size_t i = 0; i < all.size(); ++i) all[i].note = notes_[i];
    // What is being written is kept as well, where the ask ends before it was taken.
    if (written_ && !is_blank(written_->text))
        (written_->is_note ? all[index_].note : all[index_].other) = written_->text;
    return all;
}

void NumberedPrompt::restore(const Answers& draft) {
    for (std::size_t i = 0; i < std::min(draft.size(), answers_.size()); ++i) {
        answers_[i] = draft[i];
        notes_[i] = draft[i].note;
    }
}

Step NumberedPrompt::note(std::string_view line) {
    if (const auto command = as_writing(line)) return start_writing(*command);
    line = without_escape(line);
    if (!utf8::is_valid(line) || line.size() > limits::kAnswerTextBytes)
        return ask_again("That note is not valid UTF-8 text, or too long; none was taken.");
    notes_[index_] = is_blank(line) ? std::nullopt : std::optional<std::string>(line);
    return ask_again(notes_[index_] ? "The note goes with your answer." : "No note.");
}

bool NumberedPrompt::is_on_offer(Command command) const {
    switch (command) {
        case Command::help: return true;
        case Command::note: return state_ != State::reviewing;
        case Command::lines: return state_ != State::reviewing && takes_text();
        case Command::edit: return options_.has_editor && is_on_offer(Command::lines);
        case Command::back: return state_ == State::reviewing || index_ > 0;
        case Command::dismiss: break;
    }
    return spec_->dismissible;
}

Step NumberedPrompt::obey(Command command) {
    switch (command) {
        case Command::help: {
            PlainPage page = new_page();
            show_help(page);
            page.blank();
            show_cue(page);
            return {.text = page.take()};
        }
        case Command::back:
            if (state_ == State::reviewing) return go_to(answers_.size() - 1);
            if (index_ == 0) return say("This is the first question.");
            return go_to(index_ - 1);
        case Command::note:
            if (state_ == State::reviewing) return say("A note goes with one answer: go to it.");
            state_ = State::noting;
            return say("Your note, beside the answer. An empty line gives none.");
        case Command::lines:
        case Command::edit:
            if (state_ == State::reviewing) return say("A text belongs to one question: go to it.");
            if (!takes_text()) return say("This question takes no words of your own.");
            pending_ = {};
            return start_writing(command);
        case Command::dismiss: break;
    }
    if (!spec_->dismissible) return say("The asker does not let this be dismissed.");
    before_dismissal_ = state_;
    state_ = State::dismissing;
    return say("Dismiss without answering? The asker is told that you did. y = yes, n = no");
}

Step NumberedPrompt::take(Answer answer) {
    if (const std::string unmet = unmet_wish(question(), answer); !unmet.empty())
        return ask_again(fmt::format("Not yet: this wants {}.", unmet));
    answers_[index_] = std::move(answer);
    if (!has_several()) return finish();
    const bool is_last = index_ + 1 == answers_.size();
    return is_last || was_reviewed_ ? go_to_review() : go_to(index_ + 1);
}

Step NumberedPrompt::go_to(std::size_t index) {
    index_ = index;
    return ask_again({});
}

Step NumberedPrompt::ask_again(std::string_view hint) {
    state_ = State::choosing;
    PlainPage page = new_page();
    if (!hint.empty()) page.line(hint);
    page.blank();
    show_question(page);
    show_cue(page);
    return {.text = page.take()};
}

Step NumberedPrompt::ask_for_text() {
    state_ = State::typing;
    return say(fmt::format(
        "Type your answer. An empty line goes back to the choices.\n(/lines = several lines{})",
        options_.has_editor ? ", /edit = editor" : ""));
}

Step NumberedPrompt::go_to_review(std::string_view hint) {
    state_ = State::reviewing;
    was_reviewed_ = true;
    PlainPage page = new_page();
    if (!hint.empty()) page.line(hint);
    page.blank();
    show_review(page);
    show_cue(page);
    return {.text = page.take()};
}

Step NumberedPrompt::say(std::string_view text) {
    PlainPage page = new_page();
    page.line(text);
    if (state_ == State::choosing || state_ == State::reviewing) {
        show_cue(page);
    } else {
        page.cue();
    }
    return {.text = page.take()};
}

}  // namespace parley
