// SPDX-License-Identifier: Apache-2.0
// What the prompt in lines shows. What it does: numbered.cc.
#include <fmt/format.h>

#include "core/answers.h"
#include "core/display.h"
#include "core/model_text.h"
#include "core/questions.h"
#include "prompt/numbered.h"
#include "prompt/permission_block.h"
#include "prompt/question_editors.h"
#include "text/time_text.h"
#include "text/width.h"

namespace parley {

using Look = PlainPage::Look;

void NumberedPrompt::show_deadline(PlainPage& page) const {
    if (!options_.time_left) return;
    const std::string left =
        format_duration(std::chrono::ceil<std::chrono::seconds>(*options_.time_left));
    if (!spec_->default_answers) {
        page.line(fmt::format("Without an answer in {}, this ends as timed out.", left));
    } else {
        page.line(fmt::format("Without an answer in {}, the asker's default is taken:", left));
        for (const std::string& summary : summaries(*spec_->default_answers))
            page.hanging("  ", summary);
    }
    page.blank();
}

// All of it: nothing of it scrolls away unseen before the choices come.
void NumberedPrompt::show_permission(PlainPage& page) const {
    const PermissionRequest& request = *spec_->permission;
    page.hanging(fmt::format("{}: ", request.tool), request.summary, Look::bold);
    const Block lines =
        permission_block(request, options_.style.columns - 2, options_.style.charset);
    if (!lines.lines.empty()) page.set_off(text_of(lines));
    page.blank();
}

void NumberedPrompt::show_question(PlainPage& page) const {
    // A header that was made from the question says nothing new.
    std::string title;
    if (question().header != make_header(question().text))
        title = fmt::format("[{}]", shown_header(question(), options_.profile));
    if (has_several()) {
        if (!title.empty()) title += ' ';
        title += fmt::format("Question {} of {}", index_ + 1, answers_.size());
    }
    if (!title.empty()) page.line(title);
    page.passage(question().text, Look::bold);
    if (const std::string wish = wish_words(question()); !wish.empty())
        page.line(fmt::format("({})", wish));
    if (!question().preset->is_empty())
        page.line(fmt::format("Suggested: {}", joined_answer(*question().preset)));
    page.blank();
    if (rows().empty()) return;
    show_rows(page);
    page.blank();
}

void NumberedPrompt::show_rows(PlainPage& page) const {
    const std::size_t digits = fmt::formatted_size("{}", rows().size());
    const std::string indent(digits + 4, ' ');
    for (std::size_t i = 0; i < rows().size(); ++i) {
        const ChoiceRow& row = rows()[i];
        page.hanging(fmt::format("  {:>{}}) ", i + 1, digits),
                     row.is_recommended ? row.shown + " [recommended]" : row.shown);
        if (!row.description.empty()) page.hanging(indent, row.description, Look::dim);
        if (!row.preview.empty()) page.set_off(row.preview, Look::normal, indent);
    }
}

void NumberedPrompt::show_cue(PlainPage& page) const {
    const std::string what = cue_text();
    const std::string keys = fmt::format("({})", command_hint());
    if (text_width(what) + 1 + text_width(keys) <= options_.style.columns) {
        page.line(fmt::format("{} {}", what, keys));
    } else {
        page.line(what);
        page.line(keys);
    }
    if (state_ == State::choosing && is_answered(answers_[index_]))
        page.line(
            fmt::format("An empty line keeps your answer ({}).", summaries(answers())[index_]));
    page.cue();
}

std::string NumberedPrompt::cue_text() const {
    if (state_ == State::reviewing)
        return fmt::format("y = send, {} = change that answer", row_range(answers_.size()));
    if (is_text_only()) return std::string(editor_of(question()).typing_cue);
    if (question().multi_select && rows().size() > 1)
        return fmt::format("Choose one or more of {}, such as 1,2", row_range(rows().size()));
    return fmt::format("Choose {}", row_range(rows().size()));
}

void NumberedPrompt::show_review(PlainPage& page) const {
    page.line("Your answers", Look::bold);
    const std::vector<std::string> lines = summaries(answers());
    const std::size_t digits = fmt::formatted_size("{}", lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
        page.hanging(fmt::format("  {:>{}}) ", i + 1, digits), lines[i]);
    page.blank();
}

void NumberedPrompt::show_help(PlainPage& page) const {
    if (state_ == State::reviewing) {
        page.line(
            "y sends the answers. A number goes to that question, where you can change its "
            "answer.");
    } else if (is_text_only()) {
        page.line("Type your answer and press Enter. An empty line shows the question again.");
    } else {
        page.line("Type the number of a choice, or its label, and press Enter.");
        if (question().multi_select)
            page.line("You may choose several: 1,3 or 1 3, or labels with commas between them.");
        if (question().custom)
            page.line(
                "Anything else that you type is an answer in your own words, and you are "
                "asked before it counts.");
        page.line("An empty line shows the question again.");
    }
    if (is_on_offer(Command::back))
        page.line(fmt::format("{} goes back one question.", key_of(Command::back)));
    if (is_on_offer(Command::dismiss))
        page.line(
            fmt::format("{} dismisses: you do not answer, and the asker is told so. You are "
                        "asked first.",
                        key_of(Command::dismiss)));
    if (is_on_offer(Command::note))
        page.line(
            fmt::format("{} adds a note to the answer that you give then.", key_of(Command::note)));
    if (is_on_offer(Command::lines))
        page.line(fmt::format("{} takes an answer of several lines.", key_of(Command::lines)));
    if (is_on_offer(Command::edit))
        page.line(fmt::format("{} opens your editor for it ($VISUAL or $EDITOR).",
                              key_of(Command::edit)));
    for (const std::string& command : options_.commands)
        page.line(fmt::format("{} is a command too.", key_of(command)));
    page.line("Ctrl-C stops without an answer.");
}

std::string NumberedPrompt::command_hint() const {
    std::string hint;
    // Where words are the only answer, how to write more of them is of use.
    if (is_text_only() && is_on_offer(Command::lines)) {
        hint += fmt::format("{} = several lines, ", key_of(Command::lines));
        if (is_on_offer(Command::edit)) hint += fmt::format("{} = editor, ", key_of(Command::edit));
    }
    if (is_on_offer(Command::back)) hint += fmt::format("{} = back, ", key_of(Command::back));
    if (is_on_offer(Command::dismiss))
        hint += fmt::format("{} = dismiss, ", key_of(Command::dismiss));
    for (const std::string& command : options_.commands)
        hint += fmt::format("{}, ", key_of(command));
    return hint + fmt::format("{} = help", key_of(Command::help));
}

std::vector<std::string> NumberedPrompt::summaries(const Answers& answers) const {
    const Ask answered{.id = {},
                       .session = {},
                       .spec = spec_,
                       .settlement = std::make_shared<Settlement>(Settlement{.answers = answers})};
    return summary_lines(answered);
}

}  // namespace parley
