// SPDX-License-Identifier: Apache-2.0
// A thin layer over SQLite's C interface: a connection and prepared statements as owners, errors as
// Error with the path, the cause and the fix. Internal to the SQLite engine; one thread; it knows
// nothing of asks.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/result.h"
#include "parley/ids.h"
#include "parley/values.h"
#include "store/sqlite_log.h"

namespace parley::sqlite {

// An id as it is stored: 16 bytes, the highest first, so that bytes compare as ids do.
using IdBytes = std::array<unsigned char, 16>;
IdBytes to_bytes(IdBits bits);

inline constexpr std::size_t kPageSize = 4096;

class Connection {
public:
    struct Options {
        std::string path;
        const char* vfs = nullptr;  // null: the system's
    };

    [[nodiscard]] static Result<Connection> open(const Options& options);
    Connection(Connection&&) = default;
    Connection& operator=(Connection&&) = delete;  // what an open one counts into would go first

    // Statements without parameters and results.
    [[nodiscard]] Result<void> exec(const char* sql);
    // The first column of the first row, as text; "" when there is none.
    [[nodiscard]] Result<std::string> ask_text(const char* sql);
    [[nodiscard]] Result<std::int64_t> ask_number(const char* sql);

    // From here on a commit is written to the log in one piece. The log must be open, which it is
    // once something was read.
    [[nodiscard]] Result<void> gather_log_writes();
    // Copies what is in the write-ahead log into the database and makes both durable. Afterwards
    // the log starts over.
    [[nodiscard]] Result<void> checkpoint();
    // The same, and nothing is left in the log.
    [[nodiscard]] Result<void> empty_log();
    // Size of the log after the latest commit.
    std::size_t log_bytes() const { return static_cast<std::size_t>(*log_pages_) * kPageSize; }

    int changed_rows() const { return sqlite3_changes(db_.get()); }
    bool is_read_only() const { return sqlite3_db_readonly(db_.get(), "main") == 1; }
    Error error(int code) const;
    sqlite3* handle() const { return db_.get(); }

private:
    struct Closer {
        void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
    };
    Connection() = default;

    std::string path_;
    // Outlives the connection, which counts frames into it.
    [[nodiscard]] Result<void> copy_log(int mode);

    std::unique_ptr<int> log_pages_ = std::make_unique<int>(0);
    std::unique_ptr<LogWriter> log_writer_;  // the same
    std::unique_ptr<sqlite3, Closer> db_;
};

// A statement, prepared at its first use and kept. run() is for writes, Rows for reads; both leave
// it reset. The connection must outlive it.
class Statement {
public:
    Statement(const Connection& connection, std::string sql)
        : connection_(connection), sql_(std::move(sql)) {}

    // Binds all parameters in order, runs to the end; the number of rows that it changed.
    template <class... Args>
    [[nodiscard]] Result<int> run(const Args&... args) {
        if (const int code = prepare(); code != SQLITE_OK) return reject(connection_.error(code));
        const auto stored = std::tuple{to_stored(args)...};
        bind_all(stored, SQLITE_STATIC);
        return finish();
    }

private:
    friend class Rows;

    struct Closer {
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };

    static std::int64_t to_stored(std::int64_t value) { return value; }
    static std::int64_t to_stored(std::uint64_t value) { return static_cast<std::int64_t>(value); }
    static std::int64_t to_stored(int value) { return value; }
    static std::int64_t to_stored(Cursor cursor) { return to_stored(cursor.value); }
    static std::int64_t to_stored(Instant at) { return at.time_since_epoch().count(); }
    static std::string_view to_stored(std::string_view text) { return text; }
    static std::nullptr_t to_stored(std::nullptr_t) { return nullptr; }
    template <class Kind>
    static IdBytes to_stored(Id<Kind> id) {
        return to_bytes(id.bits());
    }
    template <class T>
    static auto to_stored(const std::optional<T>& value) {
        using Stored = decltype(to_stored(*value));
        return value ? std::optional<Stored>(to_stored(*value)) : std::nullopt;
    }

    template <class... Stored>
    void bind_all(const std::tuple<Stored...>& values, sqlite3_destructor_type life) {
        std::apply(
            [&](const auto&... value) {
                int index = 0;
                (bind(++index, value, life), ...);
            },
            values);
    }
    void bind(int index, std::int64_t value, sqlite3_destructor_type life);
    void bind(int index, std::string_view text, sqlite3_destructor_type life);
    void bind(int index, const IdBytes& id, sqlite3_destructor_type life);
    void bind(int index, std::nullptr_t, sqlite3_destructor_type life);
    template <class T>
    void bind(int index, const std::optional<T>& value, sqlite3_destructor_type life) {
        value ? bind(index, *value, life) : bind(index, nullptr, life);
    }

    // SQLITE_OK, or why it could not be prepared.
    int prepare();
    [[nodiscard]] Result<int> finish();

    const Connection& connection_;
    std::string sql_;
    std::unique_ptr<sqlite3_stmt, Closer> statement_;
};

// The rows of a statement that is being read; resets it at the end of its scope. What text()
// returns lives until the next row.
class Rows {
public:
    template <class... Args>
    explicit Rows(Statement& statement, const Args&... args)
        : statement_(statement), prepare_code_(statement.prepare()) {
        if (prepare_code_ == SQLITE_OK)
            statement_.bind_all(std::tuple{Statement::to_stored(args)...}, SQLITE_TRANSIENT);
    }
    ~Rows() { sqlite3_reset(raw()); }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    // Steps to the next row; false at the end.
    [[nodiscard]] Result<bool> next();

    bool is_null(int column) const { return sqlite3_column_type(raw(), column) == SQLITE_NULL; }
    std::int64_t number(int column) const { return sqlite3_column_int64(raw(), column); }
    std::string_view text(int column) const;
    Cursor cursor(int column) const { return {static_cast<std::uint64_t>(number(column))}; }
    // Nil when the column holds none.
    template <class IdType>
    IdType id(int column) const {
        return IdType(id_bits(column));
    }

private:
    sqlite3_stmt* raw() const { return statement_.statement_.get(); }
    IdBits id_bits(int column) const;

    Statement& statement_;
    int prepare_code_;
};

}  // namespace parley::sqlite
