// SPDX-License-Identifier: Apache-2.0
#include "wire/http_message.h"

#include <array>
#include <utility>

#include "base/assert.h"

namespace parley::wire {

namespace {

constexpr std::array<std::pair<Method, std::string_view>, 7> kMethods = {{
    {Method::get, "GET"},
    {Method::head, "HEAD"},
    {Method::post, "POST"},
    {Method::put, "PUT"},
    {Method::patch, "PATCH"},
    {Method::del, "DELETE"},
    {Method::options, "OPTIONS"},
}};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

}  // namespace

std::string_view to_string(Method method) {
    for (const auto& [value, text] : kMethods) {
        if (value == method) return text;
    }
    return "OTHER";
}

Method method_from(std::string_view text) {
    for (const auto& [value, name] : kMethods) {
        if (name == text) return value;
    }
    return Method::other;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i] && lower(a[i]) != lower(b[i])) return false;
    }
    return true;
}

Field Fields::at(std::size_t index) const {
    ASSERT(index < places_.size());
    const Place& place = places_[index];
    const std::string_view text = text_;
    return {text.substr(place.name, place.name_bytes), text.substr(place.value, place.value_bytes)};
}

std::optional<std::string_view> Fields::find(std::string_view name) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].name_bytes != name.size()) continue;
        const Field field = at(i);
        if (equals_ignoring_case(field.name, name)) return field.value;
    }
    return std::nullopt;
}

std::size_t Fields::count(std::string_view name) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].name_bytes != name.size()) continue;
        if (equals_ignoring_case(at(i).name, name)) ++found;
    }
    return found;
}

std::string Fields::joined(std::string_view name) const {
    std::string all;
    bool first = true;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const Field field = at(i);
        if (!equals_ignoring_case(field.name, name)) continue;
        if (!first) all.append(", ");
        all.append(field.value);
        first = false;
    }
    return all;
}

}  // namespace parley::wire
