// SPDX-License-Identifier: Apache-2.0
// The edits that the turns of some threads have begun: Codex tells what they change before it wants
// them permitted, and not again. A fold over its items, without I/O.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dialect/codex/messages.h"
#include "text/json.h"

namespace parley::codex {

class Edits {
public:
    void note(const Notification& news);
    void note_item(const std::string& thread, const json::Value& item);
    // Null: nothing was told of it.
    json::Value find(const std::string& thread, const std::string& item) const;
    // Its turn is over.
    void forget(const std::string& thread) { edits_.erase(thread); }
    void clear() { edits_.clear(); }

private:
    void keep(const std::string& thread, const std::string& item, const json::Value& edit);

    std::map<std::string, std::map<std::string, json::Value>> edits_;  // by thread and item
};

}  // namespace parley::codex
