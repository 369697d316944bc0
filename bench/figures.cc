// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <fstream>

namespace parley::bench {

void record(const Figure& figure) {
    const char* path = std::getenv("BENCH_FIGURES");
    if (path == nullptr) return;
    std::ofstream(path, std::ios::app)
        << fmt::format(R"({{"what":"{}","who":"{}","unit":"{}","values":[{:.6g}]}})", figure.what,
                       figure.who, figure.unit, fmt::join(figure.values, ","))
        << '\n';
}

}  // namespace parley::bench
