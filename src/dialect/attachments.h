// SPDX-License-Identifier: Apache-2.0
// Files that clients attach to what a person says. An agent is given text: it is told which files
// there are, by the names that the client has for them. Pure.
#pragma once

#include <optional>
#include <string>

#include "text/json.h"

namespace parley {

// "[Attached: src/app.ts (text/x-typescript)]" of an object that names a file by path, name or
// address, or of a text that is a path; nothing if there is no name in it.
std::optional<std::string> attachment_text(const json::Value& attachment);

}  // namespace parley
