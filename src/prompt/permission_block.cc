// SPDX-License-Identifier: Apache-2.0
#include "prompt/permission_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "prompt/limits.h"
#include "prompt/markdown.h"
#include "prompt/styles.h"
#include "text/json.h"
#include "text/safe_text.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr TextStyle kCommand = {.color = Color::cyan, .is_bold = true};
constexpr TextStyle kAdded = {.color = Color::green};
constexpr TextStyle kRemoved = {.color = Color::red};
constexpr TextStyle kHunk = {.color = Color::cyan, .is_dim = true};
constexpr int kIndent = 2;

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

// The lines that a diff adds, removes or keeps, without their signs.
std::set<std::string_view> lines_of_diff(std::string_view diff) {
    std::set<std::string_view> lines;
    while (!diff.empty()) {
        const std::string_view line = take_line(diff);
        if (!line.empty() && std::string_view("+- ").find(line.front()) != std::string_view::npos)
            lines.insert(line.substr(1));
    }
    return lines;
}

class Permission {
public:
    Permission(const PermissionRequest& request, int cells, Charset charset)
        : request_(request), cells_(std::max(cells, 8)), charset_(charset) {
        if (request.diff) diff_lines_ = lines_of_diff(*request.diff);
    }

    Block draw() {
        const auto input = json::parse(request_.input);
        const json::Object* members = input ? input->if_object() : nullptr;
        const json::Value* command = members != nullptr ? members->if_contains("command") : nullptr;
        if (command != nullptr && command->is_string() && !is_shown(*command))
            block_.verbatim(shown(text_of(*command)), cells_, kCommand, {{"$ ", kDim}});
        if (request_.plan) add_part(markdown_block(*request_.plan, cells_, charset_));
        if (request_.diff) add_part(diff());
        Block rest;
        if (members != nullptr) {
            for (const auto& member : *members) {
                const std::string_view name(member.key().data(), member.key().size());
                if ((command == nullptr || &member.value() != command) && !is_shown(member.value()))
                    add_value(rest, shown(name) + ": ", member.value(), 0);
            }
        } else if (input && !input->is_null()) {
            add_value(rest, "", *input, 0);
        }
        add_part(std::move(rest));
        return std::move(block_);
    }

private:
    static std::string_view text_of(const json::Value& value) {
        return {value.get_string().data(), value.get_string().size()};
    }
    std::string shown(std::string_view text) const { return shown_text(text, charset_); }

    void add_part(Block part) {
        if (part.lines.empty()) return;
        if (!block_.lines.empty()) block_.blank();
        block_.add(std::move(part));
    }

    // Stands whole in the summary, the plan or the diff.
    bool is_shown(const json::Value& value) const {
        if (const json::Array* list = value.if_array())
            return !list->empty() && std::ranges::all_of(*list, [&](const json::Value& each) {
                return is_shown(each);
            });
        if (const json::Object* object = value.if_object())
            return !object->empty() && std::ranges::all_of(*object, [&](const auto& each) {
                return is_shown(each.value());
            });
        if (!value.is_string()) return false;
        std::string_view text = text_of(value);
        if (text == request_.summary || (request_.plan && text == *request_.plan)) return true;
        if (!request_.diff) return false;
        while (!text.empty())
            if (!diff_lines_.contains(take_line(text))) return false;
        return true;
    }

    Block diff() const {
        Block lines;
        std::string_view rest = *request_.diff;
        std::size_t blanks = 0;
        char blank_sign = ' ';
        const auto tell_blanks = [&] {
            if (blanks > limits::kBlankLinesShown) {
                add_diff_line(lines, blank_sign, fmt::format("({} blank lines)", blanks));
            } else {
                for (std::size_t i = 0; i < blanks; ++i) add_diff_line(lines, blank_sign, {});
            }
            blanks = 0;
        };
        // The file is named above.
        for (const std::string_view head : {"--- ", "+++ "})
            if (rest.starts_with(head)) (void)take_line(rest);
        while (!rest.empty()) {
            const std::string_view line = take_line(rest);
            const char sign = line.empty() ? ' ' : line.front();
            const std::string_view text = line.empty() ? line : line.substr(1);
            const bool is_blank_line =
                is_blank(text) && (sign == '+' || sign == '-' || sign == ' ');
            if (blanks > 0 && (!is_blank_line || sign != blank_sign)) tell_blanks();
            if (is_blank_line) {
                blank_sign = sign;
                ++blanks;
            } else {
                add_diff_line(lines, sign, text);
            }
        }
        tell_blanks();
        return lines;
    }
    void add_diff_line(Block& lines, char sign, std::string_view text) const {
        if (sign != '+' && sign != '-' && sign != ' ')
            return lines.verbatim(shown(std::string(1, sign) + std::string(text)), cells_, kHunk);
        const TextStyle style = sign == '+' ? kAdded : sign == '-' ? kRemoved : TextStyle{};
        // A line is one: what a tab or an escape makes of it stays behind the sign.
        lines.verbatim(shown(text), cells_, style, {{std::string(1, sign) + " ", style}});
    }

    // `lead` is the name, or the dash of a list.
    void add_value(Block& lines, const std::string& lead, const json::Value& value,
                   int indent) const {
        // Deep nesting must leave room for text.
        const int blanks = std::min(indent, cells_ / 2);
        const Line head = {{std::string(static_cast<std::size_t>(blanks), ' ') + lead, kDim}};
        const json::Object* object = value.if_object();
        const json::Array* list = value.if_array();
        if ((object != nullptr && !object->empty()) || (list != nullptr && !list->empty())) {
            if (!lead.empty()) lines.add(head);
            const int inside = lead.empty() ? indent : indent + kIndent;
            if (list != nullptr)
                for (const json::Value& each : *list) add_value(lines, "- ", each, inside);
            if (object != nullptr)
                for (const auto& each : *object)
                    add_value(lines,
                              shown(std::string_view(each.key().data(), each.key().size())) + ": ",
                              each.value(), inside);
            return;
        }
        const std::string text =
            value.is_string() ? shown(text_of(value)) : shown(json::serialize(value));
        const int used = line_width(head);
        if (text.find('\n') == std::string::npos && used + text_width(text) <= cells_)
            return lines.add(Line{head.front(), {text, {}}});
        lines.add(head);
        lines.verbatim(text, cells_, {},
                       {{std::string(static_cast<std::size_t>(blanks + kIndent), ' '), {}}});
    }

    const PermissionRequest& request_;
    const int cells_;
    const Charset charset_;
    std::set<std::string_view> diff_lines_;
    Block block_;
};

}  // namespace

Block permission_block(const PermissionRequest& request, int cells, Charset charset) {
    return Permission(request, cells, charset).draw();
}

}  // namespace parley
