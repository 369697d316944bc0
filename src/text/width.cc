// SPDX-License-Identifier: Apache-2.0
#include "text/width.h"

#include <algorithm>

#include "base/assert.h"
#include "text/char_class.h"
#include "text/utf8.h"

namespace parley {
namespace {

struct Cluster {
    std::string_view bytes;
    int cells = 0;
};

bool is_ascii(char byte) {
    return static_cast<unsigned char>(byte) < 0x80;
}

// Takes the first cluster off the front of `rest`.
Cluster take_cluster(std::string_view& rest) {
    if (rest[0] >= ' ' && rest[0] <= '~' && (rest.size() == 1 || is_ascii(rest[1]))) {
        const std::string_view byte = rest.substr(0, 1);
        rest.remove_prefix(1);
        return {.bytes = byte, .cells = 1};
    }
    const std::string_view bytes = rest.substr(0, utf8::cluster_bytes(rest));
    rest.remove_prefix(bytes.size());
    return {.bytes = bytes, .cells = cluster_width(bytes)};
}

bool is_break_space(std::string_view cluster) {
    return cluster == " " || cluster == "\t";
}

bool is_cjk(char32_t c) {
    return is_ideograph(c) || is_kana(c);
}

// Whether a line may end between two clusters that no space parts: next to an ideograph or kana,
// unless that would tear punctuation off the character it belongs to.
bool may_break_between(std::string_view left, std::string_view right) {
    if (is_ascii(left[0]) && is_ascii(right[0])) return false;
    const char32_t before = utf8::next(left).value;
    const char32_t after = utf8::next(right).value;
    if (!is_cjk(before) && !is_cjk(after)) return false;
    return !is_opening(before) && (is_opening(after) || !is_punctuation(after));
}

// Takes the clusters up to the next place where a line may end.
Cluster take_word(std::string_view& rest) {
    const char* const start = rest.data();
    Cluster last = take_cluster(rest);
    int cells = last.cells;
    while (!rest.empty()) {
        std::string_view ahead = rest;
        const Cluster next = take_cluster(ahead);
        if (is_break_space(next.bytes) || may_break_between(last.bytes, next.bytes)) break;
        cells += next.cells;
        last = next;
        rest = ahead;
    }
    return {.bytes = {start, static_cast<std::size_t>(rest.data() - start)}, .cells = cells};
}

// Fills lines of a given width with words and the spaces between them.
class LineFiller {
public:
    LineFiller(std::vector<std::string>& lines, int cells_max)
        : lines_(lines), cells_max_(cells_max) {}

    void add_space(Cluster space) {
        spaces_ += space.bytes;
        space_cells_ += space.cells;
    }

    void add_word(Cluster word) {
        if (cells_ + space_cells_ + word.cells <= cells_max_) {
            put_spaces();
            put(word);
            return;
        }
        end_line_at_break();
        while (!word.bytes.empty()) {
            const Cluster cluster = take_cluster(word.bytes);
            if (!line_.empty() && cells_ + cluster.cells > cells_max_) end_line_at_break();
            put(cluster);
        }
    }

    // The text's own end of line, where spaces are kept as far as they fit.
    void end_line() {
        if (cells_ + space_cells_ <= cells_max_) put_spaces();
        spaces_.clear();
        space_cells_ = 0;
        push_line();
    }

private:
    void put(Cluster cluster) {
        line_ += cluster.bytes;
        cells_ += cluster.cells;
    }

    void put_spaces() {
        line_ += spaces_;
        cells_ += space_cells_;
        spaces_.clear();
        space_cells_ = 0;
    }

    void end_line_at_break() {
        spaces_.clear();
        space_cells_ = 0;
        if (!line_.empty()) push_line();
    }

    void push_line() {
        lines_.push_back(std::move(line_));
        line_.clear();
        cells_ = 0;
    }

    std::vector<std::string>& lines_;
    int cells_max_;
    std::string line_;
    int cells_ = 0;
    std::string spaces_;  // after line_, kept only if a word follows on the same line
    int space_cells_ = 0;
};

// The longest prefix whose clusters sum up to at most `budget` by `cost`.
template <class Cost>
std::string_view prefix_within(std::string_view text, int budget, Cost cost) {
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view ahead = rest;
        budget -= cost(take_cluster(ahead));
        if (budget < 0) break;
        rest = ahead;
    }
    return text.substr(0, text.size() - rest.size());
}

template <class Cost>
std::string cut(std::string_view text, int budget, std::string_view ellipsis, Cost cost) {
    if (prefix_within(text, budget, cost).size() == text.size()) return std::string(text);
    if (prefix_within(ellipsis, budget, cost).size() < ellipsis.size()) ellipsis = {};
    for (std::string_view rest = ellipsis; !rest.empty();) budget -= cost(take_cluster(rest));
    std::string result(prefix_within(text, budget, cost));
    result += ellipsis;
    return result;
}

}  // namespace

int cluster_width(std::string_view cluster) {
    int cells = 0;
    int spacing_marks = 0;
    while (!cluster.empty()) {
        const utf8::Scalar scalar = utf8::next(cluster);
        cluster.remove_prefix(scalar.bytes);
        if (is_spacing_mark(scalar.value)) {
            ++spacing_marks;
            continue;
        }
        // The selector asks for the emoji form, which is wide whatever the character alone is.
        cells += scalar.value == kEmojiSelector ? 2 : scalar_width(scalar.value);
    }
    // Whatever a cluster is made of (jamo, two regional indicators, a family), it is one glyph; but
    // the vowels of Indic scripts that stand beside it have a cell each.
    return std::min(cells, 2) + spacing_marks;
}

int text_width(std::string_view text) {
    int cells = 0;
    while (!text.empty()) cells += take_cluster(text).cells;
    return cells;
}

std::string cut_to_width(std::string_view text, int cells, std::string_view ellipsis) {
    return cut(text, cells, ellipsis, [](Cluster cluster) { return cluster.cells; });
}

std::string cut_to_clusters(std::string_view text, std::size_t clusters,
                            std::string_view ellipsis) {
    const auto budget = static_cast<int>(std::min(clusters, text.size()));
    return cut(text, budget, ellipsis, [](Cluster) { return 1; });
}

std::vector<std::string> wrap(std::string_view text, int cells) {
    ASSERT(cells >= 1);
    std::vector<std::string> lines;
    LineFiller filler(lines, cells);
    for (;;) {
        const std::size_t newline = text.find('\n');
        std::string_view rest = text.substr(0, newline);
        while (!rest.empty()) {
            std::string_view ahead = rest;
            const Cluster first = take_cluster(ahead);
            if (is_break_space(first.bytes)) {
                filler.add_space(first);
                rest = ahead;
            } else {
                filler.add_word(take_word(rest));
            }
        }
        filler.end_line();
        if (newline == std::string_view::npos) return lines;
        text.remove_prefix(newline + 1);
    }
}

std::string expand_tabs(std::string_view text, int cells_per_stop) {
    ASSERT(cells_per_stop >= 1);
    std::string out;
    int column = 0;
    while (!text.empty()) {
        const Cluster cluster = take_cluster(text);
        if (cluster.bytes == "\t") {
            const int cells = cells_per_stop - column % cells_per_stop;
            out.append(static_cast<std::size_t>(cells), ' ');
            column += cells;
            continue;
        }
        out += cluster.bytes;
        column = cluster.bytes.ends_with('\n') ? 0 : column + cluster.cells;
    }
    return out;
}

}  // namespace parley
