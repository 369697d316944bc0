// SPDX-License-Identifier: Apache-2.0
// Texts of this door that are compiled in: its OpenAPI document and the question tool. Written by
// hand in openapi.json and tool.json.
#pragma once

#include <string_view>

namespace parley::opencode {

std::string_view openapi_document();
// {id, description, parameters}, as /experimental/tool lists it.
std::string_view tool_document();

}  // namespace parley::opencode
