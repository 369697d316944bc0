// SPDX-License-Identifier: Apache-2.0
// An ask as an MCP task: its id is the task's, it works until it is settled, and a withdrawn one is
// cancelled. Both wire forms: of 2025-11-25 and of the extension of 2026-07-28. Pure functions.
#pragma once

#include <string_view>

#include "parley/values.h"
#include "text/json.h"

namespace parley::mcp {

std::string_view task_status(const Ask& ask);

// The members of a task.
void write_legacy_task(json::Writer& out, const Ask& ask);
void write_modern_task(json::Writer& out, const Ask& ask, std::string_view status);
// The same with the tool's result, once there is one.
void write_detailed_task(json::Writer& out, const Ask& ask, std::string_view status);

// The `_meta` of a result that belongs to a task (2025-11-25).
void write_related_task(json::Writer& out, AskId id);

}  // namespace parley::mcp
