// SPDX-License-Identifier: Apache-2.0
#include "app/commands/described_table.h"

#include <string>

namespace parley::app {

DescribedTable::DescribedTable() {
    for (const CommandEntry& entry : command_table()) {
        made_.push_back(entry.make());
        commands_.push_back(
            {std::string(entry.name), std::string(entry.summary), made_.back()->spec()});
    }
}

}  // namespace parley::app
