// SPDX-License-Identifier: Apache-2.0
#include "store/engine_url.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/memory_engine.h"
#include "store/postgres/postgres_engine.h"
#include "store/sqlite_engine.h"
#include "store/sqlite_file.h"

namespace parley {

namespace {

constexpr std::string_view kMemory = "memory:";
constexpr std::string_view kSqlite = "sqlite:";

}  // namespace

std::optional<std::string> sqlite_path(std::string_view url) {
    if (!url.starts_with(kSqlite) || url.size() == kSqlite.size()) return std::nullopt;
    return std::string(url.substr(kSqlite.size()));
}

bool is_postgres(std::string_view url) {
    return url.starts_with("postgres://") || url.starts_with("postgresql://");
}

Result<std::unique_ptr<Engine>> make_engine(std::string_view url, const Clock& clock,
                                            OnMended on_mended, SharedClock* shared) {
    if (url == kMemory) return std::make_unique<MemoryEngine>(clock);
    if (auto path = sqlite_path(url))
        return std::make_unique<SqliteEngine>(
            SqliteOptions{.path = std::move(*path), .on_mended = std::move(on_mended)}, clock);
    if (is_postgres(url))
        return std::make_unique<PostgresEngine>(
            PostgresOptions{.url = std::string(url), .shared_clock = shared}, clock);
    return reject(ErrorCode::invalid,
                  "there is no store \"{}\"; write memory:, sqlite:PATH or "
                  "postgres://USER@HOST/DATABASE",
                  url);
}

std::string absolute_url(std::string_view url) {
    const auto path = sqlite_path(url);
    const auto absolute =
        path ? sqlite::absolute_path(*path) : Result<std::string>(std::string(url));
    return path && absolute ? std::string(kSqlite) + *absolute : std::string(url);
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
