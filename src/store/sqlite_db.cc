// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_db.h"

#include <cstring>

#include "base/assert.h"

namespace parley::sqlite {

namespace {

IdBits from_bytes(const unsigned char* bytes) {
    IdBits bits;
    for (int i = 0; i < 8; ++i) bits.high = bits.high << 8 | bytes[i];
    for (int i = 8; i < 16; ++i) bits.low = bits.low << 8 | bytes[i];
    return bits;
}

struct Diagnosis {
    ErrorCode code;
    const char* cause;
    const char* fix;
};

Diagnosis diagnose(int primary_code) {
    switch (primary_code) {
        case SQLITE_FULL:
            return {ErrorCode::unavailable, "the disk is full", "free space on its file system"};
        case SQLITE_IOERR:
            return {ErrorCode::unavailable, "the disk failed to read or write",
                    "check the disk and the system's log"};
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return {ErrorCode::unavailable, "it cannot be written to",
                    "make the file and its folder writable for this user"};
        case SQLITE_CANTOPEN:
            return {ErrorCode::unavailable, "it cannot be opened",
                    "check that its folder exists and that this user may write there"};
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {ErrorCode::conflict, "another program is using it",
                    "stop that program (a second broker, or a database browser)"};
        case SQLITE_CORRUPT:
            return {ErrorCode::corrupt, "its content is damaged",
                    "restore a backup, or save what can be saved with `sqlite3 FILE .recover`"};
        case SQLITE_NOTADB:
            return {ErrorCode::corrupt, "it is not a database",
                    "move the file away or name another one"};
        case SQLITE_NOMEM:
            return {ErrorCode::unavailable, "memory is exhausted", "give the process more memory"};
        default:
            return {ErrorCode::internal, "the database refused a statement",
                    "please report this as a bug"};
    }
}

int count_log_pages(void* counter, sqlite3*, const char*, int pages) {
    *static_cast<int*>(counter) = pages;
    return SQLITE_OK;
}

}  // namespace

IdBytes to_bytes(IdBits bits) {
    IdBytes bytes;
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<unsigned char>(bits.high >> (56 - 8 * i));
        bytes[i + 8] = static_cast<unsigned char>(bits.low >> (56 - 8 * i));
    }
    return bytes;
}

Result<Connection> Connection::open(const Options& options) {
    Connection connection;
    connection.path_ = options.path;
    sqlite3* raw = nullptr;
    constexpr int kFlags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(options.path.c_str(), &raw, kFlags, options.vfs);
    connection.db_.reset(raw);
    if (code != SQLITE_OK) return reject(connection.error(code));
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_wal_hook(raw, count_log_pages, connection.log_pages_.get());
    return connection;
}

Error Connection::error(int code) const {
    const Diagnosis diagnosis = diagnose(code & 0xff);
    const bool has_said = db_ && sqlite3_extended_errcode(db_.get()) == code;
    std::string detail = has_said ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(code);
    const bool is_from_system = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
    if (const int system = db_ ? sqlite3_system_errno(db_.get()) : 0; is_from_system && system != 0)
        detail += fmt::format("; {}", std::strerror(system));
    return {.code = diagnosis.code,
            .message = fmt::format("the store {} failed: {} ({}, SQLite code {}). To fix it: {}",
                                   path_, diagnosis.cause, detail, code, diagnosis.fix)};
}

Result<void> Connection::exec(const char* sql) {
    const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return reject(error(code));
    return {};
}

Result<std::string> Connection::ask_text(const char* sql) {
    Statement statement(*this, sql);
    Rows rows(statement);
    TRY(is_row, rows.next());
    if (!is_row) return std::string();
    std::string text(rows.text(0));
    // To the end, where what a pragma writes is committed.
    CHECK_OK(rows.next());
    return text;
}

Result<std::int64_t> Connection::ask_number(const char* sql) {
    Statement statement(*this, sql);
    Rows rows(statement);
    TRY(is_row, rows.next());
    return is_row ? rows.number(0) : 0;
}

Result<void> Connection::gather_log_writes() {
    sqlite3_file* log = nullptr;
    const int code = sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER,
                                          static_cast<void*>(&log));
    if (code != SQLITE_OK) return reject(error(code));
    ASSERT(log != nullptr && log->pMethods != nullptr && !log_writer_);
    log_writer_ = std::make_unique<LogWriter>(*log);
    return {};
}

Result<void> Connection::checkpoint() {
    // With one connection nothing can hold the log back, so every mode copies all of it; TRUNCATE
    // would only make the next commits pay for growing the file again.
    return copy_log(SQLITE_CHECKPOINT_RESTART);
}

Result<void> Connection::empty_log() {
    return copy_log(SQLITE_CHECKPOINT_TRUNCATE);
}

Result<void> Connection::copy_log(int mode) {
    const int code = sqlite3_wal_checkpoint_v2(db_.get(), "main", mode, nullptr, nullptr);
    if (code != SQLITE_OK) return reject(error(code));
    *log_pages_ = 0;
    return {};
}

int Statement::prepare() {
    if (statement_) return SQLITE_OK;
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(connection_.handle(), sql_.c_str(), -1,
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    statement_.reset(raw);
    return code;
}

// A failed bind leaves NULL behind, and the only cause left is exhausted memory or our own
// miscount.
void Statement::bind(int index, std::int64_t value, sqlite3_destructor_type) {
    ASSERT(sqlite3_bind_int64(statement_.get(), index, value) == SQLITE_OK);
}

void Statement::bind(int index, std::string_view text, sqlite3_destructor_type life) {
    // A null pointer would bind NULL instead of the empty text.
    const char* data = text.data() != nullptr ? text.data() : "";
    ASSERT(sqlite3_bind_text64(statement_.get(), index, data, text.size(), life, SQLITE_UTF8) ==
           SQLITE_OK);
}

void Statement::bind(int index, const IdBytes& id, sqlite3_destructor_type life) {
    ASSERT(sqlite3_bind_blob(statement_.get(), index, id.data(), static_cast<int>(id.size()),
                             life) == SQLITE_OK);
}

void Statement::bind(int index, std::nullptr_t, sqlite3_destructor_type) {
    ASSERT(sqlite3_bind_null(statement_.get(), index) == SQLITE_OK);
}

Result<int> Statement::finish() {
    const int code = sqlite3_step(statement_.get());
    const int changed = connection_.changed_rows();
    ASSERT(code != SQLITE_ROW);
    if (code == SQLITE_DONE) {
        sqlite3_reset(statement_.get());
        return changed;
    }
    Error error = connection_.error(code);
    sqlite3_reset(statement_.get());
    return reject(std::move(error));
}

Result<bool> Rows::next() {
    if (prepare_code_ != SQLITE_OK) return reject(statement_.connection_.error(prepare_code_));
    const int code = sqlite3_step(raw());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return reject(statement_.connection_.error(code));
}

std::string_view Rows::text(int column) const {
    const auto* data = sqlite3_column_blob(raw(), column);
    if (data == nullptr) return {};
    return {static_cast<const char*>(data),
            static_cast<std::size_t>(sqlite3_column_bytes(raw(), column))};
}

IdBits Rows::id_bits(int column) const {
    const auto* data = static_cast<const unsigned char*>(sqlite3_column_blob(raw(), column));
    if (data == nullptr || sqlite3_column_bytes(raw(), column) != 16) return {};
    return from_bytes(data);
}

}  // namespace parley::sqlite
