// SPDX-License-Identifier: Apache-2.0
// The two loads of nodes.py: whole rounds against several brokers, and the statements of as many
// rounds, in groups of the same size, sent to PostgreSQL by nothing but libpq.
// Usage: nodes_bench rounds SECONDS SESSIONS TOKEN PORT…
//        nodes_bench bare SECONDS GROUP URL      (of a database that no node follows)
// Prints a line of JSON.
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/assert.h"
#include "base/clock.h"
#include "base/ids.h"
#include "core/record.h"
#include "measure.h"
#include "round_load.h"
#include "store/postgres/connection.h"
#include "store/postgres/schema.h"
#include "store/postgres/writer_statements.h"

namespace parley::bench {
namespace {

using postgres::Array;
using Group = std::vector<AskId>;

// One node's connection, and what it would send.
class BareNode {
public:
    BareNode(const std::string& url, SessionId session) : session_(session) {
        auto opened = postgres::Connection::open(url);
        ASSERT(opened.has_value());
        connection_ = std::move(*opened);
        must(connection_->plan_by_keys());
        auto head = connection_->run_once("SELECT head FROM state");
        ASSERT(head.has_value() && head->next());
        fed_ = head->cursor(0);
    }

    void open_asks(const Group& group) {
        must(connection_->send(sql_.begin));
        must(connection_->send(sql_.share_sessions, ids_of(std::vector{session_})));
        for (const AskId id : group)
            must(connection_->send(sql_.insert_ask, id, session_, SystemClock().wall(),
                                   std::optional<Instant>(), std::optional<std::string_view>(),
                                   std::optional<std::string_view>(), std::string_view(spec_),
                                   std::optional<std::string_view>("owner")));
        finish(group, 2, /*type=*/1);
    }
    void settle(const Group& group) {
        must(connection_->send(sql_.begin));
        must(connection_->send(sql_.lock_asks, ids_of(group)));
        for (const AskId id : group)
            must(connection_->send(sql_.settle_ask, id, 1, std::string_view(settlement_), 0));
        finish(group, 2, /*type=*/2);
    }
    std::vector<double>& commit_times() { return commit_times_; }

private:
    template <class T>
    static void must(const Result<T>& result) {
        if (!result) fmt::print(stderr, "{}\n", result.error().message);
        ASSERT(result.has_value());
    }
    template <class IdType>
    static Array ids_of(const std::vector<IdType>& ids) {
        Array array = Array::of_ids();
        for (const IdType id : ids) array.add(id);
        return array;
    }
    void receive(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) must(connection_->receive());
    }
    void finish(const Group& group, std::size_t before, int type) {
        const auto begin = BenchClock::now();
        must(connection_->send(sql_.transaction_id));
        must(connection_->sync());
        receive(before + group.size() + 1);
        std::size_t answers = 0;
        if (type == 2) {
            must(connection_->send(sql_.drop_drafts_and_snoozes, ids_of(group)));
            ++answers;
        }
        Array types = Array::of_numbers();
        Array times = Array::of_numbers();
        Array sessions = Array::of_ids();
        Array docs = Array::of_texts();
        for (std::size_t i = 0; i < group.size(); ++i) {
            types.add(type);
            times.add(SystemClock().wall());
            sessions.add(session_);
            docs.add(std::optional<std::string_view>());
        }
        must(connection_->send(sql_.publish, std::uint64_t{group.size()}, types, times, sessions,
                               ids_of(group), docs, postgres::schema_version()));
        must(connection_->send(sql_.commit));
        must(connection_->send(sql_.others, fed_, std::uint64_t{group.size()}));
        must(connection_->sync());
        receive(answers);
        auto published = connection_->receive();
        must(published);
        ASSERT(published->next());
        fed_ = published->cursor(0);
        receive(2);
        commit_times_.push_back(seconds_since(begin) * 1000);
    }

    std::unique_ptr<postgres::Connection> connection_;
    postgres::WriterStatements sql_;
    SessionId session_;
    Cursor fed_;
    std::vector<double> commit_times_;
    std::string spec_ = to_record(
        AskSpec{.questions = {{.text = "Which database shall the service use?",
                               .header = "Database",
                               .options = {{"PostgreSQL", ""}, {"SQLite", ""}, {"MySQL", ""}}}}});
    std::string settlement_ =
        to_record(Settlement{.outcome = Outcome::answered,
                             .answers = {{.selected = {"PostgreSQL"}}},
                             .decider = {.kind = Decider::Kind::person, .principal = "owner"},
                             .door = "native",
                             .at = SystemClock().wall()});
};

// One node opens, the other settles what the first has opened, one group behind it.
void run_bare(double seconds, std::size_t size, const std::string& url) {
    IdMaker ids(system_random());
    const SessionId session = ids.next<SessionKind>(SystemClock().wall());
    {
        auto opened = postgres::Connection::open(url);
        ASSERT(opened.has_value());
        ASSERT(postgres::bring_up_to_date(**opened, SystemClock().wall()).has_value());
        postgres::Statement insert("INSERT INTO sessions(id, name, record) VALUES($1, NULL, $2)");
        ASSERT((*opened)->run(insert, session, std::string_view("{}")).has_value());
    }
    BareNode one(url, session);
    BareNode two(url, session);
    std::mutex mutex;
    std::condition_variable moved;
    std::deque<Group> opened;
    bool is_over = false;
    std::thread other([&] {
        for (;;) {
            std::unique_lock lock(mutex);
            moved.wait(lock, [&] { return is_over || !opened.empty(); });
            if (opened.empty()) return;
            const Group group = std::move(opened.front());
            opened.pop_front();
            lock.unlock();
            two.settle(group);
            moved.notify_all();
        }
    });
    const auto begin = BenchClock::now();
    std::size_t rounds = 0;
    while (seconds_since(begin) < seconds) {
        Group group;
        for (std::size_t i = 0; i < size; ++i)
            group.push_back(ids.next<AskKind>(SystemClock().wall()));
        one.open_asks(group);
        rounds += size;
        std::unique_lock lock(mutex);
        moved.wait(lock, [&] { return opened.empty(); });
        opened.push_back(std::move(group));
        moved.notify_all();
    }
    {
        const std::lock_guard lock(mutex);
        is_over = true;
    }
    moved.notify_all();
    other.join();
    std::vector<double>& times = one.commit_times();
    std::ranges::sort(times);
    fmt::print("{{\"rounds\":{},\"seconds\":{:.3f},\"commit_p50_ms\":{:.3f},\"cpu\":{:.4f}}}\n",
               rounds, seconds_since(begin), times[times.size() / 2],
               cpu_seconds(cpu_clock_of_process(::getpid())));
}

void run_rounds(double seconds, int sessions, const std::string& token,
                std::vector<std::uint16_t> ports) {
    RoundLoad load(std::move(ports), token, sessions, AskerWaits::with_its_ask);
    const RoundFigures figures = load.run(seconds);
    fmt::print(
        "{{\"rounds\":{},\"rate\":{:.1f},\"p50_ms\":{:.3f},\"released_p50_ms\":{:.3f},"
        "\"released_p99_ms\":{:.3f}}}\n",
        figures.rounds, figures.rounds_per_second, figures.p50_ms, figures.released_p50_ms,
        figures.released_p99_ms);
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    parley::bench::raise_descriptor_limit();
    if (words.size() == 4 && words[0] == "bare") {
        parley::bench::run_bare(std::stod(words[1]), std::stoul(words[2]), words[3]);
        return 0;
    }
    if (words.size() >= 5 && words[0] == "rounds") {
        std::vector<std::uint16_t> ports;
        for (std::size_t i = 4; i < words.size(); ++i)
            ports.push_back(static_cast<std::uint16_t>(std::stoul(words[i])));
        parley::bench::run_rounds(std::stod(words[1]), std::stoi(words[2]), words[3], ports);
        return 0;
    }
    fmt::print(stderr,
               "usage: nodes_bench rounds SECONDS SESSIONS TOKEN PORT…\n"
               "       nodes_bench bare SECONDS GROUP URL\n");
    return 2;
}
