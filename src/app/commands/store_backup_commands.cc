// SPDX-License-Identifier: Apache-2.0
// parley store backup and restore: a SQLite store as one file, and back in its place.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/commands/store_commands.h"
#include "app/keep/export_files.h"
#include "app/keep/long_work.h"
#include "app/keep/running_broker.h"
#include "app/keep/store_option.h"
#include "app/limits.h"
#include "base/assert.h"
#include "base/sizes.h"
#include "store/archive/archive.h"
#include "store/archive/sqlite_replace.h"
#include "store/engine.h"
#include "store/engine_url.h"
#include "store/sqlite_file.h"
#include "text/json_object.h"

namespace parley::app {

namespace {

// Of a store that no broker has.
Result<void> copy_here(const std::string& url, NewFile& file, LongWork& work) {
    std::error_code code;
    if (const auto path = sqlite_path(url); !path || !std::filesystem::exists(*path, code))
        return reject(ErrorCode::not_found,
                      "there is no store {}. To fix it: name one with --store", url);
    const SystemClock clock;
    TRY(engine, make_engine(url, clock));
    if (const auto opened = engine->open(); !opened) return reject(opened.error());
    CHECK_OK(engine->begin_copy());
    for (CopyState state; !state.is_whole;) {
        TRY(next, engine->copy_slice());
        state = next;
        CHECK_OK(work.tell(fmt::format("Copied {} of {} MiB", state.bytes / limits::kMiB,
                                       state.total / limits::kMiB)));
    }
    for (std::uint64_t offset = 0;;) {
        TRY(bytes, engine->read_copy(offset, limits::kFileBytesAtOnce));
        if (bytes.empty()) return {};
        CHECK_OK(file.write(bytes));
        CHECK_OK(work.tell(fmt::format("Wrote {} MiB", offset / limits::kMiB)));
        offset += bytes.size();
    }
}

void print_bytes(const RunContext& context, const std::string& file, bool wants_json,
                 std::string_view words) {
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(file, code);
    if (!wants_json)
        return context.console.tell(fmt::format("{} ({} KiB).\n", words, size / limits::kKiB));
    context.console.print_json(json::object_text([&](json::Writer& out) {
        out.field("file", file);
        out.key("bytes").number(std::uint64_t{size});
    }));
}

class StoreBackupCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Copies a SQLite store to a file while its broker goes on working, or when none "
                "runs: one moment of it, whole, in one file without a log. Asks and answers are "
                "held up by no more than a few milliseconds at a time.",
            .arguments = {{.name = "FILE",
                           .help = "Where to; what has this name is replaced once the new one is "
                                   "whole",
                           .target = &file_,
                           .completion = Completion::file}},
            .options = {store_.spec(),
                        {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
            .examples = {{"parley store backup parley-backup.db",
                          "this user's store, in use or not"},
                         {"parley store check --store sqlite:parley-backup.db", "then look at it"}},
            .notes =
                "A PostgreSQL database is backed up by its own tools (pg_dump), or with `parley "
                "store export`. A backup holds all texts and the hashes of tokens: it is made for "
                "its owner alone."};
    }

    ExitCode run(const RunContext& context) override {
        ASSERT(file_);
        const auto url = store_.url(context.environment);
        if (!url) return context.refuse_usage(url.error().message);
        if (is_postgres(*url))
            return context.refuse_usage(
                "a PostgreSQL database is backed up by its own tools: pg_dump -n parley, or "
                "`parley store export`");
        LongWork work(context.console);
        const auto made = make(context, work);
        work.clear();
        if (!made) return fail_store(context, made.error());
        print_bytes(context, *file_, wants_json_, fmt::format("Backed up to {}", *file_));
        return ExitCode::done;
    }

private:
    [[nodiscard]] Result<void> make(const RunContext& context, LongWork& work) const {
        TRY(meant, find_meant_store(context, store_));
        TRY(file, NewFile::create(file_.value_or("")));
        CHECK_OK(meant.is_brokers ? copy_from_broker(context, meant, file, work)
                                  : copy_here(meant.url, file, work));
        return file.finish();
    }

    StoreOption store_;
    std::optional<std::string> file_;
    bool wants_json_ = false;
};

// The backup beside the store, looked through and brought up to date there.
class Restoring {
public:
    explicit Restoring(std::string store) : made_(std::move(store) + ".restored") {}
    ~Restoring() {
        std::error_code ignored;
        for (const char* suffix : {"", "-wal", ".lock", ".partial"})
            std::filesystem::remove(made_ + suffix, ignored);
    }
    Restoring(const Restoring&) = delete;
    Restoring& operator=(const Restoring&) = delete;

    const std::string& made() const { return made_; }

    [[nodiscard]] Result<void> take(const std::string& backup, LongWork& work) const {
        TRY(from, ExportReader::open(backup));
        TRY(file, NewFile::create(made_));
        for (std::string_view bytes;;) {
            TRY(is_there, from.next_bytes(bytes));
            if (!is_there) break;
            CHECK_OK(file.write(bytes));
            CHECK_OK(work.tell("Reading the backup"));
        }
        return file.finish();
    }

    [[nodiscard]] Result<void> check(LongWork& work) const {
        const SystemClock clock;
        TRY(archive, open_archive("sqlite:" + made_, ArchiveUse::read, clock));
        ArchiveFaults faults;
        ArchiveCounts counts;
        CHECK_OK(archive->dump(
            [&](const ArchiveRow& row) {
                counts.add(row);
                return work.tell_rows("Checked", counts);
            },
            &faults));
        CHECK_OK(archive->check(faults));
        if (faults.empty()) return {};
        return reject(ErrorCode::corrupt,
                      "the backup is damaged, and was not put in place: {}. `parley store check "
                      "--store sqlite:FILE` says all of it",
                      faults.told().front());
    }

private:
    std::string made_;
};

class StoreRestoreCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Puts a backup in the place of a SQLite store, after it was looked through: at "
                "every moment there is the old store or the new one, whole. No broker may be using "
                "it.",
            .arguments = {{.name = "FILE",
                           .help = "What `parley store backup` made",
                           .target = &file_,
                           .completion = Completion::file}},
            .options = {store_.spec(),
                        {.names = "--force",
                         .help = "Replace a store that is there",
                         .target = &is_forced_},
                        {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
            .examples = {{"parley store restore parley-backup.db --force",
                          "in the place of this user's store"},
                         {"parley store restore parley-backup.db --store sqlite:copy.db",
                          "as a store of its own"}},
            .notes =
                "Clients that had seen more than the backup knows get a reset, and then what is "
                "pending in it."};
    }

    ExitCode run(const RunContext& context) override {
        ASSERT(file_);
        const auto url = store_.url(context.environment);
        if (!url) return context.refuse_usage(url.error().message);
        const auto path = sqlite_path(*url);
        if (!path)
            return context.refuse_usage(
                "a backup is a SQLite store; into PostgreSQL it goes with `parley store migrate "
                "--from sqlite:FILE --to …`");
        LongWork work(context.console);
        const auto restored = restore(*path, work);
        work.clear();
        if (!restored) return fail_store(context, restored.error());
        print_bytes(context, *path, wants_json_, fmt::format("Restored {}", *path));
        return ExitCode::done;
    }

private:
    [[nodiscard]] Result<void> restore(const std::string& named, LongWork& work) const {
        TRY(path, sqlite::absolute_path(named));
        std::error_code code;
        // Both are said again, of the moment when it counts; here they spare the copying.
        if (!is_forced_ && std::filesystem::exists(path, code) &&
            std::filesystem::file_size(path, code) > 0)
            return refuse_existing(path);
        TRY(is_held, sqlite::is_held(path));
        if (is_held)
            return reject(ErrorCode::conflict,
                          "the store {} is in use. To fix it: stop its broker first", path);
        const Restoring restoring(path);
        CHECK_OK(restoring.take(file_.value_or(""), work));
        CHECK_OK(restoring.check(work));
        return replace_store_file(restoring.made(), path,
                                  is_forced_ ? ReplaceOld::yes : ReplaceOld::no);
    }

    static Rejection refuse_existing(const std::string& path) {
        return reject(ErrorCode::conflict,
                      "there is a store {} already. To fix it: name another one with --store, or "
                      "give --force to have it replaced",
                      path);
    }

    StoreOption store_;
    std::optional<std::string> file_;
    bool is_forced_ = false;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_store_backup() {
    return std::make_unique<StoreBackupCommand>();
}

std::unique_ptr<Command> make_store_restore() {
    return std::make_unique<StoreRestoreCommand>();
}

}  // namespace parley::app
