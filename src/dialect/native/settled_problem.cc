// SPDX-License-Identifier: Apache-2.0
#include "dialect/native/settled_problem.h"

#include <fmt/format.h>

#include "core/settlement_phrase.h"
#include "dialect/native/problem.h"
#include "text/json_object.h"
#include "text/time_text.h"

namespace parley::native {

std::string settled_problem(const Ask& ask, const Shown& shown) {
    const std::string what =
        ask.settlement ? settlement_phrase(*ask.settlement, format_rfc3339(ask.settlement->at))
                       : std::string("settled");
    return json::object_text([&](json::Writer& out) {
        write_problem(out, kSettledName, "The ask is settled already", kConflict,
                      fmt::format("this ask was {}; that settlement stands", what));
        write_ask(out.key("ask"), ask, shown);
    });
}

}  // namespace parley::native
