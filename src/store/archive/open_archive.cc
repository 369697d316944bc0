// SPDX-License-Identifier: Apache-2.0
#include "store/archive/archive.h"
#include "store/archive/sqlite_archive.h"
#include "store/engine_url.h"
#include "store/postgres/archive.h"

namespace parley {

Result<std::unique_ptr<Archive>> open_archive(std::string_view url, ArchiveUse use,
                                              const Clock& clock) {
    if (const auto path = sqlite_path(url)) return SqliteArchive::open(*path, use, clock);
    if (is_postgres(url)) return PostgresArchive::open(std::string(url), use, clock);
    return reject(ErrorCode::invalid,
                  "{} is no store on a disk; write sqlite:PATH or postgres://USER@HOST/DATABASE",
                  url.empty() ? "\"\"" : url);
}

}  // namespace parley
