// SPDX-License-Identifier: Apache-2.0
// Inside this folder: a JSON object as text, its members written by a function.
#pragma once

#include <string>

#include "text/json.h"

namespace parley::codex {

template <class Members>
std::string object_text(Members members) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    members(out);
    out.end_object();
    return text;
}

}  // namespace parley::codex
