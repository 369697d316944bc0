// SPDX-License-Identifier: Apache-2.0
// The stream of an agent, item by item, as the native wire spells it: text-start, text-delta,
// text-end, tool-input-start, …-delta, …-available, …-error, tool-output, status, finish. The same
// items are what an outside agent posts and what subscribers get inside session.part. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/event.h"
#include "core/faults.h"
#include "text/json.h"

namespace parley::native {

using parley::StreamItem;
using parley::StreamPart;

void write_item(json::Writer& out, const StreamItem& item);
void write_item(json::Writer& out, const PartDelta& delta);
void write_item(json::Writer& out, const Part& part);

// nullopt if there was a fault.
std::optional<StreamItem> read_item(const json::Value& value, const json::Path& at, Faults& faults);

}  // namespace parley::native
