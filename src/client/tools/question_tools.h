// SPDX-License-Identifier: Apache-2.0
// The tools that ask: reading what the model sent, asking the program's own interface or the
// broker, and the output in the form that this tool's models expect. Blocks the thread of its
// caller.
#pragma once

#include <string_view>

#include "parley/tools.h"

namespace parley::tools {

enum class QuestionTool : std::uint8_t {
    ask_user_question,      // strict; {"answers":[{question, selectedOptions, customInput?}]}
    ask_followup_question,  // the same, as much as a program may ask
    question,               // OpenCode's; a sentence
};

ToolResult ask(AnyBroker& broker, QuestionTool tool, std::string_view input,
               const ToolContext& context);

}  // namespace parley::tools
