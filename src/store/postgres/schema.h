// SPDX-License-Identifier: Apache-2.0
// The tables of a PostgreSQL store and how older ones are brought up to date. The format is
// described for other programs in docs/formats/postgres.md. Internal to the PostgreSQL engine.
#pragma once

#include "base/result.h"
#include "parley/values.h"
#include "store/postgres/connection.h"

namespace parley::postgres {

// state.format of what this program writes.
int schema_version();

// Says that another program wrote what is there, and which format.
Rejection refuse_format(std::int64_t format);

// Refuses whatever has another format than this program writes, and changes nothing: nodes of
// another version may be at work there. No store at all is well.
[[nodiscard]] Result<void> check_format(Connection& connection);

// Whether anything of ours is there.
[[nodiscard]] Result<bool> has_store(Connection& connection);

// Makes the tables of a new store, or runs the steps that an older one lacks, all in one
// transaction and one node at a time. Refuses a newer one (`unsupported`) and then changes nothing.
// `now` becomes the birth of a new store.
[[nodiscard]] Result<void> bring_up_to_date(Connection& connection, Instant now);

}  // namespace parley::postgres
