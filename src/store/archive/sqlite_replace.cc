// SPDX-License-Identifier: Apache-2.0
#include "store/archive/sqlite_replace.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "store/limits.h"
#include "store/sqlite_db.h"
#include "store/sqlite_file.h"
#include "store/sqlite_schema.h"

namespace parley {

namespace {

// Its log would be taken for that of the new file: what is in it goes where it belongs, first. A
// file that cannot even be opened loses it with the rest of its place.
void empty_log(const std::string& path) {
    {
        auto old = sqlite::Connection::open({.path = path});
        if (old && sqlite::configure(*old, path, limits::kSqliteCacheBytes))
            (void)old->checkpoint();
    }
    ::unlink((path + "-wal").c_str());
}

}  // namespace

Result<void> replace_store_file(const std::string& made, const std::string& named, ReplaceOld old) {
    TRY(store, sqlite::absolute_path(named));
    TRY(lock, sqlite::claim_store_file(store));
    std::error_code code;
    const bool is_empty = std::filesystem::file_size(store, code) == 0;
    if (!is_empty && old == ReplaceOld::no)
        return reject(ErrorCode::conflict,
                      "there is a store {} already. To fix it: name another one, or give --force "
                      "to have it replaced",
                      store);
    if (!is_empty) empty_log(store);
    if (std::rename(made.c_str(), store.c_str()) != 0)
        return reject(ErrorCode::unavailable, "cannot put the backup in the place of {}: {}", store,
                      std::strerror(errno));
    return {};
}

}  // namespace parley
