// SPDX-License-Identifier: Apache-2.0
// Values for property tests: questions and answers that the rules accept, made of pieces that have
// broken such systems before: ", " inside labels, quotes, labels that begin with one another, words
// that mean something to a wire, emoji, line breaks. Shared by the tests of core and dialect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/properties_test.h"
#include "core/names.h"
#include "parley/values.h"

extern template class rc::Gen<parley::Answer>;
extern template class rc::Gen<parley::Answers>;
extern template class rc::Gen<parley::Ask>;
extern template class rc::Gen<parley::AskSpec>;
extern template class rc::Gen<parley::Decider>;
extern template class rc::Gen<parley::Instant>;
extern template class rc::Gen<parley::Question>;
extern template class rc::Gen<std::vector<parley::Question>>;
extern template class rc::Gen<parley::Session>;
extern template class rc::Gen<parley::Settlement>;

namespace parley::arbitrary {

// One visible line.
rc::Gen<std::string> label();
// Whatever may be written: lines, tabs and controls too, but not blank.
rc::Gen<std::string> text();
rc::Gen<std::optional<std::string>> maybe(rc::Gen<std::string> gen);
rc::Gen<Question> question();
// An answer that a person could give to this question, or none.
rc::Gen<Answer> answer(const Question& question);
// Questions as the open profile accepts them.
rc::Gen<std::vector<Question>> questions();
// Answers as check_answers leaves them; some or all questions may be unanswered.
rc::Gen<Answers> answers(const std::vector<Question>& questions);
// Any millisecond of the years 1970 to 2100.
rc::Gen<Instant> instant();
// As permission::check leaves it.
rc::Gen<std::optional<PermissionRequest>> permission();
rc::Gen<AskSpec> spec();
rc::Gen<Decider> decider();
rc::Gen<Settlement> settlement(const std::vector<Question>& questions);
rc::Gen<Ask> ask();
rc::Gen<Session> session();

template <class E>
rc::Gen<E> any_of() {
    return rc::gen::elementOf(kAll<E>);
}

template <class IdType>
rc::Gen<IdType> id() {
    return rc::gen::map(
        rc::gen::arbitrary<std::pair<std::uint64_t, std::uint64_t>>(),
        [](const auto& bits) { return IdType(IdBits{.high = bits.first, .low = bits.second}); });
}

}  // namespace parley::arbitrary
