// SPDX-License-Identifier: Apache-2.0
// What each key does on each screen of the inbox.
#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "core/limits.h"
#include "core/text_rules.h"
#include "prompt/inbox_state.h"
#include "prompt/limits.h"

namespace parley {

namespace {

using Code = Key::Code;
using Kind = InboxEffect::Kind;

class Reducer {
public:
    Reducer(InboxState& state, const InboxNow& now) : state_(state), now_(now) {}

    InboxEffect press(const Key& key) {
        if (key.is(Code::focus_in) || key.is(Code::focus_out)) return {};
        if (key.is_ctrl_char("z")) return {.kind = Kind::suspend};
        if (key.is_ctrl_char("c")) return {.kind = Kind::interrupt};
        // Held down, Enter that opened or settled one ask does not go on with it or the next.
        if (state_.guard.is_held(key, now_.mono)) {
            (state_.prompt() != nullptr ? state_.prompt()->notice : state_.notice) = kHeldKeyNotice;
            return {};
        }
        state_.notice.clear();
        switch (state_.screen) {
            case InboxScreen::list: return state_.is_searching ? search(key) : list(key);
            case InboxScreen::ask: return ask(key);
            case InboxScreen::history: return history(key);
            case InboxScreen::help: state_.screen = state_.under_help; return {};
        }
        return {};
    }

private:
    InboxEffect list(const Key& key) {
        const std::vector<AskPtr> rows = state_.rows(now_.wall);
        if (const auto row = moved(key, state_.selected_row(rows), rows.size())) {
            if (!rows.empty()) state_.selected = rows[*row]->id;
            return {};
        }
        if (key.is_char("q")) return {.kind = Kind::quit};
        if (key.is_char("/")) state_.is_searching = true;
        if (key.is_char("h") || key.is(Code::tab)) state_.screen = InboxScreen::history;
        if (key.is_char("?")) help();
        if (key.is_char("z")) show_snoozed();
        if (key.is(Code::escape)) look_for({});
        if (rows.empty() || !acts(key)) return {};
        const AskPtr& here = rows[state_.selected_row(rows)];
        if (is_refused(here->id)) return {};
        const bool is_snoozed = state_.is_snoozed(here->id, now_.wall);
        if (key.is_char("s")) return is_snoozed ? wake(here) : snooze(here, limits::kUsualSnooze);
        if (key.is_char("S")) return snooze(here, limits::kLongSnooze);
        if (key.is_char("d")) return start_dismissal(here, key);
        return open(here, key);
    }

    // The keys of the list that do something to the ask in hand.
    static bool acts(const Key& key) {
        if (!key.is_plain() || key.is_shift) return false;
        return key.is(Code::enter) || key.is(Code::right) || key.is_char("s") || key.is_char("S") ||
               key.is_char("d");
    }
    // A key that was pressed on another picture than the one that shows this ask in hand.
    bool is_refused(AskId here) {
        if (!state_.has_snapshot || state_.shown != here || state_.guard.is_too_soon(now_.mono)) {
            state_.notice = "The list has just changed: look again, then press it.";
            return true;
        }
        return false;
    }

    std::optional<std::size_t> moved(const Key& key, std::size_t row, std::size_t count) const {
        if (!key.is_plain()) return std::nullopt;
        const std::size_t last = count == 0 ? 0 : count - 1;
        if (key.is(Code::up) || key.is_char("k")) return row == 0 ? last : row - 1;
        if (key.is(Code::down) || key.is_char("j")) return row >= last ? 0 : row + 1;
        if (key.is(Code::home) || key.is_char("g")) return 0;
        if (key.is(Code::end) || key.is_char("G")) return last;
        // One row of the last page stays in sight.
        const std::size_t page = std::max<std::size_t>(state_.page_rows, 2) - 1;
        if (key.is(Code::page_up)) return row - std::min(row, page);
        if (key.is(Code::page_down)) return std::min(row + page, last);
        return std::nullopt;
    }

    void help() {
        state_.under_help = state_.screen;
        state_.screen = InboxScreen::help;
    }

    void show_snoozed() {
        state_.shows_snoozed = !state_.shows_snoozed;
        if (state_.snoozed(now_.wall) > 0) return;
        state_.shows_snoozed = false;
        state_.notice = "Nothing is snoozed.";
    }

    InboxEffect open(const AskPtr& ask, const Key& key) {
        state_.open(ask);
        state_.prompt()->guard.appeared(now_.mono);
        // The other keys that open are letters of a text then.
        if (key.is(Code::enter)) state_.guard.used(key, now_.mono);
        return {};
    }

    InboxEffect snooze(const AskPtr& ask, Millis period) {
        // The neighbour is in hand then, not the first.
        const std::vector<AskPtr> rows = state_.rows(now_.wall);
        const std::size_t row = state_.selected_row(rows);
        if (!state_.shows_snoozed && row + 1 < rows.size()) {
            state_.selected = rows[row + 1]->id;
        } else if (!state_.shows_snoozed && row > 0) {
            state_.selected = rows[row - 1]->id;
        }
        const auto before = snoozed_before(ask->id);
        state_.snoozed_until[ask->id] = now_.wall + period;
        return {.kind = Kind::snooze, .ask = ask->id, .period = period, .snoozed_before = before};
    }

    std::optional<Instant> snoozed_before(AskId id) const {
        const auto found = state_.snoozed_until.find(id);
        return found == state_.snoozed_until.end() ? std::nullopt : std::optional(found->second);
    }

    InboxEffect wake(const AskPtr& ask) {
        const auto before = snoozed_before(ask->id);
        state_.snoozed_until.erase(ask->id);
        state_.notice = "It waits again.";
        return {.kind = Kind::snooze,
                .ask = ask->id,
                .period = Millis::zero(),
                .snoozed_before = before};
    }

    InboxEffect start_dismissal(const AskPtr& ask, const Key& key) {
        if (!ask->spec->dismissible) {
            state_.notice = "The asker does not let this be dismissed.";
            return {};
        }
        (void)open(ask, key);
        PromptState& prompt = *state_.prompt();
        if (prompt.mode != PromptMode::dismissing) prompt.under = prompt.mode;
        prompt.mode = PromptMode::dismissing;
        state_.is_dismissing_from_list = true;
        return {};
    }

    InboxEffect search(const Key& key) {
        std::string wanted = state_.search;
        if (key.is(Code::enter)) {
            state_.is_searching = false;
        } else if (key.is(Code::escape)) {
            state_.is_searching = false;
            wanted.clear();
        } else if (key.is(Code::backspace)) {
            drop_last_character(wanted);
        } else if (key.is(Code::up) || key.is(Code::down)) {
            return list(key);
        } else if (key.is_typed()) {
            wanted += key.text;
        } else if (key.is(Code::paste)) {
            wanted += trim_blanks(key.text);
            std::ranges::replace(wanted, '\n', ' ');
        }
        if (wanted.size() > limits::kSearchChars) {
            state_.notice = "That is too long to look for.";
        } else if (wanted != state_.search) {
            look_for(std::move(wanted));
        }
        return {};
    }
    // What the search does not show is not in hand; the first that it does show is.
    void look_for(std::string wanted) {
        state_.search = std::move(wanted);
        const std::vector<AskPtr> rows = state_.rows(now_.wall);
        if (!rows.empty()) state_.selected = rows[state_.selected_row(rows)]->id;
    }

    InboxEffect ask(const Key& key) {
        PromptState* prompt = state_.prompt();
        if (prompt == nullptr || !state_.ended.empty()) {
            // It ended under the person's fingers: what they type on is not for the list.
            if (prompt != nullptr && prompt->scroll(key)) return {};
            if (key.is(Code::escape)) state_.close();
            return {};
        }
        ASSERT(state_.opened);
        const AskId id = *state_.opened;
        if (state_.shown != id) prompt->shown.reset();
        PromptEffect effect = reduce(*prompt, key, now_.mono);
        if (effect_settles(effect)) state_.guard.used(key, now_.mono);
        const bool is_given_up = state_.is_dismissing_from_list && !effect_settles(effect) &&
                                 prompt->mode != PromptMode::dismissing &&
                                 prompt->mode != PromptMode::sending;
        if (is_given_up) effect.kind = PromptEffect::Kind::close;
        switch (effect.kind) {
            case PromptEffect::Kind::answer:
                state_.has_decided = true;
                return {.kind = Kind::answer, .ask = id, .answers = std::move(effect.answers)};
            case PromptEffect::Kind::dismiss:
                state_.has_decided = true;
                return {.kind = Kind::dismiss, .ask = id, .reason = std::move(effect.reason)};
            case PromptEffect::Kind::open_editor:
                return {.kind = Kind::open_editor, .ask = id, .text = std::move(effect.text)};
            case PromptEffect::Kind::close: {
                state_.close();
                if (!state_.unsaved(id)) return {};
                return {.kind = Kind::keep_draft, .ask = id};
            }
            default: return {};
        }
    }

    static bool effect_settles(const PromptEffect& effect) {
        return effect.kind == PromptEffect::Kind::answer ||
               effect.kind == PromptEffect::Kind::dismiss;
    }

    InboxEffect history(const Key& key) {
        if (const auto row = moved(key, state_.history_cursor, state_.settled.size())) {
            state_.history_cursor = *row;
        } else if (key.is_char("?")) {
            help();
        } else if (key.is_char("q") || key.is_char("h") || key.is(Code::escape) ||
                   key.is(Code::tab) || key.is(Code::left)) {
            state_.screen = InboxScreen::list;
        }
        return {};
    }

    InboxState& state_;
    const InboxNow& now_;
};

}  // namespace

InboxEffect reduce(InboxState& state, const Key& key, const InboxNow& now) {
    return Reducer(state, now).press(key);
}

}  // namespace parley
