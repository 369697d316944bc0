// SPDX-License-Identifier: Apache-2.0
#include "dialect/codex/edits.h"

#include "core/json_fields.h"
#include "dialect/limits.h"

namespace parley::codex {

void Edits::note(const Notification& news) {
    const std::string thread = json::text_field(news.params, "threadId");
    if (news.method == "item/started") {
        note_item(thread, json::field(news.params, "item"));
    } else if (news.method == "item/fileChange/patchUpdated") {
        keep(thread, json::text_field(news.params, "itemId"), news.params);
    } else if (news.method == "turn/completed") {
        forget(thread);
    }
}

void Edits::note_item(const std::string& thread, const json::Value& item) {
    keep(thread, json::text_field(item, "id"), item);
}

void Edits::keep(const std::string& thread, const std::string& item, const json::Value& edit) {
    if (json::list_field(edit, "changes") == nullptr) return;
    auto& kept = edits_[thread];
    if (kept.size() >= limits::kCodexEditsKept) kept.clear();
    kept[item] = edit;
}

json::Value Edits::find(const std::string& thread, const std::string& item) const {
    const auto kept = edits_.find(thread);
    if (kept == edits_.end()) return {};
    const auto edit = kept->second.find(item);
    return edit == kept->second.end() ? json::Value() : edit->second;
}

}  // namespace parley::codex
