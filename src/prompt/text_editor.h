// SPDX-License-Identifier: Apache-2.0
// A text field: some text, a cursor between its characters (grapheme clusters), and what can be
// undone. A value that keys are given to; it knows nothing of a screen but how to be laid out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prompt/plain_page.h"
#include "term/grid.h"
#include "term/key.h"

namespace parley {

class TextEditor {
public:
    enum class Lines : std::uint8_t { one, many };

    explicit TextEditor(Lines lines = Lines::many) : lines_(lines) {}

    const std::string& text() const { return text_; }
    std::size_t cursor() const { return cursor_; }  // bytes before it
    bool is_blank() const;

    // False: the key means nothing to a text field. Enter is the owner's, except with Alt or Shift,
    // which make a line. A text that has its limit (limits::kAnswerTextBytes) takes no more.
    bool press(const Key& key);
    void insert(std::string_view text);
    // The whole text anew, as one step that can be undone.
    void replace(std::string_view text);

private:
    struct Step {
        std::string text;
        std::size_t cursor;
    };
    enum class Edit : std::uint8_t { none, typing, pasting, deleting, other };

    bool press_control(const Key& key);
    bool press_alt(const Key& key);
    bool press_move(const Key& key);

    void remember(Edit edit);
    void undo();
    void redo();
    void erase(std::size_t from, std::size_t to);
    void move(std::size_t to);
    void move_line(int down);

    std::size_t line_start(std::size_t at) const;
    std::size_t line_end(std::size_t at) const;
    std::size_t after_newline(std::size_t at) const;
    std::size_t before(std::size_t at) const;
    std::size_t after(std::size_t at) const;
    std::size_t word_before(std::size_t at) const;
    std::size_t word_after(std::size_t at) const;

    Lines lines_;
    std::string text_;
    std::size_t cursor_ = 0;
    std::vector<Step> undone_;
    std::vector<Step> done_;
    Edit last_edit_ = Edit::none;
};

// The text in lines of at most `cells`, each as it is shown, and where the cursor stands in them.
struct EditorLayout {
    std::vector<std::string> lines;
    Position cursor = {};
};
EditorLayout lay_out(const TextEditor& editor, int cells, Charset charset);

}  // namespace parley
