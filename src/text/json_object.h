// SPDX-License-Identifier: Apache-2.0
// One JSON object as text, where its members are all that a writer has to say.
#pragma once

#include <string>
#include <string_view>

#include "text/json.h"

namespace parley::json {

// `write` adds the members to the Writer that it is given.
template <class Write>
std::string object_text(Write write) {
    std::string text;
    Writer out(text);
    out.begin_object();
    write(out);
    out.end_object();
    return text;
}

// {"type": …, …}; `write` adds the rest.
template <class Write>
std::string typed_object_text(std::string_view type, Write write) {
    return object_text([&](Writer& out) {
        out.field("type", type);
        write(out);
    });
}

}  // namespace parley::json
