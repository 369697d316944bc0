// SPDX-License-Identifier: Apache-2.0
// The tables of a SQLite store and how older ones are brought up to date. The format is described
// for other programs in docs/formats/sqlite.md; the numbers here are part of it and never change.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "parley/values.h"
#include "store/sqlite_db.h"
#include "store/stored_numbers.h"

namespace parley::sqlite {

using stored::EventType;
using stored::state_after;

// PRAGMA user_version of what this program writes.
int schema_version();

// Makes the tables of a new database, or runs the steps that an older one lacks, each in a
// transaction of its own. Refuses a newer one (`unsupported`) and a database of another program,
// and then changes nothing. `now` becomes the birth of a new store.
[[nodiscard]] Result<void> check_owner(Connection& connection, const std::string& path);
// How this program uses the file at `path`: alone, with a log, every commit synced.
[[nodiscard]] Result<void> configure(Connection& connection, const std::string& path,
                                     std::size_t cache_bytes);
[[nodiscard]] Result<void> bring_up_to_date(Connection& connection, Instant now);

}  // namespace parley::sqlite
