// SPDX-License-Identifier: Apache-2.0
// A SQLite file as an archive. It is held like a broker would hold it, so none can run beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "store/archive/archive.h"
#include "store/sqlite_db.h"
#include "store/sqlite_file.h"

namespace parley {

class SqliteArchive final : public Archive {
public:
    [[nodiscard]] static Result<std::unique_ptr<SqliteArchive>> open(const std::string& path,
                                                                     ArchiveUse use,
                                                                     const Clock& clock);
    ~SqliteArchive() override;

    [[nodiscard]] Result<ArchiveBounds> bounds() override;
    [[nodiscard]] Result<void> dump(const ArchiveSink& sink, ArchiveFaults* faults) override;
    [[nodiscard]] Result<void> check(ArchiveFaults& faults) override;
    [[nodiscard]] Result<void> begin(const ArchiveBounds& bounds) override;
    [[nodiscard]] Result<void> put(const ArchiveRow& row) override;
    [[nodiscard]] Result<void> complete() override;
    [[nodiscard]] Result<void> commit() override;

private:
    struct Inserts;

    SqliteArchive(sqlite::FileLock lock, sqlite::Connection connection, std::string made);
    template <class Read>
    [[nodiscard]] Result<void> dump_rows(std::string_view sql, Read read, const ArchiveSink& sink,
                                         ArchiveFaults* faults);
    [[nodiscard]] Result<void> check_pages(ArchiveFaults& faults);

    // Members end in reverse order: statements before the connection, the lock last.
    sqlite::FileLock lock_;
    sqlite::Connection connection_;
    std::unique_ptr<Inserts> inserts_;  // while it is filled
    ArchiveBounds bounds_;              // of what it is filled with
    std::string made_;  // the file, if it was made for this and nothing is in it yet
};

}  // namespace parley
