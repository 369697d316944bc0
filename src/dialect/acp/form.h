// SPDX-License-Identifier: Apache-2.0
// A form, or an address to open, that an agent wants a person to deal with: as the questions of one
// ask, and their answers as the form's content. Agents give a question's free text a field of its
// own beside it ("X_custom", "X_other", "X_note"): here it is X's own text or note. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "dialect/acp/permission.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::acp {

struct FormWish {
    std::string session;
    std::string call_id;
    std::string mode;  // "form" and "url" are known
    std::string message;
    std::string url;
    std::string form;  // the agent's id of an address
    json::Value schema;
};
FormWish read_form_wish(const json::Value& params);

// Whether it is a form, or an address to open, that Parley's own MCP server sent through the agent:
// that one is an ask already.
bool is_own_form(const FormWish& wish);

// The questions and the context. `complaint` says what was wrong with the last answers. Refused:
// forms that nobody could be shown.
[[nodiscard]] Result<void> fill_form(AskSpec& spec, const FormWish& wish, std::string_view agent,
                                     std::string_view complaint = {});

// The Error says in words for the person which answer does not fit.
[[nodiscard]] Result<Decision> form_decision(const FormWish& wish, const Ask& settled);

}  // namespace parley::acp
