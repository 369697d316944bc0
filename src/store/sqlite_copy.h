// SPDX-License-Identifier: Apache-2.0
// A copy of a SQLite store that is made while it is in use: in slices, each of which holds up the
// next commit by a few milliseconds at most. It goes by the one connection that the store has, so
// that what is committed meanwhile is in it: a whole copy is the store as it was at its end. The
// file has no name, and is gone with the copy. Internal to the SQLite engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/sqlite_db.h"
#include "store/store_copy.h"

namespace parley::sqlite {

class Copy {
public:
    // In the folder of the store at `path`. The source must outlive it.
    [[nodiscard]] static Result<std::unique_ptr<Copy>> begin(const Connection& source,
                                                             const std::string& path);
    ~Copy();
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

    [[nodiscard]] Result<CopyState> step();
    // Of a whole one; "" at its end.
    [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t size) const;

private:
    struct Finisher {
        void operator()(sqlite3_backup* backup) const noexcept { sqlite3_backup_finish(backup); }
    };

    Copy(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

    std::string path_;
    int descriptor_;
    CopyState state_;
    std::optional<Connection> target_;
    std::unique_ptr<sqlite3_backup, Finisher> backup_;  // goes first
};

}  // namespace parley::sqlite
