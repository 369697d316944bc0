// SPDX-License-Identifier: Apache-2.0
// A store as a whole: every row of it, whichever engine keeps it, to be copied elsewhere, filled
// from elsewhere, or looked through. Rows are the store's facts; lists and indexes are made anew
// where they are put. One thread; blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"
#include "core/snapshot.h"
#include "parley/values.h"
#include "store/archive/faults.h"

namespace parley {

// Events after `oldest` are there, up to and with `head`. A store that is filled goes on from
// there, so that who follows it by a cursor can go on as well.
struct ArchiveBounds {
    Cursor oldest;
    Cursor head;

    bool operator==(const ArchiveBounds&) const = default;
};

struct ArchivedSession {
    SessionPtr session;
    std::optional<MessageId> taken;  // messages up to this one; those after it wait
};

struct ArchivedAsk {
    AskPtr ask;
    std::optional<Cursor> settled;  // of its settlement, if it has one
};

// As it is stored: what it tells of asks, messages, drafts, tokens and marks is in their rows.
struct ArchivedEvent {
    Cursor cursor;
    int type = 0;  // stored::EventType
    Instant at = {};
    SessionId session = {};
    std::optional<AskId> ask = {};
    std::optional<MessageId> message = {};
    std::optional<std::string> doc = {};
};

// In this order: what a row names has come before it.
using ArchiveRow = std::variant<ArchivedSession, ArchivedAsk, QueuedMessage, KeptDraft, Snooze,
                                TokenPtr, MarkPtr, ArchivedEvent>;
using ArchiveSink = std::function<Result<void>(const ArchiveRow&)>;

class Archive {
public:
    virtual ~Archive() = default;

    // One moment of the store: until the archive goes, or commit(), what others write is not seen.
    [[nodiscard]] virtual Result<ArchiveBounds> bounds() = 0;
    // All rows, by kind and then by id, name or cursor. A row that cannot be read is told to
    // `faults` and passed over; without one it ends the dump.
    [[nodiscard]] virtual Result<void> dump(const ArchiveSink& sink,
                                            ArchiveFaults* faults = nullptr) = 0;
    // What rows say of each other, and of the lists that are kept of them.
    [[nodiscard]] virtual Result<void> check(ArchiveFaults& faults) = 0;

    // Filling an empty store: any other is refused as `conflict`. What was put is there for dump()
    // and check() after complete(), and for everybody else after commit(); an archive that goes
    // before leaves the store empty.
    [[nodiscard]] virtual Result<void> begin(const ArchiveBounds& bounds) = 0;
    [[nodiscard]] virtual Result<void> put(const ArchiveRow& row) = 0;
    [[nodiscard]] virtual Result<void> complete() = 0;
    [[nodiscard]] virtual Result<void> commit() = 0;
};

enum class ArchiveUse : std::uint8_t { read, fill };

// "sqlite:PATH" or an address of PostgreSQL. To be read, a store must be there; to be filled, it is
// made. An older format is brought up to date in a SQLite file, which nobody else has open; in
// PostgreSQL it is refused, since older nodes may be at work. One that a broker has for itself is
// `conflict`.
[[nodiscard]] Result<std::unique_ptr<Archive>> open_archive(std::string_view url, ArchiveUse use,
                                                            const Clock& clock);

}  // namespace parley
