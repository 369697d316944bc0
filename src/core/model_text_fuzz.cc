// SPDX-License-Identifier: Apache-2.0
// Any text as the question and the answer inside a text for the model: the pairs that go in come
// out, however they look.
#include <cstdint>

#include "base/assert.h"
#include "core/model_text.h"
#include "core/text_pairs_test.h"
#include "text/json.h"
#include "text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (!utf8::is_valid(text)) return 0;
    const std::string_view question = text.substr(0, text.find('\n'));
    const std::string answer(text.substr(std::min(text.size(), question.size() + 1)));
    AskSpec spec;
    spec.questions = {{.text = std::string(question), .header = "H", .options = {}},
                      {.text = answer, .header = "H", .options = {}}};
    Settlement settlement;
    settlement.answers = {{.other = answer, .note = std::string(question)}, {}};
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    ask.settlement = std::make_shared<const Settlement>(std::move(settlement));
    const auto pairs = TextPairs::read(model_text(ask));
    ASSERT(pairs.has_value() && pairs->size() == 2);
    ASSERT(pairs->at(0) == TextPairs::Pair(json::quoted(question), json::quoted(answer)));
    ASSERT(pairs->at(1) == TextPairs::Pair(json::quoted(answer), "Unanswered"));
    return 0;
}
