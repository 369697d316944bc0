// SPDX-License-Identifier: Apache-2.0
#include "prompt/inbox_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/display.h"
#include "core/text_rules.h"
#include "prompt/prompt_view.h"
#include "text/time_text.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr TextStyle kDim = {.is_dim = true};
constexpr TextStyle kBold = {.is_bold = true};
constexpr TextStyle kUrgent = {.color = Color::red, .is_bold = true};
constexpr TextStyle kWarning = {.color = Color::yellow, .is_bold = true};
constexpr TextStyle kGood = {.color = Color::green};
constexpr int kRowsForDetail = 18;  // from here on the ask in hand is shown below the list
constexpr int kWideColumns = 72;    // from here on a row names its session
constexpr int kDetailRowsMin = 8;
constexpr int kAgeCells = 7;
constexpr int kEndCells = 12;

// "45 s", "14 min", "3 h", "2 d": calm enough for a column.
std::string short_duration(Millis duration) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min", seconds / 60);
    if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
    return fmt::format("{} d", seconds / (24 * 3600));
}

// Cut or filled to exactly so many cells.
std::string fit(std::string_view text, int cells, const Glyphs& glyphs) {
    std::string shown = cut_to_width(text, cells, glyphs.ellipsis);
    const int missing = cells - text_width(shown);
    return shown.append(static_cast<std::size_t>(std::max(missing, 0)), ' ');
}

class View {
public:
    View(InboxState& state, const InboxLook& look, Instant now)
        : state_(state), look_(look), now_(now), glyphs_(glyphs_of(look.charset)) {}

    Picture draw() {
        Block screen;
        screen.add(title());
        switch (state_.screen) {
            case InboxScreen::list: add_list(screen); break;
            case InboxScreen::ask: add_ask(screen); break;
            case InboxScreen::history: add_history(screen); break;
            case InboxScreen::help: add_help(screen); break;
        }
        // The prompt brings its own line of keys.
        const bool has_foot = state_.screen != InboxScreen::ask || !state_.notice.empty();
        fill(screen, look_.rows - (has_foot ? 1 : 0));
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
    std::string one_line(std::string_view text) const {
        std::string line = shown_text(text, look_.charset);
        std::ranges::replace(line, '\n', ' ');
        return line;
    }

    Line title() const {
        const std::size_t snoozed = state_.snoozed(now_);
        std::string left = fmt::format(
            "Parley  {} waiting", state_.pending.size() - std::min(snoozed, state_.pending.size()));
        if (snoozed > 0) left += fmt::format(" {} {} snoozed", glyphs_.dot, snoozed);
        const bool is_connected = state_.link == FollowListener::State::connected;
        const std::string right =
            is_connected ? fmt::format("{} connected", glyphs_.radio_on)
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
            return {
                {cut_to_width(one_line(state_.notice), look_.columns, glyphs_.ellipsis), kWarning}};
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
            return fmt::format("Search: {}_   Enter keep {} Esc clear", one_line(state_.search),
                               glyphs_.dot);
        std::vector<std::string_view> all = {"h history", "? help", "q quit"};
        if (state_.snoozed(now_) > 0) all.insert(all.begin(), "z snoozed");
        if (!state_.rows(now_).empty())
            all.insert(all.begin(), {"Enter answer", "d dismiss", "s snooze", "/ search"});
        std::string keys;
        for (const std::string_view each : all) {
            if (!keys.empty()) keys += fmt::format(" {} ", glyphs_.dot);
            keys += each;
        }
        return keys;
    }

    std::string waiting(const Ask& ask) const {
        return short_duration(std::max(now_ - ask.created_at, Millis::zero()));
    }
    std::string ends(const Ask& ask) const {
        if (!ask.deadline) return {};
        return fmt::format("ends {}",
                           short_duration(std::max(*ask.deadline - now_, Millis::zero())));
    }
    // "snoozed to 14:03", or when it ends.
    std::string ends_or_snoozed(const Ask& ask) const {
        if (!state_.is_snoozed(ask.id, now_)) return ends(ask);
        return fmt::format("zz {}", time_of(state_.snoozed_until.at(ask.id)));
    }
    std::string who(const Ask& ask) const {
        const std::string session = one_line(state_.session_name(ask.session));
        if (!ask.spec->agent || *ask.spec->agent == session) return session;
        return fmt::format("{} / {}", session, one_line(*ask.spec->agent));
    }

    Line row(const Ask& ask, bool is_here) const {
        const Question& first = ask.spec->questions.front();
        std::string what = fmt::format("{}: {}", shown_header(first, kOpenProfile), first.text);
        if (ask.spec->questions.size() > 1)
            what += fmt::format(" (+{})", ask.spec->questions.size() - 1);
        const bool is_urgent = ask.spec->urgency == Urgency::high;
        const bool has_draft =
            state_.prompts.contains(ask.id) && state_.prompts.at(ask.id).is_touched();
        const std::string_view mark = is_urgent                           ? "!"
                                      : ask.spec->urgency == Urgency::low ? "-"
                                                                          : " ";
        Line line = {{(is_here ? std::string(glyphs_.pointer) : " ") + " ", kBold},
                     {std::string(mark) + " ", is_urgent ? kUrgent : kDim},
                     {has_draft ? "* " : "  ", kWarning}};
        int room = look_.columns - 6;
        const TextStyle style{.is_bold = is_here};
        const std::string end = ends_or_snoozed(ask);
        if (look_.columns < kWideColumns) {
            // Where there is room for one, what ends counts more than what began.
            const std::string age = end.empty() ? waiting(ask) : end;
            const int cells = std::max(room - text_width(age) - 1, 8);
            line.push_back({fit(one_line(what), cells, glyphs_), style});
            line.push_back({" " + age, kDim});
            return line;
        }
        const int who_cells = std::clamp(look_.columns / 4, 16, 40);
        const int end_cells = has_ends_ ? kEndCells : 0;
        room -= who_cells + kAgeCells + end_cells + 2;
        line.push_back({fit(one_line(what), room, glyphs_), style});
        line.push_back(
            {"  " + fit(who(ask), who_cells - 1, glyphs_) + " ", {.color = Color::cyan}});
        line.push_back({fit(waiting(ask), kAgeCells, glyphs_), kDim});
        if (end_cells > 0) line.push_back({fit(end, end_cells, glyphs_), kWarning});
        return line;
    }

    void add_list(Block& screen) {
        const std::vector<AskPtr> rows = state_.rows(now_);
        if (!state_.search.empty() && !state_.is_searching)
            screen.add(
                fmt::format("Search: {} ({}); Esc clears", one_line(state_.search), rows.size()),
                kDim);
        if (rows.empty()) return add_nothing(screen);
        has_ends_ = std::ranges::any_of(
            rows, [&](const AskPtr& ask) { return !ends_or_snoozed(*ask).empty(); });
        const std::size_t here = state_.selected_row(rows);
        const int room = look_.rows - screen.height() - 1;
        const bool has_detail = look_.rows >= kRowsForDetail;
        const int detail = has_detail ? std::max(room - static_cast<int>(rows.size()) - 1,
                                                 std::max(kDetailRowsMin, room / 2))
                                      : 0;
        const int height = std::max(room - (has_detail ? detail + 1 : 0), 1);
        add_rows(screen, height, rows.size(), here,
                 [&](std::size_t at) { return row(*rows[at], at == here); });
        if (!has_detail) return;
        add_detail(screen, *rows[here], look_.rows - 1 - screen.height());
    }

    // A window on many rows: the one in hand is in sight, and what is not is told.
    template <class Row>
    void add_rows(Block& screen, int height, std::size_t count, std::size_t here, Row make) const {
        const int total = static_cast<int>(count);
        const bool is_cut = total > height;
        const int shown = is_cut ? std::max(height - 1, 1) : total;
        const int middle = static_cast<int>(here) - shown / 2;
        const int first = std::clamp(middle, 0, std::max(total - shown, 0));
        for (int at = first; at < first + shown; ++at) {
            if (static_cast<std::size_t>(at) == here) screen.cursor = Position{screen.height(), 0};
            screen.add(make(static_cast<std::size_t>(at)));
        }
        if (is_cut)
            screen.add(fmt::format("    {} {} above, {} below", glyphs_.ellipsis, first,
                                   total - first - shown),
                       kDim);
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

    std::string who_waits(const Ask& ask) const {
        std::string line = fmt::format("{} {} waits {}", who(ask), glyphs_.dot, waiting(ask));
        if (ask.deadline) line += fmt::format(" {} {}", glyphs_.dot, ends(ask));
        return line;
    }
    void add_who(Block& screen, const Ask& ask) const {
        screen.add(cut_to_width(who_waits(ask), look_.columns, glyphs_.ellipsis),
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
        add_rule(screen, who_waits(ask));
        height -= 2;
        const auto known = state_.prompts.find(ask.id);
        const PromptState fresh =
            known != state_.prompts.end() ? known->second : PromptState(ask.spec, {});
        Block block = draw_prompt(fresh, {.columns = look_.columns,
                                          .rows = height,
                                          .charset = look_.charset,
                                          .has_numbers = false,
                                          .time_left = time_left(ask)})
                          .block;
        // It is looked at here and answered when it is opened: its keys are not shown.
        if (!block.lines.empty()) block.lines.pop_back();
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
            screen.paragraph(one_line(state_.ended), look_.columns - 2, kWarning,
                             {{fmt::format("{} ", glyphs_.missing), kWarning}});
            screen.add(std::string("Any key goes back to the list."), kDim);
        }
        if (prompt == nullptr) return;
        const PromptLook look{
            .columns = look_.columns,
            .rows = std::max(look_.rows - screen.height() - (state_.notice.empty() ? 0 : 1), 4),
            .charset = look_.charset,
            .has_numbers = look_.has_numbers,
            .time_left = ask ? time_left(*ask) : std::nullopt};
        PromptDrawing drawing = draw_prompt(*prompt, look);
        state_.prompt()->set_scroll_range(drawing.context_scroll_max, drawing.preview_scroll_max);
        screen.add(std::move(drawing.block));
    }

    void add_history(Block& screen) const {
        screen.add(std::string("Decided"), kBold);
        if (state_.settled.empty()) {
            screen.add(std::string("  Nothing was decided in the last day."));
            screen.cursor = Position{screen.height() - 1, 0};
            return;
        }
        const std::size_t here = std::min(state_.history_cursor, state_.settled.size() - 1);
        const bool has_detail = look_.rows >= kRowsForDetail;
        const int room = look_.rows - screen.height() - 1;
        add_rows(screen, has_detail ? std::max(room - kDetailRowsMin, 1) : room,
                 state_.settled.size(), here,
                 [&](std::size_t at) { return past_row(*state_.settled[at], at == here); });
        if (!has_detail) return;
        screen.blank();
        add_past(screen, *state_.settled[here]);
    }
    std::string time_of(Instant at) const {
        return look_.shown_time != nullptr ? look_.shown_time(at) : std::string();
    }
    Line past_row(const Ask& ask, bool is_here) const {
        const std::vector<std::string> lines = summary_lines(ask);
        const bool is_answered = !lines.empty();
        const Question& first = ask.spec->questions.front();
        std::string what =
            is_answered ? lines.front()
                        : fmt::format("{}: {}", shown_header(first, kOpenProfile), first.text);
        if (lines.size() > 1) what += fmt::format(" (+{})", lines.size() - 1);
        // Who decided is in sight, however long the question is.
        what = cut_to_width(one_line(what), std::max(look_.columns / 2, 8), glyphs_.ellipsis);
        const std::string text = fmt::format("{}  {}  {}", time_of(ask.settlement->at), what,
                                             settlement_phrase(*ask.settlement));
        return {{(is_here ? std::string(glyphs_.pointer) : " ") + " ", kBold},
                {std::string(is_answered ? glyphs_.tick : glyphs_.dash) + " ",
                 is_answered ? kGood : kDim},
                {cut_to_width(one_line(text), look_.columns - 8, glyphs_.ellipsis),
                 {.is_bold = is_here}}};
    }
    void add_past(Block& screen, const Ask& ask) const {
        add_who_past(screen, ask);
        for (const Question& question : ask.spec->questions)
            screen.add(
                cut_to_width("  " + one_line(question.text), look_.columns, glyphs_.ellipsis));
        for (const std::string& line : summary_lines(ask))
            screen.paragraph(one_line(line), look_.columns - 6, kGood,
                             {{fmt::format("  {} ", glyphs_.tick), kGood}});
    }
    void add_who_past(Block& screen, const Ask& ask) const {
        screen.paragraph(
            fmt::format("{} {} {}", who(ask), glyphs_.dot,
                        one_line(settlement_phrase(*ask.settlement, time_of(ask.settlement->at)))),
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
                 {"z", "show what is snoozed"},
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
    bool has_ends_ = false;  // of the list: whether any row ends by itself
};

}  // namespace

Picture draw_inbox(InboxState& state, const InboxLook& look, Instant now) {
    return View(state, look, now).draw();
}

}  // namespace parley
