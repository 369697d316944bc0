// SPDX-License-Identifier: Apache-2.0
// The housekeeping of a running broker's store, in slices between its commits: a copy of it for who
// backs it up, and what is over goes when it is old enough. Lives on the broker's executor, beside
// the broker; the store must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/done.h"
#include "base/executor.h"
#include "base/ids.h"
#include "base/result.h"
#include "store/retention.h"
#include "store/store.h"
#include "store/store_copy.h"

namespace parley {

// How long what is over is kept; nothing: for ever.
struct KeepTimes {
    std::optional<Millis> asks = {};
    std::optional<Millis> sessions = {};
    std::optional<Millis> messages = {};

    Retention before(Instant now) const;
};

class StoreKeeper {
public:
    struct Wiring {
        Executor& home;
        const Clock& clock;
        Store& store;
        RandomBits random;
        std::string url;  // of the store, as people are shown it
        // Told what went by the setting, whenever something did, and why something could not.
        std::function<void(const Result<Pruned>&)> on_pruned = {};
    };
    struct Copy {
        std::string id;
        CopyState state;
    };

    StoreKeeper(Wiring wiring, KeepTimes times);
    ~StoreKeeper();
    StoreKeeper(const StoreKeeper&) = delete;
    StoreKeeper& operator=(const StoreKeeper&) = delete;

    const std::string& url() const;

    // From now on what is older than the setting goes, a little every while.
    void start();

    // One copy at a time; one that nobody asks for any more is dropped after a while.
    void begin_copy(Done<Copy> done);
    // Goes on making it for a moment; how far it is then.
    void look_at_copy(std::string_view id, Done<Copy> done);
    void read_copy(std::string_view id, std::uint64_t offset, Done<std::string> done);
    void drop_copy(std::string_view id, Done<void> done);

    // For a moment, and whether there is more to do.
    void prune(const Retention& before, Done<Pruned> done);

private:
    class Self;
    std::shared_ptr<Self> self_;
};

}  // namespace parley
