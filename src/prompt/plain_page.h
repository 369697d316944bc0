// SPDX-License-Identifier: Apache-2.0
// Text for a reader that scrolls and never redraws: wrapped to a width, safe to print, in UTF-8 or
// in ASCII alone, with or without bold and dim. A page is filled by one caller and taken as a
// whole; it does no I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace parley {

enum class Charset : std::uint8_t { utf8, ascii };
enum class Emphasis : std::uint8_t { none, ansi };

struct PlainStyle {
    int columns = 80;
    Charset charset = Charset::utf8;
    Emphasis emphasis = Emphasis::none;
    bool has_bars = true;  // before what is set off; a screen reader would read each of them out
};

class PlainPage {
public:
    enum class Look : std::uint8_t { normal, bold, dim };

    explicit PlainPage(const PlainStyle& style) : style_(style) {}

    // Each of these takes text that may come from anyone.
    void line(std::string_view text, Look look = Look::normal);
    // `lead` stands before the first line; the others are indented to stand under it.
    void hanging(std::string_view lead, std::string_view text, Look look = Look::normal);
    // With a bar before every line, so that none of them can pass for a line of ours.
    void set_off(std::string_view text, Look look = Look::normal, std::string_view indent = {});
    // One line as it is; more than one are set off.
    void passage(std::string_view text, Look look = Look::normal);
    void blank() { text_ += '\n'; }
    // Where the person types.
    void cue() { text_ += "> "; }

    std::string take() { return std::move(text_); }

private:
    void rows(std::string_view first_lead, std::string_view lead, std::string_view shown,
              Look look);

    PlainStyle style_;
    std::string text_;
};

// As a page shows it, on as many lines as it has: nothing in it acts, tabs are spaces, and a run of
// blank lines, which would push what is above it out of sight, is told by its length.
std::string shown_text(std::string_view text, Charset charset);
// Safe text in ASCII alone: likenesses for what people write without thinking, numbers for the
// rest.
std::string to_ascii(std::string_view text);

}  // namespace parley
