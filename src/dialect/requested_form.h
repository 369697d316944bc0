// SPDX-License-Identifier: Apache-2.0
// A form that an MCP server wants filled in (elicitation, mode "form"): its flat schema as the
// questions of one ask, and the answers as the form's content, typed as the schema says. Pure
// functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::elicitation {

// One question for each property, in order. Refused: a schema with nothing to ask, or with a
// property that is not a text, number, boolean or list of choices.
[[nodiscard]] Result<std::vector<Question>> read_form(std::string_view message,
                                                      const json::Value& schema);

// {"<property>": value}; a property that was left out has no entry. The Error says in words for the
// person which answer does not fit, e.g. letters for a number.
[[nodiscard]] Result<std::string> form_content(const json::Value& schema,
                                               const std::vector<Question>& questions,
                                               const Answers& answers);

// Mode "url": an address is opened by the person, not by us. `who` wants it opened.
std::vector<Question> link_questions(std::string_view who, std::string_view message,
                                     std::string_view url);
bool is_opened(const Answers& answers);

// What became of it, as JSON: accept, decline or cancel, and the content where there is one.
std::string form_result(std::string_view action, std::string_view content = {});

}  // namespace parley::elicitation
