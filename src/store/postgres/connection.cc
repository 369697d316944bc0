// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "base/assert.h"
#include "store/postgres/errors.h"
#include "store/postgres/limits.h"

namespace parley::postgres {

namespace {

constexpr int kBinary = 1;

std::string_view text_of(const char* text) {
    return text == nullptr ? std::string_view() : std::string_view(text);
}

// What an address may say otherwise. A server that stopped answering is given up in seconds.
constexpr std::array kDefaults = {
    std::pair{"fallback_application_name", "parley"},
    std::pair{"target_session_attrs", "read-write"},
    std::pair{"connect_timeout", "5"},
    std::pair{"keepalives_idle", "5"},
    std::pair{"keepalives_interval", "2"},
    std::pair{"keepalives_count", "3"},
    std::pair{"tcp_user_timeout", "15000"},
};

bool is_of_others(std::string_view state) {
    return state == "40P01" || state == "40001";  // deadlock, serialization failure
}

// To libpq a password ends at the first @ and has no / in it: the rest of one that has is the name
// of a host or of a database to it.
bool may_misread(std::string_view url) {
    const std::size_t slashes = url.find("//");
    if (slashes == std::string_view::npos) return false;
    std::string_view rest = url.substr(slashes + 2);
    const std::size_t end = rest.find_first_of("@/");
    if (end != std::string_view::npos && rest[end] == '@') rest.remove_prefix(end + 1);
    return rest.substr(0, rest.find('?')).find('@') != std::string_view::npos;
}

}  // namespace

std::int64_t Rows::affected() const {
    const std::string_view text = libpq_->cmd_tuples(result_.get());
    std::int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

std::int64_t Rows::number(int column) const {
    const std::string_view bytes = text(column);
    if (bytes.empty()) return 0;
    // Sign-extended: columns are of two, four or eight bytes, and flags of one.
    auto number = static_cast<std::int64_t>(static_cast<signed char>(bytes[0]));
    for (std::size_t i = 1; i < bytes.size(); ++i)
        number = static_cast<std::int64_t>((static_cast<std::uint64_t>(number) << 8) |
                                           static_cast<unsigned char>(bytes[i]));
    return number;
}

std::string_view Rows::text(int column) const {
    const auto length = static_cast<std::size_t>(libpq_->get_length(result_.get(), row_, column));
    return {libpq_->get_value(result_.get(), row_, column), length};
}

IdBits Rows::id_bits(int column) const {
    const std::string_view bytes = text(column);
    if (bytes.size() != 16) return {};
    IdBits bits;
    for (std::size_t i = 0; i < 8; ++i) {
        bits.high = (bits.high << 8) | static_cast<unsigned char>(bytes[i]);
        bits.low = (bits.low << 8) | static_cast<unsigned char>(bytes[i + 8]);
    }
    return bits;
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& url,
                                                     Millis answer_timeout) {
    TRY(libpq, load_libpq());
    std::vector<const char*> names;
    std::vector<const char*> values;
    for (const auto& [name, value] : kDefaults) {
        names.push_back(name);
        values.push_back(value);
    }
    // What comes last counts.
    names.insert(names.end(), {"dbname", nullptr});
    values.insert(values.end(), {url.c_str(), nullptr});
    PGconn* handle = libpq->connectdb_params(names.data(), values.data(), /*expand_dbname=*/1);
    if (handle == nullptr) return reject(ErrorCode::unavailable, "no memory for a connection");
    std::unique_ptr<Connection> connection(new Connection(*libpq, handle, answer_timeout));
    connection->may_be_misread_ = may_misread(url);
    libpq->set_notice_processor(handle, [](void*, const char*) {}, nullptr);
    if (libpq->status(handle) != CONNECTION_OK) return connection->fail_connection();
    connection->may_be_misread_ = false;
    if (libpq->set_nonblocking(handle, 1) != 0 || libpq->enter_pipeline_mode(handle) != 1)
        return connection->fail_connection();
    CHECK_OK(connection->configure());
    return connection;
}

// A node that stops in the middle of a transaction holds others up for a few seconds and no longer:
// also where the server waits for it to read. How long a statement may wait is ours to say,
// whatever the server or the role has set.
Result<void> Connection::configure() {
    const std::string sql = fmt::format(
        "SELECT set_config('search_path', 'parley', false), "
        "set_config('statement_timeout', '{}ms', false), "
        "set_config('lock_timeout', '0', false), "
        "set_config('idle_session_timeout', '0', false), "
        "set_config('idle_in_transaction_session_timeout', '{}ms', false), "
        "set_config('tcp_user_timeout', '{}ms', false), "
        "set_config('default_transaction_isolation', 'read committed', false), "
        "CASE current_setting('synchronous_commit') WHEN 'off' "
        "THEN set_config('synchronous_commit', 'on', false) END",
        Millis(limits::kPostgresStatementTimeout).count(),
        Millis(limits::kPostgresIdleInTransaction).count(),
        Millis(limits::kPostgresUnreadTimeout).count());
    CHECK_OK(run_once(sql));
    return {};
}

// Each statement is planned once. Left alone, the server plans again each time what it expects to
// run faster for the values at hand: an ask without a key costs four times as much to plan as to
// insert. What is planned while the tables are new is kept when they have grown. All that a node
// reads has an index, so nothing is to be read from end to end; the server counts that as costly
// where it has no choice, as with the one row of `state`, and would compile such a statement to
// machine code. To remember what was looked up costs more than to look: no key comes often. Nor is
// a page worth processes of its own, which take longer to begin than it takes to read.
Result<void> Connection::plan_by_keys() {
    CHECK_OK(
        run_once("SELECT set_config('plan_cache_mode', 'force_generic_plan', false), "
                 "set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false), "
                 "set_config('enable_memoize', 'off', false), "
                 "set_config('max_parallel_workers_per_gather', '0', false)"));
    return {};
}

// A lock is another's, and waited for as by everybody.
Result<void> Connection::be_patient() {
    CHECK_OK(
        run_once(fmt::format("SELECT set_config('statement_timeout', '0', false), "
                             "set_config('idle_in_transaction_session_timeout', '0', false), "
                             "set_config('lock_timeout', '{}ms', false)",
                             Millis(limits::kPostgresStatementTimeout).count())));
    return {};
}

Connection::~Connection() {
    libpq_.finish(handle_);
}

Result<void> Connection::send_values(Statement& statement, std::span<const Value> values) {
    CHECK_OK(check_kept());
    CHECK_OK(drop_forgotten());
    std::vector<const char*> data(values.size());
    std::vector<int> lengths(values.size());
    const std::vector<int> formats(values.size(), kBinary);
    for (std::size_t i = 0; i < values.size(); ++i) {
        data[i] = values[i].data();
        lengths[i] = values[i].length();
    }
    const auto count = static_cast<int>(values.size());
    if (statement.era_ != era_) {
        std::vector<Oid> types(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            types[i] = static_cast<Oid>(values[i].type());
        statement.name_ = fmt::format("p{}", ++statements_);
        statement.era_ = era_;
        if (libpq_.send_prepare(handle_, statement.name_.c_str(), statement.sql_.c_str(), count,
                                types.data()) != 1)
            return fail_connection();
        expected_.push_back(Expected::preparation);
    }
    if (libpq_.send_query_prepared(handle_, statement.name_.c_str(), count, data.data(),
                                   lengths.data(), formats.data(), kBinary) != 1)
        return fail_connection();
    expected_.push_back(Expected::rows);
    return {};
}

// Within a transaction that failed nothing is taken but its end.
Result<void> Connection::drop_forgotten() {
    const bool can_drop = expected_.empty() && libpq_.transaction_status(handle_) == PQTRANS_IDLE;
    if (!has_forgotten_ || !can_drop) return {};
    has_forgotten_ = false;
    CHECK_OK(run_once("DEALLOCATE ALL"));
    return {};
}

Result<Rows> Connection::run_once(const std::string& sql) {
    CHECK_OK(check_kept());
    if (libpq_.send_query_params(handle_, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr,
                                 kBinary) != 1)
        return fail_connection();
    expected_.push_back(Expected::rows);
    CHECK_OK(sync());
    return receive();
}

Result<void> Connection::sync() {
    CHECK_OK(check_kept());
    const bool has_news = !expected_.empty() && expected_.back() != Expected::sync;
    if (!has_news) return {};
    if (libpq_.pipeline_sync(handle_) != 1) return fail_connection();
    expected_.push_back(Expected::sync);
    for (;;) {
        const int left = libpq_.flush(handle_);
        if (left == 0) return {};
        if (left < 0) return fail_connection();
        // What the server sends meanwhile is read as well, or both would wait for the other.
        CHECK_OK(wait(POLLIN | POLLOUT));
    }
}

Result<void> Connection::wait(short events) {
    pollfd place{.fd = libpq_.socket(handle_), .events = events, .revents = 0};
    const int ready = ::poll(&place, 1, static_cast<int>(answer_timeout_.count()));
    if (ready < 0 && errno == EINTR) return {};
    if (ready <= 0) return lose(fmt::format("nothing, for {} s", answer_timeout_.count() / 1000));
    if ((place.revents & (POLLIN | POLLERR | POLLHUP)) != 0 && libpq_.consume_input(handle_) != 1)
        return fail_connection();
    return {};
}

// Null where one command ends and the next begins. What TLS has taken from the socket and holds is
// asked for before the socket is waited for: nothing more may come of what is there.
Result<PGresult*> Connection::next_result() {
    while (libpq_.is_busy(handle_) != 0) {
        if (libpq_.consume_input(handle_) != 1) return fail_connection();
        if (libpq_.is_busy(handle_) != 0) CHECK_OK(wait(POLLIN));
    }
    return libpq_.get_result(handle_);
}

Result<Rows> Connection::receive() {
    CHECK_OK(check_kept());
    for (;;) {
        ASSERT(!expected_.empty());
        const Expected expected = expected_.front();
        expected_.pop_front();
        TRY(result, next_result());
        if (result == nullptr) return fail_connection();
        if (expected == Expected::sync) {
            libpq_.clear(result);
            continue;
        }
        const ExecStatusType status = libpq_.result_status(result);
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
            Rejection failure = fail(result);
            libpq_.clear(result);
            drain();
            // What was to be prepared after it was not; names are not used twice.
            ++era_;
            has_forgotten_ = true;
            return failure;
        }
        Rows rows(libpq_, result);
        TRY(end, next_result());
        if (end != nullptr) {
            libpq_.clear(end);
            return fail_connection();
        }
        if (expected == Expected::rows) {
            // The end of all that was sent is taken with the last of it.
            if (expected_.size() == 1 && expected_.front() == Expected::sync) {
                expected_.pop_front();
                TRY(synced, next_result());
                libpq_.clear(synced);
            }
            return rows;
        }
    }
}

// Up to where the server goes on after an error.
void Connection::drain() {
    bool was_between = false;
    while (!expected_.empty() && !loss_ && libpq_.status(handle_) == CONNECTION_OK) {
        const auto result = next_result();
        const bool is_between = result && *result == nullptr;
        // Twice in a row, there is nothing more.
        if (!result || (is_between && was_between)) break;
        was_between = is_between;
        if (is_between) continue;
        const bool is_end = libpq_.result_status(*result) == PGRES_PIPELINE_SYNC;
        libpq_.clear(*result);
        if (is_end) break;
    }
    expected_.clear();
}

Rejection Connection::fail(const PGresult* result) {
    const char* state = libpq_.result_error_field(result, PG_DIAG_SQLSTATE);
    const char* message = libpq_.result_error_field(result, PG_DIAG_MESSAGE_PRIMARY);
    if (state == nullptr || message == nullptr) return fail_connection();
    may_try_again_ = is_of_others(state);
    // Class 57 is a server that shuts down, and 40003 one that does not know itself.
    refusal_ = state;
    if (refusal_.starts_with("57P") || refusal_ == "40003") refusal_.clear();
    Error error = explain({.database = text_of(libpq_.db(handle_)),
                           .host = text_of(libpq_.host(handle_)),
                           .state = state,
                           .message = message});
    // The last that the server says, and why: what follows is that nobody is there.
    const std::string_view severity =
        text_of(libpq_.result_error_field(result, PG_DIAG_SEVERITY_NONLOCALIZED));
    if (severity == "FATAL" || severity == "PANIC") loss_ = error;
    return reject(std::move(error));
}

Rejection Connection::fail_connection() {
    return lose(libpq_.error_message(handle_));
}

// What became of the statements that were on their way is not known then.
Rejection Connection::lose(std::string_view message) {
    may_try_again_ = false;
    refusal_.clear();
    loss_ = explain({.database = text_of(libpq_.db(handle_)),
                     .host = text_of(libpq_.host(handle_)),
                     .state = {},
                     .message = message,
                     .may_be_misread = may_be_misread_});
    return reject(*loss_);
}

Result<void> Connection::check_kept() const {
    if (loss_) return reject(*loss_);
    return {};
}

Result<void> Connection::roll_back() {
    may_try_again_ = false;
    refusal_.clear();
    CHECK_OK(run_once("ROLLBACK"));
    CHECK_OK(run_once("DEALLOCATE ALL"));
    ++era_;
    has_forgotten_ = false;
    return {};
}

bool Connection::take_in() {
    return !loss_ && libpq_.consume_input(handle_) == 1;
}

Connection::News Connection::take_news() {
    News news;
    if (loss_) return news;
    const int own = libpq_.backend_pid(handle_);
    while (PGnotify* note = libpq_.notifies(handle_)) {
        if (note->be_pid != own) {
            news.has_any = true;
            const std::string_view text = text_of(note->extra);
            std::uint64_t cursor = 0;
            std::from_chars(text.data(), text.data() + text.size(), cursor);
            news.up_to = std::max(news.up_to, Cursor{cursor});
        }
        libpq_.freemem(note);
    }
    return news;
}

}  // namespace parley::postgres
