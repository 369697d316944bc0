// SPDX-License-Identifier: Apache-2.0
// Texts of several lines in the prompt in lines: typed until a full stop on a line of its own, or
// written in the person's editor. Neither is taken before they say so.
#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "core/display.h"
#include "core/limits.h"
#include "core/text_rules.h"
#include "prompt/numbered.h"
#include "text/utf8.h"

namespace parley {

namespace {

using Step = NumberedPrompt::Step;

}  // namespace

// Where any line is text, what begins such a text has its slash.
std::optional<NumberedPrompt::Command> NumberedPrompt::as_writing(std::string_view line) const {
    const std::string_view word = trim_blanks(line);
    if (equals_ignoring_case(word, "/lines")) return Command::lines;
    if (options_.has_editor && equals_ignoring_case(word, "/edit")) return Command::edit;
    return std::nullopt;
}

// "//edit" is how to write "/edit".
std::string_view NumberedPrompt::without_escape(std::string_view line) const {
    return line.starts_with("//") && as_writing(line.substr(1)) ? line.substr(1) : line;
}

Step NumberedPrompt::start_writing(Command how) {
    if (!written_) {
        const bool is_note = state_ == State::noting;
        const auto& before = is_note ? notes_[index_] : answers_[index_].other;
        written_ = Written{.is_note = is_note};
        if (how == Command::edit) written_->text = before.value_or("");
        written_->has_lines = !written_->text.empty();
    }
    if (how == Command::edit) {
        state_ = State::confirming;
        return {.next = Step::Next::edit, .written = written_->text};
    }
    state_ = State::writing;
    Step step = say("Type your text. A full stop on a line of its own ends it.");
    step.is_amid_text = true;
    return step;
}

Step NumberedPrompt::write(std::string_view line) {
    if (line == ".") {
        if (is_blank(written_->text)) {
            written_.reset();
            return ask_again("No text was typed.");
        }
        return ask_whether({});
    }
    Step step{.is_amid_text = true};
    if (!utf8::is_valid(line)) {
        step.text = "That line is not valid UTF-8 text, and was left out.\n";
        return step;
    }
    if (written_->text.size() + 1 + line.size() > limits::kAnswerTextBytes) {
        step.text = fmt::format("A text has at most {} bytes: that line was left out.\n",
                                limits::kAnswerTextBytes);
        return step;
    }
    if (written_->has_lines) written_->text += '\n';
    written_->has_lines = true;
    written_->text += line == ".." ? line.substr(1) : line;
    return step;
}

Step NumberedPrompt::edited(const Result<std::string>& text) {
    ASSERT(written_);
    if (text) {
        written_->text = *text;
        written_->has_lines = !text->empty();
    }
    if (!is_blank(written_->text)) return ask_whether(text ? "" : text.error().message);
    written_.reset();
    return ask_again(text ? "No text was written." : text.error().message);
}

Step NumberedPrompt::confirm_text(std::string_view line) {
    if (equals_ignoring_case(line, "y") || equals_ignoring_case(line, "yes")) return take_written();
    if (equals_ignoring_case(line, "n") || equals_ignoring_case(line, "no")) {
        written_.reset();
        return ask_again("The text was thrown away.");
    }
    if (equals_ignoring_case(line, "lines") || as_writing(line) == Command::lines)
        return start_writing(Command::lines);
    if (options_.has_editor && (equals_ignoring_case(line, "edit") || as_writing(line)))
        return start_writing(Command::edit);
    return ask_whether(line.empty() ? "Nothing is taken before you type y."
                                    : fmt::format("{} is none of these.", quoted_excerpt(line)));
}

Step NumberedPrompt::take_written() {
    const Written written = std::move(*written_);
    written_.reset();
    if (!written.is_note) return take_text(written.text);
    notes_[index_] = written.text;
    return ask_again("The note goes with your answer.");
}

Step NumberedPrompt::ask_whether(std::string_view hint) {
    state_ = State::confirming;
    PlainPage page = new_page();
    if (!hint.empty()) page.line(hint);
    const auto lines = static_cast<std::size_t>(std::ranges::count(written_->text, '\n')) + 1;
    page.line(fmt::format("{} ({}):", written_->is_note ? "Your note" : "Your text",
                          count_of(lines, "line")));
    page.hanging("  ", written_->text);
    const bool sends = !written_->is_note && !has_several();
    page.line(fmt::format("y = {} it, lines = go on with it,{} n = throw it away",
                          sends ? "send" : "take",
                          options_.has_editor ? " edit = change it," : ""));
    page.cue();
    return {.text = page.take()};
}

}  // namespace parley
