// SPDX-License-Identifier: Apache-2.0
// What kinds of question there are. A kind is one row of a table, here and in each layer that has
// something of its own to say about it (how it is answered by keys, which field of a form it is);
// everybody else walks these rows and knows no kind by name.
//
// A question has the same members whatever its kind, and an answer is always labels, a text and a
// note: a kind says which of them it takes and what they mean. So every store, door and dialect
// carries a new kind, and a front that does not know it shows a field for text. Pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/faults.h"
#include "core/names.h"
#include "core/object_reader.h"
#include "core/profile.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley {

struct KindRules {
    QuestionKind kind;
    // What agents send of it, beside what every question has: text, header, required, default.
    void (*read)(const ObjectReader& object, const Profile& profile, Question& question,
                 Faults& faults);
    // Whether it can be asked: somebody could give what is wanted, and what is marked beforehand.
    void (*check)(Question& question, const Profile& profile, const json::Path& at, Faults& faults);
    // Whether a person could have marked this, brought into its recorded form. Its texts have been
    // checked as texts.
    void (*check_answer)(const Question& question, Answer& answer, const json::Path& at,
                         Faults& faults);
    // What an answer lacks or is over, after "this wants": empty where nothing is.
    std::string (*unmet_wish)(const Question& question, const Answer& answer);
    // The end of a message about a wrong answer: 'choose "A" or "B"'.
    std::string (*ways_to_answer)(const Question& question);
    // What is wanted, to be read before one answers: "choose 2 to 3". Empty where it is nothing.
    std::string (*wish_words)(const Question& question);
};

const KindRules& rules_of(const Question& question);

// Whether a layer's table has its row for every kind, each at its place.
template <class Table>
constexpr bool has_every_kind(const Table& rows) {
    return std::ranges::equal(rows, kAll<QuestionKind>, {},
                              [](const auto& row) { return row.kind; });
}

// The row of a table that has every kind.
template <class Table>
constexpr const auto& row_of(const Table& rows, const Question& question) {
    return rows[static_cast<std::size_t>(question.kind)];
}

}  // namespace parley
