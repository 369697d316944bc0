// SPDX-License-Identifier: Apache-2.0
// A push of several stream items fails at one of them: those before it stay, those after it were
// not looked at. Its Error names the item by the pointer of its first fault. A document that could
// not be read (ErrorCode::invalid) is refused as a whole. Pure functions.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "parley/error.h"

namespace parley {

// `error` as one about the item at `index`: its faults are about that item's members.
inline Error refuse_item(Error error, std::size_t index) {
    const std::string at = "/" + std::to_string(index);
    if (error.faults.empty()) error.faults.push_back({"", error.message});
    for (Fault& fault : error.faults) fault.path.insert(0, at);
    return error;
}

// The item that the error is about; nothing if it is about the push as a whole.
inline std::optional<std::size_t> refused_item(const Error& error) {
    if (error.faults.empty() || !error.faults.front().path.starts_with('/')) return std::nullopt;
    const std::string_view digits = std::string_view(error.faults.front().path).substr(1);
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (failed != std::errc{} || (end != digits.data() + digits.size() && *end != '/'))
        return std::nullopt;
    return index;
}

// How many items of the refused push stay.
inline std::size_t applied_items(const Error& error) {
    return error.code == ErrorCode::invalid ? 0 : refused_item(error).value_or(0);
}

}  // namespace parley
