// SPDX-License-Identifier: Apache-2.0
// What a broker that has a store for itself does with it for a command: a copy of it, pruning, and
// deleting what asks said.
// Each call runs a loop of its own until it is done.
#pragma once

#include <span>
#include <string>

#include "app/command_line/run_context.h"
#include "app/keep/export_files.h"
#include "app/keep/long_work.h"
#include "app/keep/store_option.h"
#include "base/result.h"
#include "store/retention.h"

namespace parley::app {

// The store that a command means, and whether a broker has it for itself.
struct MeantStore {
    std::string url;  // "" for whichever the broker has that was named
    bool is_brokers = false;
};
[[nodiscard]] Result<MeantStore> find_meant_store(const RunContext& context,
                                                  const StoreOption& option);
// The same of a store that is named by its address.
[[nodiscard]] Result<MeantStore> find_named_store(std::string url);

// A broker that has another store than the one that is meant is refused.
[[nodiscard]] Result<void> copy_from_broker(const RunContext& context, const MeantStore& meant,
                                            NewFile& file, LongWork& work);
// Of settled asks; those before one that fails are done.
[[nodiscard]] Result<void> forget_in_broker(const RunContext& context, const MeantStore& meant,
                                            std::span<const AskId> asks);
[[nodiscard]] Result<Pruned> prune_in_broker(const RunContext& context, const MeantStore& meant,
                                             const Retention& before, LongWork& work);

}  // namespace parley::app
