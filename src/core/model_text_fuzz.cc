// SPDX-License-Identifier: Apache-2.0
// Any text as a text for the model, and as the question and answer inside one: the pairs that go in
// come out, however they look.
#include <cstdint>

#include "base/assert.h"
#include "core/model_text.h"
#include "text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)parse_model_text(text);
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
    const auto pairs = parse_model_text(model_text(ask));
    ASSERT(pairs.has_value() && pairs->size() == 2);
    ASSERT(pairs->at(0).question == question && pairs->at(0).answer == answer);
    ASSERT(pairs->at(1).question == answer && !pairs->at(1).answer);
    return 0;
}
