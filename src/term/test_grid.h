// SPDX-License-Identifier: Apache-2.0
// How tests look at a grid.
#pragma once

#include <string>

#include "term/grid.h"

namespace parley {

// One line of text a row, without the spaces at its end.
inline std::string text_of(const Grid& grid) {
    std::string all;
    for (int row = 0; row < grid.rows(); ++row) {
        std::string line;
        for (int column = 0; column < grid.columns(); ++column) line += grid.at(row, column).text;
        line.erase(line.find_last_not_of(' ') + 1);
        all += line;
        all += '\n';
    }
    return all;
}

}  // namespace parley
