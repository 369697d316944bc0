// SPDX-License-Identifier: Apache-2.0
// How a prompt looks: a pure function of its state and of the room there is. The only renderer;
// the prompt of `parley ask` and the inbox differ in where they put what comes out.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "parley/values.h"
#include "prompt/block.h"
#include "prompt/prompt_state.h"

namespace parley {

struct PromptLook {
    int columns = 80;
    int rows = 24;
    Charset charset = Charset::utf8;
    bool has_numbers = true;
    std::optional<Millis> time_left = {};  // until the deadline
    bool takes_keys = true;                // else it is only looked at, and no keys are told
};

struct PromptDrawing {
    Block block;
    PaneRange range = {};  // for PromptState::drawn
};

// At most look.rows lines of at most look.columns.
PromptDrawing draw_prompt(const PromptState& state, const PromptLook& look);

// Inside prompt: the parts that the view is put together of (prompt_body.cc).
class PromptBody {
public:
    // Terse: of the choices only the one in hand is described.
    enum class Spacing : std::uint8_t { airy, tight, terse };
    // How many lines the question and each text of a choice may have here. What is cut ends with an
    // ellipsis, and the view shows it whole elsewhere.
    struct Limits {
        int question = std::numeric_limits<int>::max();
        int text = std::numeric_limits<int>::max();
    };

    PromptBody(const PromptState& state, const PromptLook& look, int cells, const Limits& limits,
               Spacing spacing)
        : state_(state),
          look_(look),
          glyphs_(glyphs_of(look.charset)),
          cells_(cells),
          limits_(limits),
          spacing_(spacing) {}

    Block body() const;
    // The lines above the choices.
    int question_height() const;
    // Whether the limits cut a text of this choice that the asker wrote.
    bool cuts(std::size_t row) const;
    static Line tabs(const PromptState& state, const PromptLook& look);
    static std::string hint(const PromptState& state, const PromptLook& look);

private:
    Block choices() const;
    Block review() const;
    Block dismissal() const;
    Block help() const;
    void add_question(Block& block) const;
    void add_subject(Block& block) const;
    void add_row(Block& block, std::size_t row) const;
    void add_text_of(Block& block, int indent) const;
    void add_note(Block& block) const;
    // A field with the cursor in it.
    void add_field(Block& block, const TextEditor& editor, int indent, const Line& lead) const;
    // As a paragraph, of so many lines at most.
    void add_cut(Block& block, std::string_view text, int lines_max, const TextStyle& style,
                 const Line& lead = {}) const;
    void add_cut(Block& block, const Line& text, int lines_max, const Line& lead = {}) const;
    int indent() const;
    void gap(Block& block) const;
    std::string shown(std::string_view text) const { return shown_text(text, look_.charset); }
    Line row_lead(std::size_t row, bool is_here) const;

    const PromptState& state_;
    const PromptLook& look_;
    const Glyphs& glyphs_;
    const int cells_;
    const Limits limits_;
    const Spacing spacing_;
};

}  // namespace parley
