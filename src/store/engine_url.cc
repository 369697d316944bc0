// SPDX-License-Identifier: Apache-2.0
#include "store/engine_url.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/memory_engine.h"
#include "store/postgres/postgres_engine.h"
#include "store/sqlite_engine.h"

namespace parley {

namespace {

constexpr std::string_view kMemory = "memory:";
constexpr std::string_view kSqlite = "sqlite:";

bool is_postgres(std::string_view url) {
    return url.starts_with("postgres://") || url.starts_with("postgresql://");
}

}  // namespace

Result<std::unique_ptr<Engine>> make_engine(std::string_view url, const Clock& clock,
                                            OnMended on_mended) {
    if (url == kMemory) return std::make_unique<MemoryEngine>(clock);
    if (url.starts_with(kSqlite) && url.size() > kSqlite.size()) {
        std::string path(url.substr(kSqlite.size()));
        return std::make_unique<SqliteEngine>(
            SqliteOptions{.path = std::move(path), .on_mended = std::move(on_mended)}, clock);
    }
    if (is_postgres(url))
        return std::make_unique<PostgresEngine>(PostgresOptions{.url = std::string(url)}, clock);
    return reject(ErrorCode::invalid,
                  "there is no store \"{}\"; write memory:, sqlite:PATH or "
                  "postgres://USER@HOST/DATABASE",
                  url);
}

// Both places where libpq looks for one: before the host, and among the parameters.
std::string shown_url(std::string_view url) {
    std::string shown(url);
    if (!is_postgres(url)) return shown;
    const std::size_t user = shown.find("//") + 2;
    const std::size_t host = shown.find('@', user);
    const std::size_t colon = shown.find(':', user);
    if (host < shown.find_first_of("/?", user) && colon < host)
        shown.replace(colon + 1, host - colon - 1, "***");
    constexpr std::string_view kPassword = "password=";
    for (std::size_t at = shown.find(kPassword); at != std::string::npos;
         at = shown.find(kPassword, at)) {
        at += kPassword.size();
        shown.replace(at, std::min(shown.find('&', at), shown.size()) - at, "***");
    }
    return shown;
}

bool needs_thread(std::string_view url) {
    return url != kMemory;
}

}  // namespace parley
