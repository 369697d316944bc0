// SPDX-License-Identifier: Apache-2.0
// Puts another SQLite file in the place of a store.
#pragma once

#include <string>

#include "base/result.h"

namespace parley {

enum class ReplaceOld : bool { no, yes };

// `made` gets the name `store`, which lies in the same folder, in one step: at every moment there
// is the old store whole or the new one. One that a broker has for itself is `conflict`, and so is
// one that holds anything unless it may go.
[[nodiscard]] Result<void> replace_store_file(const std::string& made, const std::string& store,
                                              ReplaceOld old);

}  // namespace parley
