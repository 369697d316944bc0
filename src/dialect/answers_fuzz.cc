// SPDX-License-Identifier: Apache-2.0
// Any JSON as the answers of every dialect, any text as a joined answer: read or refused with a
// place, and what is read passes the rules for answers.
#include <cstdint>

#include "base/assert.h"
#include "core/answers.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/opencode/questions.h"
#include "dialect/trpc/asks.h"
#include "text/utf8.h"

namespace {

using namespace parley;

std::vector<Question> sample_questions() {
    const auto option = [](std::string label) {
        return Option{.label = std::move(label), .description = {}};
    };
    return {
        {.text = "Q?", .header = "1", .options = {option("A"), option("A, B"), option("Other")}},
        {.text = "R?",
         .header = "H",
         .options = {option("A"), option("B"), option("A, B"), option("B, C"), option("\"A\"")},
         .multi_select = true},
        {.text = "S?",
         .header = "H",
         .options = {option("A")},
         .multi_select = true,
         .custom = false},
        {.text = "T?", .header = "T", .options = {}}};
}

void check_read(const std::vector<Question>& questions, const Answers& answers) {
    const auto checked =
        check_answers(questions, answers, {.completeness = Completeness::may_be_empty});
    ASSERT(checked.has_value() || answers.size() == questions.size());
}

void check_document(const std::vector<Question>& questions, const json::Value& document) {
    for (const JoinStyle style : {JoinStyle::plain, JoinStyle::claude}) {
        Faults faults;
        check_read(questions, claude::read_answers(questions, document, style, {}, faults));
    }
    Faults faults;
    check_read(questions, trpc::read_answers(questions, document, {}, faults));
    if (const auto output = claude::read_tool_output(questions, document))
        check_read(questions, *output);
    (void)trpc::read_ask(document);
    (void)trpc::read_answer_ask(document);
    (void)claude::updated_input(document, questions, {});
    if (auto texts = opencode::read_reply(document)) {
        if (const auto answers = opencode::sort_reply(questions, std::move(*texts)))
            check_read(questions, *answers);
    }
}

void check_joined(const Question& question, std::string_view text) {
    Faults faults;
    const Answer plain = read_joined(question, text, JoinStyle::plain, {}, faults);
    const Answer quoted = read_joined(question, text, JoinStyle::claude, {}, faults);
    if (quoted.other) return;
    ASSERT(read_joined(question, join_answer(question, quoted, JoinStyle::claude),
                       JoinStyle::claude, {}, faults) == quoted);
    for (const Answer& answer : {plain, quoted})
        for (const std::string& label : answer.selected) ASSERT(has_label(question, label));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<Question> kQuestions = sample_questions();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (utf8::is_valid(text))
        for (const Question& question : kQuestions) check_joined(question, text);
    if (const auto document = json::parse(text)) check_document(kQuestions, *document);
    return 0;
}
