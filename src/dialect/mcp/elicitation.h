// SPDX-License-Identifier: Apache-2.0
// An ask as a form that an MCP client shows (elicitation), and the form's content as answers. Each
// question is a field "q0", "q1"…; where free text is allowed, "q0_other" takes it. Clients before
// 2025-11-25 know no multiple choice: there each option is a switch, "q0_0", "q0_1"…. Pure
// functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/mcp/client.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::mcp {

// The params of elicitation/create. `complaint` says what was wrong with the last try, if anything.
void write_form(json::Writer& out, const Ask& ask, const ClientInfo& client,
                std::string_view complaint = {});

// The same for a client that only opens addresses: the ask is answered on the page at `url`.
void write_page_form(json::Writer& out, const Ask& ask, const ClientInfo& client,
                     std::string_view url);

// What became of the form.
struct FormReply {
    enum class Action : std::uint8_t { accept, decline, cancel };

    Action action = Action::cancel;
    Answers answers = {};  // when accepted; one for each question, not yet checked
};

// An action that is not known, or content that cannot be read, is an Error.
[[nodiscard]] Result<FormReply> read_form(const std::vector<Question>& questions,
                                          const json::Value& reply);

// Whether write_form has written this schema, as far as one can tell from its fields.
bool is_own_form(const json::Value& schema);

// Of a page: that it was accepted says that it was opened, and nothing of answers.
[[nodiscard]] Result<FormReply::Action> read_form_action(const json::Value& reply);

}  // namespace parley::mcp
