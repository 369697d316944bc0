// SPDX-License-Identifier: Apache-2.0
// What a benchmark measured, for programs: a line of JSON for each figure, added to the file that
// $BENCH_FIGURES names. Without that variable nothing is written. support/figures.py and
// support/figures.mjs write the same; publish/ reads it.
#pragma once

#include <string_view>
#include <vector>

namespace parley::bench {

inline constexpr std::string_view kParley = "Parley";

struct Figure {
    std::string_view what;  // one row of the page: the same for us and for each peer
    std::string_view who = kParley;
    std::string_view unit;       // more is better where it ends with "/s", fewer where not
    std::vector<double> values;  // of repeated runs; the page has their median
};

void record(const Figure& figure);

}  // namespace parley::bench
