// SPDX-License-Identifier: Apache-2.0
// What each key does in each mode.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/display.h"
#include "core/text_rules.h"
#include "prompt/limits.h"
#include "prompt/prompt_state.h"

namespace parley {

namespace {

using Code = Key::Code;
using Kind = PromptEffect::Kind;

constexpr std::string_view kNothingMatches = "Nothing matches; Esc clears the filter.";

class Reducer {
public:
    Reducer(PromptState& state, Mono now) : state_(state), now_(now) {}

    PromptEffect press(const Key& key) {
        if (key.is_ctrl_char("c")) return {.kind = Kind::interrupt};
        if (key.is_ctrl_char("z")) return {.kind = Kind::suspend};
        if (key.is(Code::focus_in) || key.is(Code::focus_out)) return {};
        if (state_.mode == PromptMode::sending) return {};
        state_.notice.clear();
        if (is_enter(key)) {
            if (state_.guard.is_held(key, now_)) return say(std::string(kHeldKeyNotice));
            is_seen_ = state_.shown == state_.picture();
        } else {
            state_.guard.let_go();
        }
        if (state_.scroll(key)) return {};
        if (key.is_ctrl_char("t") && state_.offered) return take_offer();
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
    // With Alt or Shift it is a new line in a text, and nothing elsewhere.
    static bool is_enter(const Key& key) {
        return key.is(Code::enter) && key.is_plain() && !key.is_shift;
    }

    QuestionState& question() { return state_.current(); }
    bool is_multi() const { return state_.question().multi_select; }

    PromptEffect say(std::string text) {
        state_.notice = std::move(text);
        return {};
    }

    PromptEffect take_offer() {
        state_.restore(*std::exchange(state_.offered, std::nullopt));
        state_.guard.appeared(now_);
        return {};
    }

    PromptEffect choose(const Key& key) {
        QuestionState& at = question();
        if (at.is_text_only()) return choose_to_type(key);
        if (move(key)) return {};
        if (is_enter(key)) return confirm(key);
        if (key.is(Code::escape)) return leave();
        if (is_question_move(key)) return go_to_question(key);
        if (key.is_ctrl_char("e")) return open_editor();
        if (key.is_alt_char("o")) return open_text(nullptr);
        if (key.is_alt_char("n")) return open_note();
        if (key.is_alt_char("?")) return help();
        if (key.is_ctrl_char(" ")) return toggle();
        if (key.is_ctrl_char("a") && is_multi()) {
            at.toggle_all();
            return {};
        }
        if (at.has_filter()) return filter(key);
        if (key.is_char(" ")) return toggle();
        const bool is_text = key.is_typed() || key.is(Code::paste);
        if (at.rows[at.cursor].opens_text && is_text && !goes_on_moving(key))
            return open_text(&key);
        return key.is_typed() ? obey(key.text) : PromptEffect{};
    }

    bool move(const Key& key) {
        const std::size_t row = question().cursor;
        if (!question().move(key)) return false;
        if (question().cursor != row) state_.preview_scroll = 0;
        return true;
    }

    // Digits pick. A letter that begins a label goes there; the others mean what they always do.
    PromptEffect obey(const std::string& letter) {
        QuestionState& at = question();
        if (letter >= "1" && letter <= "9" && letter.size() == 1)
            return pick_number(static_cast<std::size_t>(letter.front() - '1'));
        const std::size_t row = at.cursor;
        if (at.go_to_letter(letter)) {
            if (at.cursor != row) state_.preview_scroll = 0;
            return {};
        }
        if (letter == "o") return open_text(nullptr);
        if (letter == "?") return help();
        if (letter != "j" && letter != "k") return {};
        (void)move({.code = letter == "j" ? Code::down : Code::up});
        at.came_by_letter = true;
        return {};
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

    PromptEffect pick_number(std::size_t row) {
        QuestionState& at = question();
        if (row >= at.rows.size()) return say(fmt::format("There is no number {}.", row + 1));
        if (at.cursor != row) state_.preview_scroll = 0;
        at.go_to(row);
        return toggle();
    }
    PromptEffect toggle() {
        QuestionState& at = question();
        const std::size_t row = at.cursor;
        if (!at.shows(row)) return say(std::string(kNothingMatches));
        if (at.rows[row].opens_text && at.other.is_blank() && !at.picked[row])
            return open_text(nullptr);
        at.toggle(row);
        return {};
    }

    PromptEffect confirm(const Key& key) {
        QuestionState& at = question();
        const bool on_text_row = at.rows[at.cursor].opens_text;
        if (!at.shows(at.cursor)) return say(std::string(kNothingMatches));
        if (is_multi()) {
            if (state_.is_ready(state_.index)) return advance();
            if (state_.is_answered(state_.index))
                return say(fmt::format("Not yet: this {}.", state_.why_unready(state_.index)));
            if (on_text_row) return open_text(nullptr);
            return say("Nothing is chosen yet: Space chooses.");
        }
        if (on_text_row && at.other.is_blank() && !at.picked[at.cursor]) return open_text(nullptr);
        const bool chooses = !at.picked[at.cursor];
        if (chooses) at.toggle(at.cursor);
        PromptEffect effect = advance();
        // Enter that both chooses and goes on does so once: held down it would answer all.
        if (chooses && state_.has_review()) state_.guard.used(key, now_);
        return effect;
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
        state_.review_cursor = state_.first_unready().value_or(state_.questions.size());
        return {};
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
        at.go_to(*row);
        at.filter.clear();
        state_.mode = PromptMode::typing;
        return key != nullptr ? type(*key) : PromptEffect{};
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
        if (is_enter(key)) return end_text();
        // Up from the first line goes on among the choices.
        const bool is_first_line = at.other.text().find('\n') >= at.other.cursor();
        if (key.is(Code::up) && key.is_plain() && !at.is_text_only() && is_first_line) {
            state_.mode = PromptMode::choosing;
            (void)move(key);
            return {};
        }
        if (state_.type_into(at.other, key)) at.text_changed();
        return {};
    }
    PromptEffect end_text() {
        QuestionState& at = question();
        if (at.is_text_only()) {
            if (!state_.is_ready(state_.index)) return say("Nothing was typed yet.");
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
        if (is_enter(key) || key.is(Code::escape)) {
            state_.mode = question().is_text_only() ? PromptMode::typing : PromptMode::choosing;
            return {};
        }
        (void)state_.type_into(question().note, key);
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
        } else if (is_enter(key)) {
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
        if (!is_enter(key)) {
            (void)state_.type_into(state_.reason, key);
            return {};
        }
        if (is_refused()) return {};
        state_.mode = PromptMode::sending;
        PromptEffect effect{.kind = Kind::dismiss};
        const std::string_view reason = trim_blanks(state_.reason.text());
        if (!reason.empty()) effect.reason = reason;
        return effect;
    }

    // Every printable key is part of it, except what a list of several choices needs to choose.
    PromptEffect filter(const Key& key) {
        QuestionState& at = question();
        if (key.is_char(" ") && is_multi() && at.filter.empty()) return toggle();
        auto wanted = at.filter_after(key);
        if (!wanted) return {};
        if (wanted->size() > limits::kSearchChars) return say("That is too long to look for.");
        at.narrow(std::move(*wanted));
        state_.preview_scroll = 0;
        return {};
    }

    // The key was meant for another picture: for what stood here before this prompt came up, or for
    // what was shown before it changed.
    bool is_refused() {
        if (state_.guard.is_too_soon(now_)) {
            state_.notice = "That came too soon to be meant: press it again.";
            return true;
        }
        if (is_seen_) return false;
        state_.notice = "This has just changed: look again, then press Enter.";
        return true;
    }
    PromptEffect send() {
        if (const auto unready = state_.first_unready()) {
            state_.review_cursor = *unready;
            return say(
                fmt::format("Not sent: {} {}.",
                            shown_header(state_.spec->questions[*unready], state_.options.profile),
                            state_.why_unready(*unready)));
        }
        if (is_refused()) return {};
        if (state_.must_read_first()) return say(state_.what_to_read());
        state_.mode = PromptMode::sending;
        return {.kind = Kind::answer, .answers = state_.answers()};
    }

    PromptState& state_;
    const Mono now_;
    bool is_seen_ = false;  // the last picture shows what Enter does now
};

}  // namespace

PromptEffect reduce(PromptState& state, const Key& key, Mono now) {
    return Reducer(state, now).press(key);
}

}  // namespace parley
