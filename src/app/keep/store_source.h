// SPDX-License-Identifier: Apache-2.0
// A store to be read, whether a broker runs or not.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/command_line/run_context.h"
#include "app/keep/long_work.h"
#include "app/keep/running_broker.h"
#include "app/keep/store_option.h"
#include "base/clock.h"
#include "store/archive/archive.h"
#include "store/engine.h"

namespace parley::app {

// A folder of this process, gone with it.
class WorkFolder {
public:
    [[nodiscard]] static Result<std::unique_ptr<WorkFolder>> make();
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    std::string path(const char* name) const { return (folder_ / name).string(); }

private:
    explicit WorkFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::filesystem::path folder_;
};

// Where a store can be read: its own place, or a copy that a running broker made of it.
struct Readable {
    std::unique_ptr<WorkFolder> folder;  // of the copy; null for none
    std::string url;
};
[[nodiscard]] Result<Readable> find_readable(const RunContext& context, MeantStore meant,
                                             LongWork& work);
[[nodiscard]] Result<Readable> find_readable(const RunContext& context, const StoreOption& store,
                                             LongWork& work);

// A store that no broker has for itself, to be changed; it must be there.
[[nodiscard]] Result<std::unique_ptr<Engine>> open_engine(const std::string& url,
                                                          const Clock& clock);

struct StoreSource {
    std::unique_ptr<WorkFolder> folder;
    std::unique_ptr<Archive> archive;  // goes first
};
[[nodiscard]] Result<StoreSource> open_source(const RunContext& context, MeantStore meant,
                                              LongWork& work);
[[nodiscard]] Result<StoreSource> open_source(const RunContext& context, const StoreOption& store,
                                              LongWork& work);

}  // namespace parley::app
