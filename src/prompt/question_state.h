// SPDX-License-Identifier: Apache-2.0
// One question of a prompt as a value: its rows, which of them are marked, the row in hand, what
// was typed.
//
// What holds of a question of one choice: the mark stands on the row in hand or nowhere. So there
// is one row that Enter can mean, and it is the one that is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parley/values.h"
#include "prompt/choice_rows.h"
#include "prompt/text_editor.h"
#include "term/key.h"

namespace parley {

struct QuestionState {
    std::vector<ChoiceRow> rows = {};  // the options, and "Other" if there is one
    std::vector<bool> picked = {};     // one for each row
    std::size_t cursor = 0;            // the row in hand; a filter may hide it, and then none is
    TextEditor other = TextEditor{};
    TextEditor note = TextEditor{};
    std::string filter = {};
    bool is_multi = false;
    bool came_by_letter = false;  // j and k, which then go on moving on the row that takes text

    QuestionState() = default;
    explicit QuestionState(const Question& question);

    bool is_text_only() const { return rows.empty(); }
    // So many that typing narrows them.
    bool has_filter() const;
    bool shows(std::size_t row) const;
    std::optional<std::size_t> text_row() const;
    void clear_picks() { picked.assign(rows.size(), false); }
    bool has_picks() const;

    // The answer as it is marked, and as Enter would have it: in a question of one choice with the
    // row in hand marked.
    Answer answer() const;
    Answer offered() const;

    // The row in hand. A mark of one choice goes along.
    void go_to(std::size_t row);
    // By so many of the rows that are shown.
    enum class Ends : std::uint8_t { stop, wrap };
    void step(int rows_down, Ends ends);
    // The keys that move; false for any other.
    bool move(const Key& key);
    // The next row, from the one in hand on, whose label begins so; false if there is none.
    bool go_to_letter(std::string_view letter);

    // One choice: the row is the one. Several: in or out. Not for a text row without its text.
    void toggle(std::size_t row);
    // All that are shown; none of them, if all were in.
    void toggle_all();
    // What was typed into `other` counts, or does not any more.
    void text_changed();
    // The filter that a key makes of this one; nullopt if it is no key for it.
    std::optional<std::string> filter_after(const Key& key) const;
    // Another filter: the first row that it shows is in hand, unless it shows the one that was.
    void narrow(std::string wanted);
    // As a draft has it, in place of all that was there.
    void restore(const Answer& draft);

private:
    bool can_be_marked(std::size_t row) const;
};

// Takes the last character off, as Backspace does in a filter or a search.
void drop_last_character(std::string& text);

}  // namespace parley
