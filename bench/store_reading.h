// SPDX-License-Identifier: Apache-2.0
// What an ask waits for its commit while another reads, against what it waits alone, in one run
// over a store with many events.
#pragma once

#include <cstddef>
#include <string>

namespace parley {

void measure_reading(const std::string& path, std::size_t events, int rounds);

}  // namespace parley
