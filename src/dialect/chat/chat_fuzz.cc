// SPDX-License-Identifier: Apache-2.0
// Any message of a chat app, and any body that a chat page posts: read or refused, and what is
// refused can be told.
#include <cstdint>

#include "base/assert.h"
#include "dialect/ai_sdk/ui_messages.h"
#include "dialect/chat/messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    const std::vector<Question> questions = {{.text = "Tea?",
                                              .header = "",
                                              .options = {{"Yes", ""}, {"No, thanks", ""}},
                                              .multi_select = true},
                                             {.text = "Name?", .header = "", .options = {}}};
    const auto message = chat::read_message(body);
    if (!message) {
        ASSERT(json::parse(chat::error(message.error())).has_value());
    } else if (const auto* response = std::get_if<chat::Response>(&*message)) {
        const auto answers = chat::read_answers(questions, response->answers);
        if (!answers) ASSERT(json::parse(chat::error(answers.error())).has_value());
    }
    if (const auto result = ai_sdk::read_tool_result(body))
        (void)ai_sdk::read_answers(questions, result->answers);
    if (const auto posted = ai_sdk::read_chat(body)) {
        for (const ai_sdk::ToolOutput& output : posted->outputs) {
            const auto answers = ai_sdk::read_output(questions, output.output);
            if (answers) continue;
            const Error& error = answers.error();
            ASSERT(json::parse(ai_sdk::error_document(error.message, error.faults)).has_value());
        }
    }
    return 0;
}
