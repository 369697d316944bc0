// SPDX-License-Identifier: Apache-2.0
#include "store/engine_url.h"

#include <string>
#include <utility>

#include "store/memory_engine.h"
#include "store/sqlite_engine.h"

namespace parley {

namespace {

constexpr std::string_view kMemory = "memory:";
constexpr std::string_view kSqlite = "sqlite:";

}  // namespace

Result<std::unique_ptr<Engine>> make_engine(std::string_view url, const Clock& clock,
                                            OnMended on_mended) {
    if (url == kMemory) return std::make_unique<MemoryEngine>(clock);
    if (url.starts_with(kSqlite) && url.size() > kSqlite.size()) {
        std::string path(url.substr(kSqlite.size()));
        return std::make_unique<SqliteEngine>(
            SqliteOptions{.path = std::move(path), .on_mended = std::move(on_mended)}, clock);
    }
    return reject(ErrorCode::invalid, "there is no store \"{}\"; write memory: or sqlite:PATH",
                  url);
}

bool needs_thread(std::string_view url) {
    return url != kMemory;
}

}  // namespace parley
