// SPDX-License-Identifier: Apache-2.0
#include "text/name_fold.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

namespace parley {

std::string fold_name(std::string_view name) {
    utf8proc_uint8_t* folded = nullptr;
    constexpr auto kOptions = static_cast<utf8proc_option_t>(
        UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
                                   static_cast<utf8proc_ssize_t>(name.size()), &folded, kOptions);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(folded, &std::free);
    if (size < 0) return std::string(name);
    return {reinterpret_cast<const char*>(folded), static_cast<std::size_t>(size)};
}

}  // namespace parley
