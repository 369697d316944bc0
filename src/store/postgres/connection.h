// SPDX-License-Identifier: Apache-2.0
// One connection to PostgreSQL, in pipeline mode: statements are sent one after the other and run
// at sync(); their rows are then received in that order. Each call may block, for as long as the
// server says something at least once in kPostgresAnswerTimeout. Once it is lost nothing can be
// sent or received: what still came would be the answer to something else. Belongs to one thread.
// Internal to the PostgreSQL engine.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "parley/ids.h"
#include "parley/values.h"
#include "store/postgres/libpq.h"
#include "store/postgres/limits.h"
#include "store/postgres/values.h"

namespace parley::postgres {

// What a statement gave, all of it at once. What text() returns lives as long as this.
class Rows {
public:
    Rows(const Libpq& libpq, PGresult* result) : libpq_(&libpq), result_(result, {&libpq}) {}

    bool next() { return ++row_ < libpq_->ntuples(result_.get()); }
    int count() const { return libpq_->ntuples(result_.get()); }
    std::int64_t affected() const;

    bool is_null(int column) const { return libpq_->get_is_null(result_.get(), row_, column) != 0; }
    std::int64_t number(int column) const;
    bool flag(int column) const { return number(column) != 0; }
    std::string_view text(int column) const;
    Cursor cursor(int column) const { return {static_cast<std::uint64_t>(number(column))}; }
    Instant instant(int column) const { return Instant(Millis(number(column))); }
    // Nil when the column holds none.
    template <class IdType>
    IdType id(int column) const {
        return IdType(id_bits(column));
    }

private:
    struct Clearer {
        const Libpq* libpq;
        void operator()(PGresult* result) const noexcept { libpq->clear(result); }
    };
    IdBits id_bits(int column) const;

    const Libpq* libpq_;
    std::unique_ptr<PGresult, Clearer> result_;
    int row_ = -1;
};

// Prepared at its first use and kept by the connection that it is used with.
class Statement {
public:
    explicit Statement(std::string sql) : sql_(std::move(sql)) {}

private:
    friend class Connection;
    std::string sql_;
    std::string name_;  // once prepared
    std::uint64_t era_ = 0;
};

class Connection {
public:
    // `url` is any address that libpq takes.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(
        const std::string& url, Millis answer_timeout = limits::kPostgresAnswerTimeout);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    template <class... Args>
    [[nodiscard]] Result<void> send(Statement& statement, const Args&... args) {
        const std::array<Value, sizeof...(Args)> values = {Value(args)...};
        return send_values(statement, values);
    }
    // Runs what was sent, if anything was since the last time. Rows are received in the order of
    // sending; an Error is that of the first statement that failed, and drops all that would
    // follow.
    [[nodiscard]] Result<void> sync();
    [[nodiscard]] Result<Rows> receive();

    // One statement, there and back.
    template <class... Args>
    [[nodiscard]] Result<Rows> run(Statement& statement, const Args&... args) {
        CHECK_OK(send(statement, args...));
        CHECK_OK(sync());
        return receive();
    }
    [[nodiscard]] Result<Rows> run_once(const std::string& sql);

    // For a node's statements, which are few, short and the same for days.
    [[nodiscard]] Result<void> plan_by_keys();
    // For who goes through all there is, which takes as long as it takes.
    [[nodiscard]] Result<void> be_patient();

    // After a failed statement: ends the transaction and forgets what was prepared in it.
    [[nodiscard]] Result<void> roll_back();
    // Whether the transaction failed only because of others', and may be tried again as it is.
    bool may_try_again() const { return may_try_again_; }
    // Whether the last failure was the server's word, and not the loss of it; and which: one of its
    // five-letter codes.
    bool is_refused() const { return !refusal_.empty(); }
    std::string_view refusal() const { return refusal_; }

    // The notifications of other connections that have come, on a channel on which each says how
    // far the store goes then; 0 if none of them did.
    struct News {
        bool has_any = false;
        Cursor up_to = {};
    };
    News take_news();
    // Takes in what the server has said by itself, without waiting. False when the connection is
    // gone.
    [[nodiscard]] bool take_in();

    int socket() const { return libpq_.socket(handle_); }

private:
    enum class Expected : std::uint8_t { preparation, rows, sync };

    Connection(const Libpq& libpq, PGconn* handle, Millis answer_timeout)
        : libpq_(libpq), handle_(handle), answer_timeout_(answer_timeout) {}
    [[nodiscard]] Result<void> configure();
    [[nodiscard]] Result<void> send_values(Statement& statement, std::span<const Value> values);
    [[nodiscard]] Result<void> drop_forgotten();
    [[nodiscard]] Result<PGresult*> next_result();
    [[nodiscard]] Result<void> wait(short events);
    Rejection fail(const PGresult* result);
    Rejection fail_connection();
    Rejection lose(std::string_view message);
    [[nodiscard]] Result<void> check_kept() const;
    void drain();

    const Libpq& libpq_;
    PGconn* handle_;
    const Millis answer_timeout_;
    std::optional<Error> loss_;
    std::deque<Expected> expected_;
    bool may_be_misread_ = false;  // its address, until it is connected
    std::uint64_t era_ = 1;
    bool has_forgotten_ = false;  // statements that the server still has
    std::uint64_t statements_ = 0;
    bool may_try_again_ = false;
    std::string refusal_;
};

}  // namespace parley::postgres
