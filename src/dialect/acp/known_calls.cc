// SPDX-License-Identifier: Apache-2.0
#include "dialect/acp/known_calls.h"

#include <algorithm>
#include <utility>

#include "core/json_fields.h"
#include "dialect/limits.h"

namespace parley::acp {

namespace {

bool is_empty(const json::Value& value) {
    const json::Object* object = value.if_object();
    const json::Array* list = value.if_array();
    return value.is_null() || (object != nullptr && object->empty()) ||
           (list != nullptr && list->empty());
}

template <class IsSaid>
json::Value joined(const json::Value& call, const json::Value& known, IsSaid is_said) {
    if (!call.is_object() || !known.is_object()) return call.is_object() ? call : known;
    json::Object all = known.get_object();
    for (const auto& entry : call.get_object())
        if (is_said(entry) || !all.contains(entry.key())) all[entry.key()] = entry.value();
    return all;
}

}  // namespace

json::Value with_known(const json::Value& update, const json::Value& known) {
    // Some agents begin a call with an input that is yet to come.
    return joined(update, known, [](const auto& entry) {
        return entry.key() == "rawInput" ? !is_empty(entry.value()) : !entry.value().is_null();
    });
}

json::Value whole_call(const json::Value& wanted, const json::Value& known) {
    json::Value whole =
        joined(wanted, known, [](const auto& entry) { return !is_empty(entry.value()); });
    const json::Value& told = json::field(known, "rawInput");
    // Of the input too: where a command would run, for one, is not always said again.
    if (whole.is_object() && told.is_object())
        whole.get_object()["rawInput"] = with_known(json::field(whole, "rawInput"), told);
    return whole;
}

KnownCalls::Call& KnownCalls::note(const std::string& key, const json::Value& update) {
    const auto [place, is_new] = calls_.try_emplace(key);
    place->second.told = with_known(update, place->second.told);
    if (is_new) {
        order_.push_back(key);
        if (order_.size() > limits::kAcpCallsRemembered) {
            calls_.erase(order_.front());
            order_.pop_front();
        }
    }
    return place->second;
}

const json::Value& KnownCalls::find(const std::string& key) const {
    static const json::Value kNone;
    const auto found = calls_.find(key);
    return found == calls_.end() ? kNone : found->second.told;
}

void KnownCalls::forget(const std::string& key) {
    if (calls_.erase(key) > 0) std::erase(order_, key);
}

}  // namespace parley::acp
