// SPDX-License-Identifier: Apache-2.0
// Writes the frames of a commit to the write-ahead log in one piece. SQLite writes two pieces for
// every page, each by a call to the system; here they are gathered until SQLite syncs the log,
// which it does before a commit counts, or looks at it. Internal to the SQLite engine.
#pragma once

#include <sqlite3.h>

#include <string>

namespace parley::sqlite {

class LogWriter {
public:
    // Takes over the writing of an open file, whose owner closes it as ever. Must outlive that.
    explicit LogWriter(sqlite3_file& log);
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

private:
    struct Calls;

    // What SQLite calls. The file has their address, and by it they know this object.
    struct Methods {
        sqlite3_io_methods table;
        LogWriter* self;
    };
    static LogWriter& of(sqlite3_file* log) {
        return *reinterpret_cast<const Methods*>(log->pMethods)->self;
    }

    int write(sqlite3_file* log, const void* bytes, int size, sqlite3_int64 offset);
    // Writes out what was gathered. What cannot be written is given up, and SQLite must be told so
    // that it gives up the transaction.
    int flush(sqlite3_file* log);

    const sqlite3_io_methods* system_;
    Methods methods_;
    std::string gathered_;
    sqlite3_int64 offset_ = 0;  // where it belongs
};

}  // namespace parley::sqlite
