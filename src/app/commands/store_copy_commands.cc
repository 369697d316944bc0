// SPDX-License-Identifier: Apache-2.0
// parley store export, import, migrate: a store as a file of lines, and into another store.
#include <fmt/format.h>

#include <utility>

#include "app/commands/commands.h"
#include "app/keep/export_files.h"
#include "app/keep/long_work.h"
#include "app/keep/store_option.h"
#include "app/keep/store_source.h"
#include "base/assert.h"
#include "store/archive/copy.h"
#include "store/engine_url.h"

namespace parley::app {

namespace {

CopyProgress tell_of(LongWork& work, std::string_view verb) {
    return [&work, verb](const ArchiveCounts& counts) { return work.tell_rows(verb, counts); };
}

Result<ArchiveCounts> write_export(Archive& from, const std::string& file, LongWork& work) {
    TRY(writer, ExportWriter::open(file));
    TRY(counts, export_lines(
                    from, [&](std::string_view line) { return writer.write(line); },
                    tell_of(work, "Exported")));
    CHECK_OK(writer.finish());
    return counts;
}

class StoreExportCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Writes all that a store holds as JSON Lines: sessions, asks and their "
                "settlements, "
                "messages, drafts, snoozes, tokens (their hashes), marks, and the events that are "
                "kept. A "
                "broker may be running: what is written is one moment of it.",
            .arguments = {{.name = "FILE",
                           .help = "Where to; it is there whole or not at all (default -, standard "
                                   "output)",
                           .target = &file_,
                           .is_required = false,
                           .completion = Completion::file}},
            .options = {store_.spec(),
                        {.names = "--json",
                         .help = "Print what was exported as JSON, where FILE is a file",
                         .target = &wants_json_}},
            .examples = {{"parley store export parley.jsonl", "this user's store, running or not"},
                         {"parley store export | zstd > parley.jsonl.zst", "compressed"},
                         {"parley store export --store postgres://parley@db/parley all.jsonl",
                          "of a PostgreSQL database"}},
            .notes = "The format is described in docs/formats/export.md."};
    }

    ExitCode run(const RunContext& context) override {
        const auto url = store_.url(context.environment);
        if (!url) return context.refuse_usage(url.error().message);
        LongWork work(context.console);
        const auto source = open_source(context, store_, work);
        if (!source) return fail_store(context, source.error());
        const std::string file = file_.value_or("-");
        const auto counts = write_export(*source->archive, file, work);
        work.clear();
        if (!counts) return fail_store(context, counts.error());
        if (wants_json_ && file != "-") context.console.print_json(counts_document(*counts));
        if (!wants_json_) context.console.tell(fmt::format("Exported {}.\n", count_words(*counts)));
        return ExitCode::done;
    }

private:
    StoreOption store_;
    std::optional<std::string> file_;
    bool wants_json_ = false;
};

// Into an empty store, by `fill`.
template <class Fill>
ExitCode fill_store(const RunContext& context, LongWork& work, const std::string& url,
                    bool wants_json, std::string_view done, Fill fill) {
    const SystemClock clock;
    auto to = open_archive(url, ArchiveUse::fill, clock);
    if (!to) return fail_store(context, to.error());
    const Result<ArchiveCounts> counts = fill(**to);
    work.clear();
    if (!counts) return fail_store(context, counts.error());
    if (wants_json) {
        context.console.print_json(counts_document(*counts));
    } else {
        context.console.tell(fmt::format("{} {} into {}, and read back the same.\n", done,
                                         count_words(*counts), shown_url(url)));
    }
    return ExitCode::done;
}

class StoreImportCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Fills an empty store with an export, in one transaction: what was read back is "
                "compared with the file before it counts, and an import that is interrupted leaves "
                "the store empty. Cursors stay, so clients that followed the old store can go on.",
            .arguments = {{.name = "FILE",
                           .help = "What `parley store export` wrote (default -, standard input)",
                           .target = &file_,
                           .is_required = false,
                           .completion = Completion::file}},
            .options = {store_.spec(),
                        {.names = "--json",
                         .help = "Print what was imported as JSON",
                         .target = &wants_json_}},
            .examples = {{"parley store import --store sqlite:new.db parley.jsonl", "into a file"},
                         {"zstd -d < parley.jsonl.zst | parley store import --store "
                          "postgres://parley@db/parley",
                          "into an empty database"}},
            .notes =
                "A store that holds anything is refused: two stores cannot be made one. So is one "
                "that a broker has open: stop it first."};
    }

    ExitCode run(const RunContext& context) override {
        const auto url = store_.url(context.environment);
        if (!url) return context.refuse_usage(url.error().message);
        LongWork work(context.console);
        auto reader = ExportReader::open(file_.value_or("-"));
        if (!reader) return fail_store(context, reader.error());
        return fill_store(context, work, *url, wants_json_, "Imported", [&](Archive& to) {
            return import_lines([&](std::string_view& line) { return reader->next(line); }, to,
                                tell_of(work, "Imported"));
        });
    }

private:
    StoreOption store_;
    std::optional<std::string> file_;
    bool wants_json_ = false;
};

class StoreMigrateCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Copies one store into another, empty one: from SQLite to PostgreSQL, or back. "
                "What "
                "arrived is read back and compared before it counts. The old store stays as it is.",
            .options = {{.names = "--from",
                         .value = "URL",
                         .help = "sqlite:PATH or postgres://…",
                         .target = &from_},
                        {.names = "--to",
                         .value = "URL",
                         .help = "The same, of a store that is empty or not there yet",
                         .target = &to_},
                        {.names = "--json",
                         .help = "Print what was copied as JSON",
                         .target = &wants_json_}},
            .examples = {{"parley store migrate --from sqlite:parley.db --to "
                          "postgres://parley@db/parley",
                          "from one machine to several nodes"},
                         {"parley store migrate --from postgres://parley@db/parley --to "
                          "sqlite:parley.db",
                          "and back"}},
            .notes =
                "Stop the broker first, and start it with the new store: what it takes meanwhile "
                "would be in the old one alone. Of one that runs, a copy of this moment is made, "
                "as for a trial."};
    }

    ExitCode run(const RunContext& context) override {
        if (!from_ || !to_)
            return context.refuse_usage("give --from and --to, each sqlite:PATH or postgres://…");
        LongWork work(context.console);
        auto meant = find_named_store(*from_);
        if (!meant) return fail_store(context, meant.error());
        const auto from = open_source(context, std::move(*meant), work);
        if (!from) return fail_store(context, from.error());
        return fill_store(context, work, *to_, wants_json_, "Copied", [&](Archive& to) {
            return copy_archive(*from->archive, to, tell_of(work, "Copied"));
        });
    }

private:
    std::optional<std::string> from_;
    std::optional<std::string> to_;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_store_export() {
    return std::make_unique<StoreExportCommand>();
}

std::unique_ptr<Command> make_store_import() {
    return std::make_unique<StoreImportCommand>();
}

std::unique_ptr<Command> make_store_migrate() {
    return std::make_unique<StoreMigrateCommand>();
}

}  // namespace parley::app
