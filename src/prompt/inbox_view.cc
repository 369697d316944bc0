// SPDX-License-Identifier: Apache-2.0
#include "prompt/inbox_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "core/display.h"
#include "core/settlement_phrase.h"
#include "core/text_rules.h"
#include "prompt/inbox_words.h"
#include "prompt/limits.h"
#include "prompt/prompt_view.h"
#include "prompt/styles.h"
#include "text/time_text.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr int kRowsForDetail = 18;  // from here on the ask in hand is shown below the list
constexpr int kRowsForTitle = 16;   // below, an opened ask has the line of the title

class View {
public:
    View(InboxState& state, const InboxLook& look, Instant now)
        : state_(state),
          look_(look),
          now_(now),
          glyphs_(glyphs_of(look.charset)),
          words_(state, look, now) {}

    Picture draw() {
        Block screen;
        // It takes rows of the list, and covers nothing.
        if (state_.screen == InboxScreen::list) notice_ = words_.agent_notice();
        // Where rows are few, who asks counts more than how many wait.
        const bool is_connected = state_.link == FollowListener::State::connected;
        if (state_.screen != InboxScreen::ask || look_.rows >= kRowsForTitle || !is_connected)
            screen.add(title());
        switch (state_.screen) {
            case InboxScreen::list: add_list(screen); break;
            case InboxScreen::ask: add_ask(screen); break;
            case InboxScreen::history: add_history(screen); break;
            case InboxScreen::help: add_help(screen); break;
        }
        state_.was_shown(in_hand_);
        // The prompt brings its own line of keys.
        const bool has_foot = state_.screen != InboxScreen::ask || !state_.notice.empty();
        fill(screen, look_.rows - (has_foot ? 1 : 0) - notice_.height());
        screen.add(std::move(notice_));
        if (has_foot) screen.add(foot());
        Picture picture = to_picture(screen, look_.columns, look_.rows);
        picture.grid = padded(std::move(picture.grid));
        return picture;
    }

private:
    // A screen has all its rows, so that nothing of the last one is left.
    Grid padded(Grid grid) const {
        if (grid.rows() == look_.rows) return grid;
        Grid whole(look_.columns, look_.rows);
        for (int row = 0; row < grid.rows(); ++row)
            for (int column = 0; column < grid.columns(); ++column) {
                const Cell& cell = grid.at(row, column);
                if (cell.width > 0) whole.put({row, column}, cell.text, cell.style);
            }
        return whole;
    }
    void fill(Block& screen, int rows) const {
        if (screen.height() > rows) screen.lines.resize(static_cast<std::size_t>(rows));
        while (screen.height() < rows) screen.blank();
    }
    Line title() const {
        const std::size_t snoozed = state_.snoozed(now_);
        std::string left = fmt::format(
            "Parley  {} waiting", state_.pending.size() - std::min(snoozed, state_.pending.size()));
        if (snoozed > 0) left += fmt::format(" {} {} snoozed", glyphs_.dot, snoozed);
        const bool is_connected = state_.link == FollowListener::State::connected;
        const std::string right =
            is_connected ? fmt::format("{} connected", glyphs_.radio_on)
            : state_.link == FollowListener::State::away
                ? fmt::format("{} the broker's store is away", glyphs_.radio_off)
                : fmt::format("{} reconnecting{}", glyphs_.radio_off, glyphs_.ellipsis);
        const int gap = look_.columns - text_width(left) - text_width(right);
        if (gap < 1)
            return {{cut_to_width(is_connected ? left : right, look_.columns, glyphs_.ellipsis),
                     kBold}};
        return {{left, kBold},
                {std::string(static_cast<std::size_t>(gap), ' '), {}},
                {right, is_connected ? kGood : kWarning}};
    }

    Line foot() const {
        if (!state_.notice.empty())
            return {{cut_to_width(words_.one_line(state_.notice), look_.columns, glyphs_.ellipsis),
                     kWarning}};
        std::string keys;
        switch (state_.screen) {
            case InboxScreen::list: keys = list_keys(); break;
            case InboxScreen::ask: break;
            case InboxScreen::history: keys = fmt::format("h back {} ? help", glyphs_.dot); break;
            case InboxScreen::help: keys = "Any key goes back"; break;
        }
        return {{cut_to_width(keys, look_.columns, glyphs_.ellipsis), kDim}};
    }

    std::string list_keys() const {
        if (state_.is_searching)
            return fmt::format("Search: {}_   Enter keep {} Esc clear",
                               words_.one_line(state_.search), glyphs_.dot);
        std::vector<std::string_view> all = {"h history", "? help", "q quit"};
        if (state_.snoozed(now_) > 0) all.insert(all.begin(), "z snoozed");
        if (!state_.rows(now_).empty())
            all.insert(all.begin(), {"Enter answer", "d dismiss", "s snooze", "/ search"});
        const std::string joint = fmt::format(" {} ", glyphs_.dot);
        std::string keys = fmt::format("{}", fmt::join(all, joint));
        // Where there is no room for all of them, help tells the others.
        for (const std::string_view least :
             {"h history", "z snoozed", "s snooze", "/ search", "d dismiss"}) {
            if (text_width(keys) <= look_.columns) break;
            std::erase(all, least);
            keys = fmt::format("{}", fmt::join(all, joint));
        }
        return keys;
    }

    void add_list(Block& screen) {
        const std::vector<AskPtr> rows = state_.rows(now_);
        if (!state_.search.empty() && !state_.is_searching)
            screen.add(fmt::format("Search: {} ({}); Esc clears", words_.one_line(state_.search),
                                   rows.size()),
                       kDim);
        if (rows.empty()) return add_nothing(screen);
        const std::size_t here = state_.selected_row(rows);
        in_hand_ = rows[here]->id;
        const int room = look_.rows - screen.height() - 1 - notice_.height();
        const bool has_detail = look_.rows >= kRowsForDetail;
        const int detail = has_detail ? std::max(room - static_cast<int>(rows.size()) - 1,
                                                 std::max(limits::kDetailRowsMin, room / 2))
                                      : 0;
        const int height = std::max(room - (has_detail ? detail + 1 : 0), 1);
        // A column for what none in sight has would only take room from the questions.
        const auto [first, shown] = range_of(height, rows.size(), here);
        const bool has_ends = std::ranges::any_of(
            rows | std::views::drop(first) | std::views::take(shown),
            [&](const AskPtr& ask) { return !words_.ends_or_snoozed(*ask).empty(); });
        add_rows(screen, height, rows.size(), here, [&](std::size_t at) {
            return words_.row(*rows[at], {.is_here = at == here, .has_ends = has_ends});
        });
        if (!has_detail) return;
        add_detail(screen, *rows[here], look_.rows - 1 - screen.height() - notice_.height());
    }

    // The rows in sight of many: the one in hand is in the middle, where that can be.
    struct Range {
        std::size_t first = 0;
        std::size_t shown = 0;
    };
    static Range range_of(int height, std::size_t count, std::size_t here) {
        const int total = static_cast<int>(count);
        const int shown = total > height ? std::max(height - 1, 1) : total;
        const int middle = static_cast<int>(here) - shown / 2;
        const int first = std::clamp(middle, 0, std::max(total - shown, 0));
        return {static_cast<std::size_t>(first), static_cast<std::size_t>(shown)};
    }
    // What is not in sight is told.
    template <class Row>
    void add_rows(Block& screen, int height, std::size_t count, std::size_t here, Row make) const {
        const auto [first, shown] = range_of(height, count, here);
        state_.page_rows = shown;
        for (std::size_t at = first; at < first + shown; ++at) {
            if (at == here) screen.cursor = Position{screen.height(), 0};
            screen.add(make(at));
        }
        const std::size_t below = count - first - shown;
        if (first + below == 0) return;
        std::string told = first == 0 ? "" : fmt::format("{} above", first);
        if (below > 0) told += fmt::format("{}{} below", told.empty() ? "" : ", ", below);
        screen.add(fmt::format("    {} {}", glyphs_.ellipsis, told), kDim);
    }

    void add_nothing(Block& screen) const {
        screen.blank();
        const bool is_known = state_.has_snapshot;
        const std::string text = !state_.search.empty() ? "Nothing matches the search."
                                 : !is_known            ? "Asking the broker what waits."
                                 : state_.snoozed(now_) > 0
                                     ? "Nothing waits but what you snoozed."
                                     : "Nothing waits. New questions appear here by themselves.";
        screen.paragraph(text, look_.columns - 2, {}, {{"  ", {}}});
        screen.cursor = Position{screen.height() - 1, 0};
    }

    std::optional<Millis> time_left(const Ask& ask) const {
        if (!ask.deadline) return std::nullopt;
        return std::max(*ask.deadline - now_, Millis::zero());
    }

    void add_who(Block& screen, const Ask& ask) const {
        screen.add(cut_to_width(words_.who_waits(ask), look_.columns, glyphs_.ellipsis),
                   {.color = Color::cyan});
    }
    // The same as the head of a part: a line across the screen.
    void add_rule(Block& screen, std::string_view words) const {
        const auto line = [&](int cells) {
            std::string all;
            for (int i = 0; i < cells; ++i) all += glyphs_.horizontal;
            return all;
        };
        const std::string shown = cut_to_width(words, look_.columns - 6, glyphs_.ellipsis);
        screen.add({{line(2) + " ", kDim},
                    {shown, {.color = Color::cyan}},
                    {" " + line(look_.columns - 4 - text_width(shown)), kDim}});
    }

    void add_detail(Block& screen, const Ask& ask, int height) {
        if (height < 4) return;
        screen.blank();
        add_rule(screen, words_.who_waits(ask));
        height -= 2;
        const auto known = state_.prompts.find(ask.id);
        const PromptState fresh =
            known != state_.prompts.end() ? known->second : PromptState(ask.spec, {});
        Block block = draw_prompt(fresh, {.columns = look_.columns,
                                          .rows = height,
                                          .charset = look_.charset,
                                          .has_numbers = false,
                                          .takes_keys = false})
                          .block;
        block.cursor.reset();
        for (Line& line : block.lines)
            for (Span& span : line) span.style.is_reversed = false;
        screen.add(std::move(block));
    }

    void add_ask(Block& screen) {
        const PromptState* prompt = state_.prompt();
        const AskPtr ask = state_.opened_ask();
        if (ask) add_who(screen, *ask);
        if (!state_.ended.empty()) {
            screen.paragraph(words_.one_line(state_.ended), look_.columns - 2, kWarning,
                             {{fmt::format("{} ", glyphs_.missing), kWarning}});
            screen.add(std::string("Esc goes back to the list."), kDim);
        }
        if (prompt == nullptr) return;
        in_hand_ = state_.opened;
        const PromptLook look{
            .columns = look_.columns,
            .rows = std::max(look_.rows - screen.height() - (state_.notice.empty() ? 0 : 1), 4),
            .charset = look_.charset,
            .has_numbers = look_.has_numbers,
            .time_left = ask ? time_left(*ask) : std::nullopt,
            .takes_keys = state_.ended.empty()};
        PromptDrawing drawing = draw_prompt(*prompt, look);
        state_.prompt()->drawn(drawing.range);
        screen.add(std::move(drawing.block));
    }

    void add_history(Block& screen) const {
        screen.add(std::string("Decided"), kBold);
        if (state_.settled.empty()) {
            screen.add(std::string("  Nothing was decided yet."));
            screen.cursor = Position{screen.height() - 1, 0};
            return;
        }
        const std::size_t here = std::min(state_.history_cursor, state_.settled.size() - 1);
        const bool has_detail = look_.rows >= kRowsForDetail;
        const int room = look_.rows - screen.height() - 1;
        add_rows(screen, has_detail ? std::max(room - limits::kDetailRowsMin, 1) : room,
                 state_.settled.size(), here,
                 [&](std::size_t at) { return words_.past_row(*state_.settled[at], at == here); });
        if (!has_detail) return;
        screen.blank();
        add_past(screen, *state_.settled[here]);
    }
    void add_past(Block& screen, const Ask& ask) const {
        add_who_past(screen, ask);
        for (const Question& question : ask.spec->questions)
            screen.add(cut_to_width("  " + words_.one_line(question.text), look_.columns,
                                    glyphs_.ellipsis));
        for (const std::string& line : summary_lines(ask))
            screen.paragraph(words_.one_line(line), look_.columns - 6, kGood,
                             {{fmt::format("  {} ", glyphs_.tick), kGood}});
    }
    void add_who_past(Block& screen, const Ask& ask) const {
        screen.paragraph(fmt::format("{} {} {}", words_.who(ask), glyphs_.dot,
                                     words_.one_line(settlement_phrase(
                                         *ask.settlement, words_.time_of(ask.settlement->at)))),
                         look_.columns, {.color = Color::cyan});
    }

    // It fits into the smallest screen.
    void add_help(Block& screen) const {
        for (const auto& [keys, meaning] :
             std::vector<std::pair<std::string_view, std::string_view>>{
                 {"j k arrows", "move; g G first, last"},
                 {"Enter", "open and answer"},
                 {"d", "dismiss, with a reason"},
                 {"s S", "snooze 10 min, 1 hour"},
                 {"z", "show snoozed; s ends it"},
                 {"/", "search questions, agents"},
                 {"h", "what was decided, by whom"},
                 {"q", "quit; what waits stays"},
                 {"! -", "urgent, not urgent"},
                 {"*", "something typed, not sent"}})
            screen.paragraph(meaning, look_.columns, {}, {{fmt::format("  {:<12}", keys), kBold}});
        screen.cursor = Position{1, 0};
    }

    InboxState& state_;
    const InboxLook& look_;
    const Instant now_;
    const Glyphs& glyphs_;
    const InboxWords words_;
    std::optional<AskId> in_hand_;  // the ask that keys mean
    Block notice_;
};

}  // namespace

Picture draw_inbox(InboxState& state, const InboxLook& look, Instant now) {
    return View(state, look, now).draw();
}

}  // namespace parley
