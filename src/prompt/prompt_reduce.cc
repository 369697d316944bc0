// SPDX-License-Identifier: Apache-2.0
// What each key does in each mode.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "core/display.h"
#include "core/text_rules.h"
#include "prompt/prompt_state.h"

namespace parley {

namespace {

using Code = Key::Code;
using Kind = PromptEffect::Kind;

class Reducer {
public:
    Reducer(PromptState& state, Mono now) : state_(state), now_(now) {}

    PromptEffect press(const Key& key) {
        if (key.is_ctrl_char("c")) return {.kind = Kind::interrupt};
        if (key.is_ctrl_char("z")) return {.kind = Kind::suspend};
        if (key.is(Code::focus_in) || key.is(Code::focus_out)) return {};
        if (state_.mode == PromptMode::sending) return {};
        state_.notice.clear();
        if (state_.scroll(key)) return {};
        switch (state_.mode) {
            case PromptMode::choosing: return choose(key);
            case PromptMode::typing: return type(key);
            case PromptMode::noting: return note(key);
            case PromptMode::reviewing: return review(key);
            case PromptMode::dismissing: return dismiss(key);
            case PromptMode::helping:
            case PromptMode::folded:
                state_.mode = state_.under;
                state_.preview_scroll = 0;
                return {};
            case PromptMode::sending: break;
        }
        return {};
    }

private:
    QuestionState& question() { return state_.current(); }
    bool is_multi() const { return state_.question().multi_select; }

    PromptEffect say(std::string text) {
        state_.notice = std::move(text);
        return {};
    }

    PromptEffect choose(const Key& key) {
        QuestionState& at = question();
        if (at.is_text_only()) return choose_to_type(key);
        const bool on_text_row = at.rows[at.cursor].opens_text && at.filter.empty();
        if (key.is(Code::up)) return move(-1, false);
        if (key.is(Code::down)) return move(1, false);
        if (key.is(Code::home)) return go_to_row(0, 1);
        if (key.is(Code::end)) return go_to_row(at.rows.size() - 1, -1);
        if (key.is(Code::enter)) return confirm();
        if (key.is(Code::escape)) return leave();
        if (is_question_move(key)) return go_to_question(key);
        if (key.is_ctrl_char("e")) return open_editor();
        if (key.is_alt_char("o")) return open_text(nullptr);
        if (key.is_alt_char("n")) return open_note();
        if (key.is_char(" ") && (at.filter.empty() || is_multi())) return toggle();
        if (on_text_row && (key.is_typed() || key.is(Code::paste)) && !goes_on_moving(key))
            return open_text(&key);
        if (const auto letter = as_letter(key)) return obey(*letter);
        if (at.has_filter()) return filter(key);
        return {};
    }

    // The letters that mean something; with a filter they are part of it.
    static constexpr std::string_view kLetters = "jkon?123456789";
    std::optional<char> as_letter(const Key& key) {
        if (!key.is_typed() || key.text.size() != 1) return std::nullopt;
        const char letter = key.text.front();
        const bool is_pick = (letter >= '1' && letter <= '9') || letter == '?';
        if (question().has_filter() && (!is_pick || !question().filter.empty()))
            return std::nullopt;
        if (kLetters.find(letter) == std::string_view::npos) return std::nullopt;
        return letter;
    }
    PromptEffect obey(char letter) {
        switch (letter) {
            case 'j': return move(1, true);
            case 'k': return move(-1, true);
            case 'o': return open_text(nullptr);
            case 'n': return open_note();
            case '?': return help();
            default: return pick_number(static_cast<std::size_t>(letter - '1'));
        }
    }
    // Who came to the row with j goes on with j; who came with an arrow types.
    bool goes_on_moving(const Key& key) {
        return question().came_by_letter && (key.is_char("j") || key.is_char("k"));
    }

    PromptEffect choose_to_type(const Key& key) {
        if (key.is(Code::escape)) return leave();
        if (is_question_move(key)) return go_to_question(key);
        if (key.is_ctrl_char("e")) return open_editor();
        if (key.is_char("?") && question().other.is_blank()) return help();
        state_.mode = PromptMode::typing;
        return key.is(Code::enter) ? PromptEffect{} : type(key);
    }

    PromptEffect move(int down, bool by_letter) {
        QuestionState& at = question();
        const std::size_t count = at.rows.size();
        std::size_t row = at.cursor;
        do {
            row = (row + count + (down > 0 ? 1 : count - 1)) % count;
        } while (!at.shows(row) && row != at.cursor);
        at.cursor = row;
        at.came_by_letter = by_letter;
        state_.preview_scroll = 0;
        return {};
    }
    // The first shown row from there on.
    PromptEffect go_to_row(std::size_t row, int step) {
        QuestionState& at = question();
        at.cursor = row;
        at.came_by_letter = false;
        state_.preview_scroll = 0;
        if (!at.shows(row)) return move(step, false);
        return {};
    }

    PromptEffect pick_number(std::size_t row) {
        QuestionState& at = question();
        if (row >= at.rows.size()) return say(fmt::format("There is no number {}.", row + 1));
        at.cursor = row;
        at.came_by_letter = false;
        state_.preview_scroll = 0;
        if (at.rows[row].opens_text && at.other.is_blank()) return open_text(nullptr);
        return toggle();
    }
    // One choice: it is the one. Several: in or out.
    PromptEffect toggle() {
        QuestionState& at = question();
        const std::size_t row = at.cursor;
        if (at.rows[row].opens_text && at.other.is_blank() && !at.picked[row])
            return open_text(nullptr);
        if (is_multi()) {
            at.picked[row] = !at.picked[row];
        } else {
            at.clear_picks();
            at.picked[row] = true;
        }
        return {};
    }

    PromptEffect confirm() {
        QuestionState& at = question();
        const bool on_text_row = at.rows[at.cursor].opens_text;
        if (!at.shows(at.cursor)) return say("Nothing matches; Esc clears the filter.");
        if (is_multi()) {
            if (state_.is_answered(state_.index)) return advance();
            if (on_text_row) return open_text(nullptr);
            return say("Nothing is chosen yet: Space chooses.");
        }
        if (on_text_row && at.other.is_blank()) return open_text(nullptr);
        at.clear_picks();
        at.picked[at.cursor] = true;
        return advance();
    }

    PromptEffect advance() {
        if (!state_.has_review()) return send();
        const bool is_last = state_.index + 1 == state_.questions.size();
        if (is_last || state_.was_reviewed) return go_to_review();
        go_to(state_.index + 1);
        return {};
    }

    void go_to(std::size_t index) {
        state_.index = index;
        state_.preview_scroll = 0;
        state_.mode = question().is_text_only() && question().other.is_blank()
                          ? PromptMode::typing
                          : PromptMode::choosing;
    }
    PromptEffect go_to_review() {
        state_.mode = PromptMode::reviewing;
        state_.was_reviewed = true;
        state_.review_cursor = first_unanswered().value_or(state_.questions.size());
        return {};
    }
    std::optional<std::size_t> first_unanswered() const {
        for (std::size_t i = 0; i < state_.questions.size(); ++i)
            if (!state_.is_answered(i)) return i;
        return std::nullopt;
    }

    bool is_question_move(const Key& key) const {
        return key.is(Code::tab) || (key.is_plain() && (key.is(Code::left) || key.is(Code::right)));
    }
    PromptEffect go_to_question(const Key& key) {
        const bool is_back = key.is(Code::left) || (key.is(Code::tab) && key.is_shift);
        if (!state_.has_review()) return {};
        const bool is_reviewing = state_.mode == PromptMode::reviewing;
        const std::size_t here = is_reviewing ? state_.questions.size() : state_.index;
        if (is_back) {
            if (here > 0) go_to(here - 1);
            return {};
        }
        if (is_reviewing) return {};
        if (here + 1 < state_.questions.size()) {
            go_to(here + 1);
            return {};
        }
        return go_to_review();
    }

    PromptEffect leave() {
        QuestionState& at = question();
        if (state_.mode == PromptMode::choosing && !at.filter.empty()) {
            at.filter.clear();
            return {};
        }
        if (state_.options.closes_on_escape) return {.kind = Kind::close};
        state_.under = state_.mode;
        state_.mode = state_.spec->dismissible ? PromptMode::dismissing : PromptMode::folded;
        return {};
    }
    PromptEffect help() {
        state_.under = state_.mode;
        state_.mode = PromptMode::helping;
        state_.preview_scroll = 0;
        return {};
    }

    // The free text. `key` is the first that was typed, if any.
    PromptEffect open_text(const Key* key) {
        QuestionState& at = question();
        const auto row = at.text_row();
        if (!row) return say("The asker takes no answer in other words.");
        at.cursor = *row;
        at.filter.clear();
        state_.mode = PromptMode::typing;
        return key != nullptr ? type(*key) : PromptEffect{};
    }
    void text_changed() {
        QuestionState& at = question();
        const auto row = at.text_row();
        if (!row) return;
        const bool has_text = !at.other.is_blank();
        if (has_text && !is_multi()) at.clear_picks();
        at.picked[*row] = has_text;
    }
    PromptEffect type(const Key& key) {
        QuestionState& at = question();
        if (key.is_ctrl_char("e")) return open_editor();
        if (key.is_alt_char("n")) return open_note();
        if (key.is(Code::escape)) {
            state_.mode = PromptMode::choosing;
            return {};
        }
        if (key.is(Code::tab)) {
            if (state_.has_review()) state_.mode = PromptMode::choosing;
            return state_.has_review() ? go_to_question(key) : PromptEffect{};
        }
        if (key.is(Code::enter) && !key.is_alt && !key.is_shift) return end_text();
        if (at.other.press(key)) text_changed();
        return {};
    }
    PromptEffect end_text() {
        QuestionState& at = question();
        if (at.is_text_only()) {
            if (at.other.is_blank()) return say("Nothing was typed yet.");
            return advance();
        }
        state_.mode = PromptMode::choosing;
        if (at.other.is_blank()) {
            // The agent's own "Other" is a choice without a text too.
            const std::size_t row = *at.text_row();
            if (at.rows[row].label.empty()) return say("No text was typed.");
            if (!is_multi()) at.clear_picks();
            at.picked[row] = true;
        }
        return is_multi() ? PromptEffect{} : advance();
    }

    PromptEffect open_note() {
        state_.mode = PromptMode::noting;
        return {};
    }
    PromptEffect note(const Key& key) {
        if (key.is_ctrl_char("e")) return open_editor();
        const bool ends = key.is(Code::enter) && !key.is_alt && !key.is_shift;
        if (ends || key.is(Code::escape)) {
            state_.mode = question().is_text_only() ? PromptMode::typing : PromptMode::choosing;
            return {};
        }
        (void)question().note.press(key);
        return {};
    }
    PromptEffect open_editor() {
        if (state_.mode == PromptMode::noting)
            return {.kind = Kind::open_editor, .text = question().note.text()};
        if (!question().is_text_only() && !question().text_row())
            return say("The asker takes no answer in other words.");
        return {.kind = Kind::open_editor, .text = question().other.text()};
    }

    PromptEffect review(const Key& key) {
        const std::size_t rows = state_.questions.size() + 1;
        std::size_t& cursor = state_.review_cursor;
        if (key.is(Code::up) || key.is_char("k")) {
            cursor = (cursor + rows - 1) % rows;
        } else if (key.is(Code::down) || key.is_char("j")) {
            cursor = (cursor + 1) % rows;
        } else if (key.is_typed() && key.text >= "1" && key.text <= "9" && key.text.size() == 1) {
            const auto number = static_cast<std::size_t>(key.text.front() - '1');
            if (number < state_.questions.size()) go_to(number);
        } else if (is_question_move(key)) {
            return go_to_question(key);
        } else if (key.is_char("?")) {
            return help();
        } else if (key.is(Code::escape)) {
            return leave();
        } else if (key.is(Code::enter)) {
            if (cursor < state_.questions.size()) {
                go_to(cursor);
                return {};
            }
            return send();
        }
        return {};
    }

    PromptEffect dismiss(const Key& key) {
        if (key.is(Code::escape)) {
            state_.mode = state_.under;
            return {};
        }
        if (!key.is(Code::enter)) {
            (void)state_.reason.press(key);
            return {};
        }
        if (is_stray()) return {};
        state_.mode = PromptMode::sending;
        PromptEffect effect{.kind = Kind::dismiss};
        const std::string_view reason = trim_blanks(state_.reason.text());
        if (!reason.empty()) effect.reason = reason;
        return effect;
    }

    PromptEffect filter(const Key& key) {
        QuestionState& at = question();
        if (key.is(Code::backspace)) {
            drop_last_character(at.filter);
        } else if (key.is_typed() && at.filter.size() < limits::kSearchChars) {
            at.filter += key.text;
        } else {
            return {};
        }
        if (!at.shows(at.cursor) || at.rows[at.cursor].opens_text) return go_to_row(0, 1);
        return {};
    }

    // The prompt has only just come up: the key was meant for what was there before.
    bool is_stray() {
        const auto since = state_.options.appeared_at;
        if (!since || now_ - *since >= limits::kStrayKeyGuard) return false;
        state_.notice = "That came too soon to be meant: press it again.";
        return true;
    }
    PromptEffect send() {
        if (const auto missing = first_unanswered()) {
            state_.review_cursor = *missing;
            return say(fmt::format(
                "Not sent: {} has no answer yet.",
                shown_header(state_.spec->questions[*missing], state_.options.profile)));
        }
        if (is_stray()) return {};
        if (state_.must_read_first()) return say(state_.what_to_read());
        state_.mode = PromptMode::sending;
        return {.kind = Kind::answer, .answers = state_.answers()};
    }

    PromptState& state_;
    const Mono now_;
};

}  // namespace

PromptEffect reduce(PromptState& state, const Key& key, Mono now) {
    return Reducer(state, now).press(key);
}

}  // namespace parley
