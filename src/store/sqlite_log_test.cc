// SPDX-License-Identifier: Apache-2.0
// What reaches the file of a log, and when.
#include "store/sqlite_log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace parley::sqlite {

namespace {

using testing::ElementsAre;

// A file that remembers how it was called.
struct ToldFile {
    sqlite3_file base = {&kMethods};
    std::vector<std::string> told;
    int code = SQLITE_OK;  // of the next write

    static int tell(sqlite3_file* file, std::string text) {
        reinterpret_cast<ToldFile*>(file)->told.push_back(std::move(text));
        return SQLITE_OK;
    }
    static int close(sqlite3_file* file) { return tell(file, "close"); }
    static int read(sqlite3_file* file, void*, int size, sqlite3_int64 offset) {
        return tell(file, fmt::format("read {}+{}", offset, size));
    }
    static int write(sqlite3_file* file, const void*, int size, sqlite3_int64 offset) {
        tell(file, fmt::format("write {}+{}", offset, size));
        return reinterpret_cast<ToldFile*>(file)->code;
    }
    static int truncate(sqlite3_file* file, sqlite3_int64 size) {
        return tell(file, fmt::format("truncate {}", size));
    }
    static int sync(sqlite3_file* file, int) { return tell(file, "sync"); }
    static int size(sqlite3_file* file, sqlite3_int64*) { return tell(file, "size"); }

    static const sqlite3_io_methods kMethods;
};

const sqlite3_io_methods ToldFile::kMethods = [] {
    sqlite3_io_methods methods = {};
    methods.iVersion = 1;
    methods.xClose = ToldFile::close;
    methods.xRead = ToldFile::read;
    methods.xWrite = ToldFile::write;
    methods.xTruncate = ToldFile::truncate;
    methods.xSync = ToldFile::sync;
    methods.xFileSize = ToldFile::size;
    return methods;
}();

class LogWriterTest : public testing::Test {
protected:
    int write(int size, sqlite3_int64 offset) {
        const std::string bytes(static_cast<std::size_t>(size), 'f');
        return file()->pMethods->xWrite(file(), bytes.data(), size, offset);
    }
    int sync() { return file()->pMethods->xSync(file(), 0); }
    sqlite3_file* file() { return &told_.base; }

    ToldFile told_;
    LogWriter writer_{told_.base};
};

}  // namespace

TEST_F(LogWriterTest, WhatFollowsOnItselfIsWrittenOnceBeforeTheSync) {
    for (int frame = 0; frame < 3; ++frame) {
        write(24, 32 + frame * 4120);
        write(4096, 56 + frame * 4120);
    }
    EXPECT_THAT(told_.told, ElementsAre());
    EXPECT_EQ(sync(), SQLITE_OK);
    EXPECT_EQ(sync(), SQLITE_OK);
    EXPECT_THAT(told_.told, ElementsAre("write 32+12360", "sync", "sync"));
}

TEST_F(LogWriterTest, AWriteElsewhereComesAfterTheOnesBeforeIt) {
    write(24, 1000);
    write(100, 500);
    write(10, 600);
    sync();
    EXPECT_THAT(told_.told, ElementsAre("write 1000+24", "write 500+110", "sync"));
}

TEST_F(LogWriterTest, WhoeverLooksAtTheFileSeesWhatWasWritten) {
    char room[8];
    sqlite3_int64 size = 0;
    write(8, 0);
    file()->pMethods->xRead(file(), room, 8, 0);
    write(8, 8);
    file()->pMethods->xFileSize(file(), &size);
    write(8, 16);
    file()->pMethods->xTruncate(file(), 4);
    EXPECT_THAT(told_.told, ElementsAre("write 0+8", "read 0+8", "write 8+8", "size", "write 16+8",
                                        "truncate 4"));
}

TEST_F(LogWriterTest, NoWriteIsLargerThanSqliteCanDo) {
    for (sqlite3_int64 i = 0; i < 40; ++i) write(4096, i * 4096);
    sync();
    EXPECT_THAT(told_.told, ElementsAre("write 0+98304", "write 98304+65536", "sync"));
}

TEST_F(LogWriterTest, AFailedWriteFailsTheSyncAndIsNotTriedAgain) {
    write(8, 0);
    told_.code = SQLITE_FULL;
    EXPECT_EQ(sync(), SQLITE_FULL);
    told_.code = SQLITE_OK;
    EXPECT_EQ(sync(), SQLITE_OK);
    EXPECT_THAT(told_.told, ElementsAre("write 0+8", "sync"));
}

// For SQLite a disk that is full at a read is no reason to give up the transaction.
TEST_F(LogWriterTest, AFailedWriteFailsALookAtTheFileAsAWrite) {
    char room[8];
    sqlite3_int64 size = 0;
    told_.code = SQLITE_FULL;
    write(8, 0);
    EXPECT_EQ(file()->pMethods->xRead(file(), room, 8, 0), SQLITE_IOERR_WRITE);
    write(8, 0);
    EXPECT_EQ(file()->pMethods->xFileSize(file(), &size), SQLITE_IOERR_WRITE);
    EXPECT_THAT(told_.told, ElementsAre("write 0+8", "write 0+8"));
}

TEST_F(LogWriterTest, WhatWasNotSyncedIsNotWrittenAtTheEnd) {
    write(8, 0);
    file()->pMethods->xClose(file());
    EXPECT_THAT(told_.told, ElementsAre("close"));
    EXPECT_EQ(file()->pMethods, &ToldFile::kMethods);
}

}  // namespace parley::sqlite
