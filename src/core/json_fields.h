// SPDX-License-Identifier: Apache-2.0
// Looking into documents of others whose shape is not ours to check: what is absent or of another
// kind reads as null, "" or false. Where a wrong field must be named, use ObjectReader. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/object_reader.h"
#include "text/json.h"

namespace parley::json {

inline const Value& field(const Value& value, std::string_view name) {
    static const Value kNone;
    const Object* object = value.if_object();
    if (object == nullptr) return kNone;
    const Value* found = object->if_contains(boost::json::string_view(name.data(), name.size()));
    return found != nullptr ? *found : kNone;
}

inline std::string text_field(const Value& value, std::string_view name) {
    const Value& found = field(value, name);
    return found.is_string() ? std::string(view_of(found.get_string())) : std::string();
}

inline bool is_true(const Value& value, std::string_view name) {
    const Value& found = field(value, name);
    return found.is_bool() && found.get_bool();
}

inline const Array* list_field(const Value& value, std::string_view name) {
    return field(value, name).if_array();
}

inline std::string_view key_of(const boost::json::key_value_pair& entry) {
    return {entry.key().data(), entry.key().size()};
}

}  // namespace parley::json
