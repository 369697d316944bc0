// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL database as an archive: one more client of it, beside whichever nodes run. It reads
// one moment of the store, and fills an empty one in one transaction.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/clock.h"
#include "store/archive/archive.h"
#include "store/postgres/connection.h"

namespace parley {

class PostgresArchive final : public Archive {
public:
    // `url` is any address that libpq takes.
    [[nodiscard]] static Result<std::unique_ptr<PostgresArchive>> open(const std::string& url,
                                                                       ArchiveUse use,
                                                                       const Clock& clock);
    ~PostgresArchive() override;

    [[nodiscard]] Result<ArchiveBounds> bounds() override;
    [[nodiscard]] Result<void> dump(const ArchiveSink& sink, ArchiveFaults* faults) override;
    [[nodiscard]] Result<void> check(ArchiveFaults& faults) override;
    [[nodiscard]] Result<void> begin(const ArchiveBounds& bounds) override;
    [[nodiscard]] Result<void> put(const ArchiveRow& row) override;
    [[nodiscard]] Result<void> complete() override;
    [[nodiscard]] Result<void> commit() override;

private:
    struct Inserts;

    explicit PostgresArchive(std::unique_ptr<postgres::Connection> connection);
    template <class Read>
    [[nodiscard]] Result<void> dump_rows(const std::string& sql, Read read, const ArchiveSink& sink,
                                         ArchiveFaults* faults);
    // Waits for what was sent.
    [[nodiscard]] Result<void> settle_sent();

    std::unique_ptr<postgres::Connection> connection_;
    std::unique_ptr<Inserts> inserts_;  // while it is filled
    ArchiveBounds bounds_;              // of what it is filled with
    std::size_t sent_ = 0;              // statements that were not answered yet
};

}  // namespace parley
