// SPDX-License-Identifier: Apache-2.0
// parley store check: whether everything in a store can be read and agrees with itself.
#include <fmt/format.h>

#include <utility>

#include "app/commands/commands.h"
#include "app/keep/long_work.h"
#include "app/keep/store_option.h"
#include "app/keep/store_source.h"
#include "text/json_object.h"
#include "text/safe_text.h"

namespace parley::app {

namespace {

struct Findings {
    ArchiveCounts counts;
    ArchiveFaults faults;
};

Result<Findings> look_through(Archive& archive, LongWork& work) {
    Findings found;
    CHECK_OK(archive.dump(
        [&](const ArchiveRow& row) {
            found.counts.add(row);
            return work.tell_rows("Read", found.counts);
        },
        &found.faults));
    CHECK_OK(work.tell("Comparing rows with each other"));
    CHECK_OK(archive.check(found.faults));
    return found;
}

class StoreCheckCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Looks through a whole store: every row can be read, every ask has its session, "
                "every settled ask its one settlement and the event that tells of it, no event is "
                "missing among those that are kept; of a SQLite file also its pages. Says what is "
                "wrong by its id. A broker may be running.",
            .options = {store_.spec(),
                        {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
            .examples = {{"parley store check", "this user's store; exit code 0 if all is well"},
                         {"parley store check --store sqlite:backup.db", "a backup"}},
            .notes = "A store of an older format is brought up to date, as a broker would do."};
    }

    ExitCode run(const RunContext& context) override {
        const auto url = store_.url(context.environment);
        if (!url) return context.refuse_usage(url.error().message);
        LongWork work(context.console);
        const auto source = open_source(context, store_, work);
        if (!source) return fail_store(context, source.error());
        const auto found = look_through(*source->archive, work);
        work.clear();
        if (!found) return fail_store(context, found.error());
        wants_json_ ? print_json(context.console, *found) : tell(context, *found);
        return found->faults.empty() ? ExitCode::done : ExitCode::failed;
    }

private:
    static void tell(const RunContext& context, const Findings& found) {
        const Charset charset = context.console.err_style().charset;
        for (const std::string& fault : found.faults.told())
            context.console.tell(shown_text(fault, charset) + "\n");
        if (found.faults.untold() > 0)
            context.console.tell(
                fmt::format("and {} more of these kinds\n", found.faults.untold()));
        if (found.faults.empty())
            context.console.tell(fmt::format("All is well: {}.\n", count_words(found.counts)));
    }

    static void print_json(Console& console, const Findings& found) {
        console.print_json(json::object_text([&](json::Writer& out) {
            out.field_bool("ok", found.faults.empty());
            out.key("rows").raw(counts_document(found.counts));
            out.key("faults").begin_array();
            for (const std::string& fault : found.faults.told()) out.string(fault);
            out.end_array();
            out.key("more_faults").number(std::uint64_t{found.faults.untold()});
        }));
    }

    StoreOption store_;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_store_check() {
    return std::make_unique<StoreCheckCommand>();
}

}  // namespace parley::app
