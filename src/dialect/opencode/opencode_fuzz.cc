// SPDX-License-Identifier: Apache-2.0
// Any body at every reader of OpenCode's door. A reply that is accepted is written and read back.
#include <cstdint>

#include "base/assert.h"
#include "dialect/opencode/permission.h"
#include "dialect/opencode/questions.h"
#include "dialect/opencode/requests.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto id = opencode::parse_permission_id(text))
        ASSERT(opencode::permission_id(*id) == text);
    const auto value = json::parse(text);
    if (!value) return 0;
    const std::optional<json::Value> body = *value;
    (void)opencode::read_session_input(body);
    (void)opencode::read_prompt(body);
    (void)opencode::read_permission_reply(body, "reply");
    const auto texts = opencode::read_reply(body);
    if (!texts) return 0;
    const std::vector<Question> questions = {
        {.text = "Q?", .header = "Q", .options = {{.label = "A", .description = ""}}},
        {.text = "R?", .header = "R", .options = {}, .multi_select = true}};
    const auto answers = opencode::sort_reply(questions, *texts);
    if (!answers) return 0;
    std::string written = "{\"answers\":";
    json::Writer out(written);
    opencode::write_answers(out, questions, *answers);
    written += '}';
    const auto again = opencode::read_reply(json::parse(written).value());
    ASSERT(again.has_value());
    const auto sorted = opencode::sort_reply(questions, *again);
    ASSERT(sorted.has_value() && *sorted == *answers);
    return 0;
}
