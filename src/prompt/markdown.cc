// SPDX-License-Identifier: Apache-2.0
// The only file that knows md4c.
#include "prompt/markdown.h"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "prompt/table_block.h"
#include "text/safe_text.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {

namespace {

struct Word {
    Line spans = {};
    int cells = 0;
    bool has_space_before = false;
};

// A paragraph's text in runs of style, broken into lines between words.
class Flow {
public:
    void add(std::string_view text, const TextStyle& style) {
        for (std::size_t at = 0; at < text.size();) {
            if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t') {
                is_between_ = true;
                ++at;
                continue;
            }
            const std::size_t end = std::min(text.find_first_of(" \n\t", at), text.size());
            add_piece(text.substr(at, end - at), style);
            at = end;
        }
    }
    void hard_break() {
        words_.push_back({.spans = {}, .cells = -1});
        is_between_ = true;
    }
    bool is_empty() const { return words_.empty(); }
    // All of it on one line.
    Line take_line() {
        Line line;
        for (Word& word : words_) {
            if (word.cells < 0) word.has_space_before = true;
            if (word.has_space_before && !line.empty()) line.push_back({" ", {}});
            std::ranges::move(word.spans, std::back_inserter(line));
        }
        words_.clear();
        is_between_ = false;
        return line;
    }

    void put_into(Block& block, int cells, const Line& first_lead, const Line& lead) {
        Line line = first_lead;
        int used = line_width(line);
        const int indent = line_width(lead);
        bool is_fresh = true;
        const auto end_line = [&] {
            block.add(std::exchange(line, lead));
            used = indent;
            is_fresh = true;
        };
        for (Word& word : words_) {
            if (word.cells < 0) {
                end_line();
                continue;
            }
            const int space = word.has_space_before && !is_fresh ? 1 : 0;
            if (!is_fresh && used + space + word.cells > cells) end_line();
            if (!is_fresh && space > 0) line.push_back({" ", {}});
            used += is_fresh ? 0 : space;
            for (Span& span : word.spans) put_span(block, line, used, cells, indent, lead, span);
            is_fresh = false;
        }
        if (!is_fresh || words_.empty()) block.add(std::move(line));
        words_.clear();
        is_between_ = false;
    }

private:
    void add_piece(std::string_view text, const TextStyle& style) {
        if (is_between_ || words_.empty() || words_.back().cells < 0) {
            words_.push_back({.has_space_before = is_between_});
            is_between_ = false;
        }
        words_.back().spans.push_back({std::string(text), style});
        words_.back().cells += text_width(text);
    }
    // A word that is longer than a line is broken anywhere.
    static void put_span(Block& block, Line& line, int& used, int cells, int indent,
                         const Line& lead, Span& span) {
        if (used + text_width(span.text) <= cells) {
            used += text_width(span.text);
            line.push_back(std::move(span));
            return;
        }
        std::string_view rest = span.text;
        std::string piece;
        while (!rest.empty()) {
            const std::string_view cluster = rest.substr(0, utf8::cluster_bytes(rest));
            const int width = cluster_width(cluster);
            if (used + width > cells && used > indent) {
                line.push_back({std::exchange(piece, {}), span.style});
                block.add(std::exchange(line, lead));
                used = indent;
            }
            piece += cluster;
            used += width;
            rest.remove_prefix(cluster.size());
        }
        line.push_back({std::move(piece), span.style});
    }

    std::vector<Word> words_;
    bool is_between_ = false;
};

class Writer {
public:
    Writer(int cells, Charset charset)
        : cells_(std::max(cells, 8)), charset_(charset), glyphs_(glyphs_of(charset)) {}

    void enter_block(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_QUOTE:
                separate();
                enter(std::string(glyphs_.bar) + " ");
                break;
            case MD_BLOCK_UL:
                flush();
                lists_.push_back({});
                break;
            case MD_BLOCK_OL:
                flush();
                lists_.push_back({.is_ordered = true,
                                  .number = static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start});
                break;
            case MD_BLOCK_LI: enter_item(); break;
            case MD_BLOCK_HR: rule(); break;
            case MD_BLOCK_H:
                separate();
                style_.is_bold = true;
                break;
            case MD_BLOCK_CODE:
                separate();
                is_code_ = true;
                break;
            case MD_BLOCK_P:
            case MD_BLOCK_HTML:
            case MD_BLOCK_TABLE: separate(); break;
            case MD_BLOCK_TR: table_.emplace_back(); break;
            case MD_BLOCK_TH:
                table_.back().is_head = true;
                style_.is_bold = true;
                break;
            default: break;
        }
    }

    void leave_block(MD_BLOCKTYPE type) {
        switch (type) {
            case MD_BLOCK_QUOTE:
                flush();
                leads_.pop_back();
                break;
            case MD_BLOCK_UL:
            case MD_BLOCK_OL: lists_.pop_back(); break;
            case MD_BLOCK_LI:
                flush();
                leads_.pop_back();
                break;
            case MD_BLOCK_H:
                flush();
                style_.is_bold = false;
                break;
            case MD_BLOCK_CODE:
                put_code();
                is_code_ = false;
                break;
            case MD_BLOCK_P:
            case MD_BLOCK_HTML: flush(); break;
            case MD_BLOCK_TH:
            case MD_BLOCK_TD:
                table_.back().cells.push_back(flow_.take_line());
                style_.is_bold = false;
                break;
            case MD_BLOCK_TABLE: put_table(); break;
            default: break;
        }
    }

    void enter_span(MD_SPANTYPE type, void* detail) {
        if (type == MD_SPAN_STRONG) ++bold_;
        if (type == MD_SPAN_EM) ++italic_;
        if (type == MD_SPAN_CODE) ++code_;
        if (type == MD_SPAN_A)
            links_.push_back(address(static_cast<MD_SPAN_A_DETAIL*>(detail)->href));
        if (type == MD_SPAN_IMG)
            links_.push_back(address(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
    }

    void leave_span(MD_SPANTYPE type) {
        if (type == MD_SPAN_STRONG) --bold_;
        if (type == MD_SPAN_EM) --italic_;
        if (type == MD_SPAN_CODE) --code_;
        if (type != MD_SPAN_A && type != MD_SPAN_IMG) return;
        const std::string target = std::move(links_.back());
        links_.pop_back();
        if (target != last_text_) flow_.add(fmt::format(" ({})", target), {.is_dim = true});
    }

    void text(MD_TEXTTYPE type, std::string_view raw) {
        if (type == MD_TEXT_BR) return flow_.hard_break();
        if (type == MD_TEXT_SOFTBR) return flow_.add(" ", {});
        if (type == MD_TEXT_NULLCHAR) raw = "\\x00";
        if (is_code_) {
            code_text_ += raw;
            return;
        }
        TextStyle style = style_;
        style.is_bold = style.is_bold || bold_ > 0;
        style.is_italic = italic_ > 0;
        if (code_ > 0) style.color = Color::cyan;
        last_text_ = shown(raw);
        // Without colours code is told by its marks.
        flow_.add(code_ > 0 ? "`" + last_text_ + "`" : last_text_, style);
    }

    Block finish() {
        flush();
        return std::move(block_);
    }

private:
    struct List {
        bool is_ordered = false;
        unsigned number = 1;
    };
    struct Lead {
        std::string first;
        std::string rest;
        bool is_used = false;
    };

    std::string shown(std::string_view raw) const {
        const std::string safe = escape_unsafe(raw);
        return charset_ == Charset::ascii ? to_ascii(safe) : safe;
    }
    std::string address(const MD_ATTRIBUTE& attribute) const {
        return shown(std::string_view(attribute.text, attribute.size));
    }

    void enter(std::string lead) { leads_.push_back({lead, lead}); }
    void enter_item() {
        if (lists_.empty()) return enter("");
        List& list = lists_.back();
        std::string mark = list.is_ordered ? fmt::format("{}. ", list.number++)
                                           : std::string(charset_ == Charset::utf8 ? "• " : "* ");
        const auto cells = static_cast<std::size_t>(text_width(mark));
        leads_.push_back({std::move(mark), std::string(cells, ' ')});
    }

    // Deep nesting must leave room for text.
    Line lead() {
        std::string all;
        for (Lead& each : leads_) all += std::exchange(each.is_used, true) ? each.rest : each.first;
        if (text_width(all) > cells_ / 2) all = cut_to_width(all, cells_ / 2, "");
        return all.empty() ? Line{} : Line{{all, {.is_dim = true}}};
    }

    void separate() {
        flush();
        const bool starts_item = !leads_.empty() && !leads_.back().is_used;
        const bool is_tight = !lists_.empty();
        if (!block_.lines.empty() && !starts_item && !is_tight && !block_.lines.back().empty())
            block_.blank();
    }
    void flush() {
        if (flow_.is_empty()) return;
        const Line first = lead();
        flow_.put_into(block_, cells_, first, lead());
    }
    void put_code() {
        const std::string text = shown_text(std::exchange(code_text_, {}), charset_);
        Line bar = lead();
        bar.push_back({std::string(glyphs_.bar) + " ", {.is_dim = true}});
        Block code;
        code.verbatim(text, std::max(cells_ - line_width(bar), 1), {.color = Color::cyan});
        for (const Line& each : code.lines) {
            Line line = bar;
            line.insert(line.end(), each.begin(), each.end());
            block_.add(std::move(line));
        }
    }
    void put_table() {
        const Line first = lead();
        const Block table = table_block(table_, std::max(cells_ - line_width(first), 8), glyphs_);
        table_.clear();
        bool is_first = true;
        for (const Line& each : table.lines) {
            Line line = std::exchange(is_first, false) ? first : lead();
            line.insert(line.end(), each.begin(), each.end());
            block_.add(std::move(line));
        }
    }
    void rule() {
        separate();
        std::string line;
        for (int i = 0; i < std::min(cells_, 20); ++i) line += glyphs_.horizontal;
        block_.add(std::move(line), {.is_dim = true});
    }

    const int cells_;
    const Charset charset_;
    const Glyphs& glyphs_;
    Block block_;
    Flow flow_;
    TextStyle style_;
    int bold_ = 0;
    int italic_ = 0;
    int code_ = 0;
    bool is_code_ = false;
    std::string code_text_;
    std::string last_text_;
    std::vector<std::string> links_;
    std::vector<List> lists_;
    std::vector<Lead> leads_;
    std::vector<TableRow> table_;
};

Writer& writer(void* user) {
    return *static_cast<Writer*>(user);
}

}  // namespace

Block markdown_block(std::string_view markdown, int cells, Charset charset) {
    Writer out(cells, charset);
    MD_PARSER parser = {};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
        writer(user).enter_block(type, detail);
        return 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
        writer(user).leave_block(type);
        return 0;
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
        writer(user).enter_span(type, detail);
        return 0;
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
        writer(user).leave_span(type);
        return 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
        writer(user).text(type, std::string_view(text, size));
        return 0;
    };
    (void)md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &out);
    return out.finish();
}

}  // namespace parley
