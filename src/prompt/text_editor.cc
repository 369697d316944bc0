// SPDX-License-Identifier: Apache-2.0
#include "prompt/text_editor.h"

#include <algorithm>
#include <utility>

#include "core/limits.h"
#include "prompt/limits.h"
#include "text/safe_text.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {

namespace {

using Code = Key::Code;

constexpr int kTabCells = 4;

bool is_word_space(char c) {
    return c == ' ' || c == '\n' || c == '\t';
}

std::string on_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace

bool TextEditor::is_blank() const {
    return parley::is_blank(text_);
}

bool TextEditor::press(const Key& key) {
    switch (key.code) {
        case Code::text:
            if (key.is_ctrl) return press_control(key);
            if (key.is_alt) return press_alt(key);
            remember(key.text == " " ? Edit::other : Edit::typing);
            insert(key.text);
            return true;
        case Code::paste:
            remember(Edit::pasting);
            insert(key.text);
            return true;
        case Code::enter:
            if (lines_ == Lines::one || (!key.is_alt && !key.is_shift)) return false;
            remember(Edit::other);
            insert("\n");
            return true;
        case Code::backspace:
            remember(Edit::deleting);
            erase(key.is_alt || key.is_ctrl ? word_before(cursor_) : before(cursor_), cursor_);
            return true;
        case Code::del:
            remember(Edit::deleting);
            erase(cursor_, key.is_alt || key.is_ctrl ? word_after(cursor_) : after(cursor_));
            return true;
        default: return press_move(key);
    }
}

bool TextEditor::press_control(const Key& key) {
    if (key.is_alt) return false;
    const char letter = key.text.size() == 1 ? key.text.front() : '\0';
    switch (letter) {
        case 'a': move(line_start(cursor_)); return true;
        case 'b': move(before(cursor_)); return true;
        case 'f': move(after(cursor_)); return true;
        case 'j':
            if (lines_ == Lines::one) return false;
            remember(Edit::other);
            insert("\n");
            return true;
        case 'd':
            remember(Edit::deleting);
            erase(cursor_, after(cursor_));
            return true;
        case 'k':
            remember(Edit::other);
            erase(cursor_, std::max(line_end(cursor_), after_newline(cursor_)));
            return true;
        case 'u':
            remember(Edit::other);
            erase(line_start(cursor_), cursor_);
            return true;
        case 'w':
            remember(Edit::other);
            erase(word_before(cursor_), cursor_);
            return true;
        case 'y': redo(); return true;
        case '_': undo(); return true;
        default: return false;
    }
}

bool TextEditor::press_alt(const Key& key) {
    if (key.text == "b") {
        move(word_before(cursor_));
    } else if (key.text == "f") {
        move(word_after(cursor_));
    } else if (key.text == "d") {
        remember(Edit::other);
        erase(cursor_, word_after(cursor_));
    } else if (key.text == "u") {
        undo();
    } else if (key.text == "r") {
        redo();
    } else {
        return false;
    }
    return true;
}

bool TextEditor::press_move(const Key& key) {
    const bool by_word = key.is_alt || key.is_ctrl;
    switch (key.code) {
        case Code::left: move(by_word ? word_before(cursor_) : before(cursor_)); return true;
        case Code::right: move(by_word ? word_after(cursor_) : after(cursor_)); return true;
        case Code::home: move(by_word ? 0 : line_start(cursor_)); return true;
        case Code::end: move(by_word ? text_.size() : line_end(cursor_)); return true;
        case Code::up: move_line(-1); return true;
        case Code::down: move_line(1); return true;
        default: return false;
    }
}

void TextEditor::insert(std::string_view text) {
    std::string added = normalize_newlines(text);
    if (lines_ == Lines::one) added = on_one_line(std::move(added));
    const std::size_t room =
        limits::kAnswerTextBytes - std::min(text_.size(), limits::kAnswerTextBytes);
    while (added.size() > room) {
        // Whole characters only; a byte of the middle of one is never the first of a cut.
        std::size_t cut = room;
        while (cut > 0 && (static_cast<unsigned char>(added[cut]) & 0xc0) == 0x80) --cut;
        added.resize(cut);
    }
    text_.insert(cursor_, added);
    cursor_ += added.size();
}

void TextEditor::replace(std::string_view text) {
    last_edit_ = Edit::none;
    remember(Edit::other);
    text_.clear();
    cursor_ = 0;
    insert(text);
}

// Typing a word, holding Backspace, or a paste that comes in pieces, is one step.
void TextEditor::remember(Edit edit) {
    const bool goes_on = edit == last_edit_ && edit != Edit::other;
    last_edit_ = edit;
    undone_.clear();
    if (goes_on) return;
    done_.push_back({text_, cursor_});
    std::size_t bytes = 0;
    for (const Step& step : done_) bytes += step.text.size();
    while (done_.size() > 1 && (done_.size() > limits::kUndoSteps || bytes > limits::kUndoBytes)) {
        bytes -= done_.front().text.size();
        done_.erase(done_.begin());
    }
}

void TextEditor::undo() {
    last_edit_ = Edit::none;
    if (done_.empty()) return;
    undone_.push_back({std::exchange(text_, std::move(done_.back().text)),
                       std::exchange(cursor_, done_.back().cursor)});
    done_.pop_back();
}

void TextEditor::redo() {
    last_edit_ = Edit::none;
    if (undone_.empty()) return;
    done_.push_back({std::exchange(text_, std::move(undone_.back().text)),
                     std::exchange(cursor_, undone_.back().cursor)});
    undone_.pop_back();
}

void TextEditor::erase(std::size_t from, std::size_t to) {
    text_.erase(from, to - from);
    cursor_ = from;
}

void TextEditor::move(std::size_t to) {
    cursor_ = to;
    last_edit_ = Edit::none;
}

void TextEditor::move_line(int down) {
    const std::size_t start = line_start(cursor_);
    std::size_t target = start;
    if (down < 0) {
        if (start == 0) return move(0);
        target = line_start(start - 1);
    } else {
        const std::size_t end = line_end(cursor_);
        if (end == text_.size()) return move(end);
        target = end + 1;
    }
    const int column = text_width(std::string_view(text_).substr(start, cursor_ - start));
    const std::size_t end = line_end(target);
    std::size_t at = target;
    while (at < end && text_width(std::string_view(text_).substr(target, at - target)) < column)
        at = after(at);
    move(at);
}

std::size_t TextEditor::line_start(std::size_t at) const {
    const std::size_t newline = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
    return newline == std::string::npos ? 0 : newline + 1;
}

std::size_t TextEditor::line_end(std::size_t at) const {
    return std::min(text_.find('\n', at), text_.size());
}

std::size_t TextEditor::after_newline(std::size_t at) const {
    return at < text_.size() && text_[at] == '\n' ? at + 1 : at;
}

std::size_t TextEditor::before(std::size_t at) const {
    if (at == 0) return 0;
    std::size_t from = line_start(at);
    if (from == at) return at - 1;
    while (from < at) {
        const std::size_t next = from + utf8::cluster_bytes(std::string_view(text_).substr(from));
        if (next >= at) break;
        from = next;
    }
    return from;
}

std::size_t TextEditor::after(std::size_t at) const {
    return at + utf8::cluster_bytes(std::string_view(text_).substr(at));
}

std::size_t TextEditor::word_before(std::size_t at) const {
    while (at > 0 && is_word_space(text_[at - 1])) --at;
    while (at > 0 && !is_word_space(text_[at - 1])) --at;
    return at;
}

std::size_t TextEditor::word_after(std::size_t at) const {
    while (at < text_.size() && is_word_space(text_[at])) ++at;
    while (at < text_.size() && !is_word_space(text_[at])) ++at;
    return at;
}

namespace {

bool is_ascii(char byte) {
    return static_cast<unsigned char>(byte) < 0x80;
}

bool is_plain(char byte) {
    return byte >= ' ' && byte <= '~';
}

// Fills lines cluster by cluster and breaks them after a space where there is one.
class LayOut {
public:
    LayOut(int cells, std::size_t cursor) : cells_(std::max(cells, 2)), wanted_(cursor) {}

    void add(std::string_view shown, std::size_t bytes, bool can_break) {
        note_cursor();
        // What is shown by its number may be longer than a line.
        for (std::string_view rest = shown; !rest.empty();) {
            const bool fits = text_width(rest) <= cells_;
            put(fits ? rest : rest.substr(0, utf8::cluster_bytes(rest)));
            rest.remove_prefix(fits ? rest.size() : utf8::cluster_bytes(rest));
        }
        seen_ += bytes;
        if (can_break) {
            break_at_ = line_.size();
            break_column_ = column_;
        }
    }
    // The same for what most texts consist of: a letter, sign or space of ASCII.
    void add_ascii(char letter) {
        note_cursor();
        if (column_ + 1 > cells_) break_line();
        line_ += letter;
        ++column_;
        ++seen_;
        if (letter == ' ') {
            break_at_ = line_.size();
            break_column_ = column_;
        }
    }
    void new_line() {
        note_cursor();
        push();
        ++seen_;
    }
    EditorLayout finish() {
        note_cursor();
        push();
        // A cursor behind the last cell of a line stands on the next one.
        if (layout_.cursor.column >= cells_) {
            layout_.cursor = {layout_.cursor.row + 1, 0};
            if (layout_.cursor.row == static_cast<int>(layout_.lines.size()))
                layout_.lines.emplace_back();
        }
        return std::move(layout_);
    }

private:
    void put(std::string_view shown) {
        const int width = text_width(shown);
        while (column_ > 0 && column_ + width > cells_) break_line();
        line_ += shown;
        column_ += width;
    }
    void note_cursor() {
        if (seen_ == wanted_) layout_.cursor = {static_cast<int>(layout_.lines.size()), column_};
    }
    void push() {
        layout_.lines.push_back(std::move(line_));
        line_.clear();
        column_ = 0;
        break_at_ = 0;
        break_column_ = 0;
    }
    void break_line() {
        std::string rest = break_at_ > 0 ? line_.substr(break_at_) : std::string();
        const int kept = break_at_ > 0 ? break_column_ : column_;
        const int row = static_cast<int>(layout_.lines.size());
        if (break_at_ > 0) line_.resize(break_at_);
        push();
        line_ = std::move(rest);
        column_ = text_width(line_);
        if (layout_.cursor.row == row && layout_.cursor.column >= kept && seen_ >= wanted_)
            layout_.cursor = {row + 1, layout_.cursor.column - kept};
    }

    const int cells_;
    const std::size_t wanted_;
    std::size_t seen_ = 0;
    std::string line_;
    int column_ = 0;
    std::size_t break_at_ = 0;
    int break_column_ = 0;
    EditorLayout layout_;
};

}  // namespace

EditorLayout lay_out(const TextEditor& editor, int cells, Charset charset) {
    LayOut layout(cells, editor.cursor());
    std::string_view rest = editor.text();
    while (!rest.empty()) {
        // Nothing combines with what stands before another character of ASCII.
        if (is_plain(rest[0]) && (rest.size() == 1 || is_ascii(rest[1]))) {
            layout.add_ascii(rest[0]);
            rest.remove_prefix(1);
            continue;
        }
        const std::size_t bytes = utf8::cluster_bytes(rest);
        const std::string_view cluster = rest.substr(0, bytes);
        rest.remove_prefix(bytes);
        if (cluster == "\n") {
            layout.new_line();
        } else if (cluster == "\t") {
            layout.add(std::string(kTabCells, ' '), bytes, true);
        } else {
            const std::string safe = escape_unsafe(cluster);
            layout.add(charset == Charset::ascii ? to_ascii(safe) : safe, bytes, cluster == " ");
        }
    }
    return layout.finish();
}

}  // namespace parley
