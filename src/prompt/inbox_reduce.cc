// SPDX-License-Identifier: Apache-2.0
// What each key does on each screen of the inbox.
#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "prompt/inbox_state.h"

namespace parley {

namespace {

using Code = Key::Code;
using Kind = InboxEffect::Kind;

constexpr std::size_t kPageRows = 10;
constexpr auto kSnoozeShort = std::chrono::minutes(10);
constexpr auto kSnoozeLong = std::chrono::hours(1);

class Reducer {
public:
    Reducer(InboxState& state, const InboxNow& now) : state_(state), now_(now) {}

    InboxEffect press(const Key& key) {
        if (key.is(Code::focus_in) || key.is(Code::focus_out)) return {};
        if (key.is_ctrl_char("z")) return {.kind = Kind::suspend};
        if (key.is_ctrl_char("c")) return leave_with(Kind::interrupt);
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
    // What was typed is kept by the broker before the inbox goes.
    InboxEffect leave_with(Kind kind) {
        InboxEffect effect = draft();
        effect.kind = kind;
        return effect;
    }
    InboxEffect draft() const {
        const PromptState* prompt = state_.prompt();
        if (prompt == nullptr || !prompt->is_touched() || !state_.opened_ask()) return {};
        return {.kind = Kind::keep_draft, .ask = *state_.opened, .answers = prompt->answers()};
    }

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
        if (key.is(Code::escape)) state_.search.clear();
        if (rows.empty()) return {};
        const AskPtr& here = rows[state_.selected_row(rows)];
        if (key.is(Code::enter) || key.is(Code::right)) return open(here);
        if (key.is_char("s")) return snooze(here, kSnoozeShort);
        if (key.is_char("S")) return snooze(here, kSnoozeLong);
        if (key.is_char("d")) return start_dismissal(here);
        return {};
    }

    std::optional<std::size_t> moved(const Key& key, std::size_t row, std::size_t count) const {
        if (!key.is_plain()) return std::nullopt;
        const std::size_t last = count == 0 ? 0 : count - 1;
        if (key.is(Code::up) || key.is_char("k")) return row == 0 ? last : row - 1;
        if (key.is(Code::down) || key.is_char("j")) return row >= last ? 0 : row + 1;
        if (key.is(Code::home) || key.is_char("g")) return 0;
        if (key.is(Code::end) || key.is_char("G")) return last;
        if (key.is(Code::page_up)) return row - std::min(row, kPageRows);
        if (key.is(Code::page_down)) return std::min(row + kPageRows, last);
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

    InboxEffect open(const AskPtr& ask) {
        const bool is_new = !state_.prompts.contains(ask->id);
        state_.open(ask);
        return {.kind = is_new ? Kind::find_draft : Kind::none, .ask = ask->id};
    }

    InboxEffect snooze(const AskPtr& ask, Millis period) {
        // The next one is in hand then, not the first.
        const std::vector<AskPtr> rows = state_.rows(now_.wall);
        const std::size_t row = state_.selected_row(rows);
        if (row + 1 < rows.size()) state_.selected = rows[row + 1]->id;
        state_.snoozed_until[ask->id] = now_.wall + period;
        return {.kind = Kind::snooze, .ask = ask->id, .period = period};
    }

    InboxEffect start_dismissal(const AskPtr& ask) {
        if (!ask->spec->dismissible) {
            state_.notice = "The asker does not let this be dismissed.";
            return {};
        }
        const InboxEffect effect = open(ask);
        PromptState& prompt = *state_.prompt();
        if (prompt.mode != PromptMode::dismissing) prompt.under = prompt.mode;
        prompt.mode = PromptMode::dismissing;
        state_.is_dismissing_from_list = true;
        return effect;
    }

    InboxEffect search(const Key& key) {
        if (key.is(Code::enter)) {
            state_.is_searching = false;
        } else if (key.is(Code::escape)) {
            state_.is_searching = false;
            state_.search.clear();
        } else if (key.is(Code::backspace)) {
            drop_last_character(state_.search);
        } else if (key.is(Code::up) || key.is(Code::down)) {
            return list(key);
        } else if (key.is_typed() && state_.search.size() < limits::kSearchChars) {
            state_.search += key.text;
        }
        return {};
    }

    InboxEffect ask(const Key& key) {
        PromptState* prompt = state_.prompt();
        if (prompt == nullptr || !state_.ended.empty()) {
            state_.close();
            return {};
        }
        PromptEffect effect = reduce(*prompt, key, now_.mono);
        const AskId id = *state_.opened;
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
                InboxEffect kept = draft();
                state_.close();
                return kept;
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
