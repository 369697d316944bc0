// SPDX-License-Identifier: Apache-2.0
#include "app/keep/running_broker.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "app/limits.h"
#include "app/reach/broker_access.h"
#include "base/sizes.h"
#include "client/remote_link.h"
#include "net/loop.h"
#include "store/engine_url.h"
#include "store/sqlite_file.h"

namespace parley::app {

namespace {

// One visit to the broker: calls one after the other, each waited for.
class BrokerVisit {
public:
    [[nodiscard]] Result<void> open(const RunContext& context) {
        TRY(access, wait_for<std::unique_ptr<BrokerAccess>>([&](auto done) {
                open_server(
                    {.loop = loop_, .environment = context.environment, .global = context.global},
                    std::move(done));
            }));
        access_ = std::move(access);
        return {};
    }

    // `call` gets the link and whom to tell.
    template <class T, class Call>
    [[nodiscard]] Result<T> ask(Call call) {
        return wait_for<T>([&](auto done) { call(*access_->remote(), std::move(done)); });
    }

private:
    // Shared with the call, which may be answered when nobody waits for it any more.
    template <class T>
    struct Waiting {
        bool is_over = false;
        std::optional<Result<T>> result = {};
    };

    template <class T, class Call>
    [[nodiscard]] Result<T> wait_for(Call call) {
        const auto waiting = std::make_shared<Waiting<T>>();
        loop_.post([&] {
            call(Done<T>([this, waiting](Result<T> told) {
                if (waiting->is_over) return;
                waiting->result.emplace(std::move(told));
                loop_.stop();
            }));
        });
        watch(waiting);
        loop_.run();
        waiting->is_over = true;
        if (!waiting->result) CHECK_OK(LongWork::go_on());
        if (!waiting->result) return reject(ErrorCode::unavailable, "the broker does not answer");
        return std::move(*waiting->result);
    }

    // Ctrl-C ends the waiting for a broker that does not answer.
    template <class T>
    void watch(const std::shared_ptr<Waiting<T>>& waiting) {
        loop_.post_at(loop_.now() + limits::kProgressEvery, [this, waiting] {
            if (waiting->is_over) return;
            LongWork::go_on() ? watch(waiting) : loop_.stop();
        });
    }

    net::Loop loop_;
    std::unique_ptr<BrokerAccess> access_;
};

bool are_same(const std::string& url, const std::string& other) {
    const auto path = sqlite_path(url);
    const auto other_path = sqlite_path(other);
    std::error_code code;
    return path && other_path && std::filesystem::equivalent(*path, *other_path, code);
}

// The copy of one visit; taken back when it is over.
class BorrowedCopy {
public:
    BorrowedCopy(BrokerVisit& visit, native::CopyBody copy)
        : visit_(visit), copy_(std::move(copy)) {}
    ~BorrowedCopy() {
        (void)visit_.ask<void>(
            [&](RemoteLink& link, Done<void> done) { link.drop_copy(copy_.id, std::move(done)); });
    }
    BorrowedCopy(const BorrowedCopy&) = delete;
    BorrowedCopy& operator=(const BorrowedCopy&) = delete;

    [[nodiscard]] Result<void> make_whole(LongWork& work) {
        while (!copy_.is_ready) {
            CHECK_OK(tell(work, "Copied", copy_.bytes));
            TRY(copy,
                visit_.ask<native::CopyBody>([&](RemoteLink& link, Done<native::CopyBody> done) {
                    link.look_at_copy(copy_.id, std::move(done));
                }));
            copy_ = std::move(copy);
        }
        return {};
    }

    [[nodiscard]] Result<void> read_into(NewFile& file, LongWork& work) {
        for (std::uint64_t offset = 0; offset < copy_.total;) {
            CHECK_OK(tell(work, "Wrote", offset));
            TRY(bytes, visit_.ask<std::string>([&](RemoteLink& link, Done<std::string> done) {
                link.read_copy(copy_.id, offset, std::move(done));
            }));
            if (bytes.empty())
                return reject(ErrorCode::unavailable, "the broker's copy ends too early");
            CHECK_OK(file.write(bytes));
            offset += bytes.size();
        }
        return {};
    }

private:
    [[nodiscard]] Result<void> tell(LongWork& work, std::string_view verb, std::uint64_t bytes) {
        return work.tell(
            fmt::format("{} {} of {} MiB", verb, bytes / limits::kMiB, copy_.total / limits::kMiB));
    }

    BrokerVisit& visit_;
    native::CopyBody copy_;
};

[[nodiscard]] Result<std::string> find_standing(BrokerVisit& visit) {
    return visit.ask<std::string>(
        [](RemoteLink& link, Done<std::string> done) { link.find_store(std::move(done)); });
}

// The broker that has the store which is meant, and no other.
[[nodiscard]] Result<void> reach(BrokerVisit& visit, const RunContext& context,
                                 const MeantStore& meant) {
    if (auto opened = visit.open(context); !opened) {
        if (meant.url.empty()) return opened;
        return reject(opened.error().code,
                      "{} is in use, and the broker that has it was not found: {}", meant.url,
                      opened.error().message);
    }
    if (meant.url.empty()) return {};
    TRY(standing, find_standing(visit));
    if (are_same(meant.url, standing)) return {};
    return reject(ErrorCode::conflict,
                  "{} is in use, and the broker that was found has another store, {}. To fix it: "
                  "name the broker that has it with --server, or stop it",
                  meant.url, standing);
}

}  // namespace

Result<MeantStore> find_meant_store(const RunContext& context, const StoreOption& option) {
    if (context.global.server && !option.is_given())
        return MeantStore{.url = {}, .is_brokers = true};
    TRY(url, option.url(context.environment));
    return find_named_store(std::move(url));
}

Result<MeantStore> find_named_store(std::string url) {
    const auto path = sqlite_path(url);
    if (!path) return MeantStore{.url = std::move(url)};
    TRY(is_held, sqlite::is_held(*path));
    return MeantStore{.url = std::move(url), .is_brokers = is_held};
}

Result<void> copy_from_broker(const RunContext& context, const MeantStore& meant, NewFile& file,
                              LongWork& work) {
    BrokerVisit visit;
    CHECK_OK(reach(visit, context, meant));
    TRY(standing, find_standing(visit));
    if (is_postgres(standing))
        return reject(ErrorCode::unsupported,
                      "the broker keeps its store in PostgreSQL ({}), which is no file that it "
                      "could copy. To fix it: name the database itself, with --store {} and its "
                      "password",
                      standing, standing);
    TRY(begun, visit.ask<native::CopyBody>([](RemoteLink& link, Done<native::CopyBody> done) {
        link.begin_copy(std::move(done));
    }));
    BorrowedCopy copy(visit, std::move(begun));
    auto made = copy.make_whole(work);
    if (made) made = copy.read_into(file, work);
    if (made || made.error().code == ErrorCode::interrupted) return made;
    return reject(made.error().code, "the broker could not give a copy of its store: {}",
                  made.error().message);
}

Result<void> forget_in_broker(const RunContext& context, const MeantStore& meant,
                              std::span<const AskId> asks) {
    BrokerVisit visit;
    CHECK_OK(reach(visit, context, meant));
    for (const AskId id : asks)
        CHECK_OK(visit.ask<AskPtr>([id](RemoteLink& link, Done<AskPtr> done) {
            link.delete_content(id, std::move(done));
        }));
    return {};
}

Result<Pruned> prune_in_broker(const RunContext& context, const MeantStore& meant,
                               const Retention& before, LongWork& work) {
    BrokerVisit visit;
    CHECK_OK(reach(visit, context, meant));
    Pruned all;
    do {
        CHECK_OK(work.tell(fmt::format("Removed {} asks, {} events", all.asks, all.events)));
        TRY(slice,
            visit.ask<native::PrunedBody>([&](RemoteLink& link, Done<native::PrunedBody> done) {
                link.prune(
                    {.asks = before.asks, .sessions = before.sessions, .messages = before.messages},
                    std::move(done));
            }));
        all.add({.asks = slice.asks,
                 .sessions = slice.sessions,
                 .messages = slice.messages,
                 .events = slice.events,
                 .has_more = slice.has_more});
    } while (all.has_more);
    return all;
}

}  // namespace parley::app
