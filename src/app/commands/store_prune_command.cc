// SPDX-License-Identifier: Apache-2.0
// parley store prune: what was over long ago goes.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/commands/store_commands.h"
#include "app/keep/long_work.h"
#include "app/keep/running_broker.h"
#include "app/keep/store_option.h"
#include "app/keep/store_source.h"
#include "dialect/native/store.h"
#include "store/engine.h"
#include "text/time_text.h"

namespace parley::app {

namespace {

Result<Pruned> prune_here(const std::string& url, const Retention& before, LongWork& work) {
    const SystemClock clock;
    TRY(engine, open_engine(url, clock));
    Pruned all;
    do {
        TRY(slice, engine->prune(before));
        all.add(slice);
        CHECK_OK(work.tell(fmt::format("Removed {} asks, {} events", all.asks, all.events)));
    } while (all.has_more);
    // The room that they took is for what comes.
    CHECK_OK(engine->tidy_up());
    return all;
}

class StorePruneCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Removes what was over long ago: asks that were settled, sessions that ended and "
                "of which nothing is left, messages that their agent has taken, and the events of "
                "that time. What is pending, live or waiting stays, however old. A broker may be "
                "running; it does so in small steps.",
            .options = {{.names = "--older-than",
                         .value = "TIME",
                         .help = "How long ago, like 90d or 12h",
                         .target = &older_than_},
                        store_.spec(),
                        {.names = "--dry-run",
                         .help = "Only say what would be removed",
                         .target = &is_dry_},
                        {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
            .examples = {{"parley store prune --older-than 90d --dry-run", "what would go"},
                         {"parley store prune --older-than 90d", "then it goes"}},
            .notes =
                "Clients that come back with a cursor from that time get a reset. A key that was "
                "used for an ask that went asks anew. `parley serve --keep-asks 90d` does this by "
                "itself."};
    }

    ExitCode run(const RunContext& context) override {
        if (!older_than_) return context.refuse_usage("give --older-than, like 90d");
        const auto age = parse_duration(*older_than_);
        if (!age)
            return context.refuse_usage(
                fmt::format("--older-than {}: {}", *older_than_, age.error().message));
        if (const auto url = store_.url(context.environment); !url)
            return context.refuse_usage(url.error().message);
        const Instant cut = SystemClock().wall() - *age;
        const Retention before{.asks = cut, .sessions = cut, .messages = cut};
        LongWork work(context.console);
        const auto pruned = is_dry_ ? count(context, before, work) : prune(context, before, work);
        work.clear();
        if (!pruned && !is_dry_ && pruned.error().code == ErrorCode::interrupted) {
            context.complain("interrupted; what went until then is gone, and the store is whole");
            return ExitCode::interrupted;
        }
        if (!pruned) return fail_store(context, pruned.error());
        print(context.console, *pruned);
        return ExitCode::done;
    }

private:
    [[nodiscard]] Result<Pruned> count(const RunContext& context, const Retention& before,
                                       LongWork& work) const {
        TRY(readable, find_readable(context, store_, work));
        const SystemClock clock;
        TRY(engine, open_engine(readable.url, clock));
        return engine->count_prunable(before);
    }

    [[nodiscard]] Result<Pruned> prune(const RunContext& context, const Retention& before,
                                       LongWork& work) const {
        TRY(meant, find_meant_store(context, store_));
        return meant.is_brokers ? prune_in_broker(context, meant, before, work)
                                : prune_here(meant.url, before, work);
    }

    void print(Console& console, const Pruned& pruned) const {
        if (wants_json_)
            return console.print_json(native::pruned_document({.asks = pruned.asks,
                                                               .sessions = pruned.sessions,
                                                               .messages = pruned.messages,
                                                               .events = pruned.events}));
        const std::array<KindCount, 4> counts = {{{"sessions", pruned.sessions},
                                                  {"asks", pruned.asks},
                                                  {"messages", pruned.messages},
                                                  {"events", pruned.events}}};
        console.tell(
            fmt::format("{} {}.\n", is_dry_ ? "Would remove" : "Removed", count_words(counts)));
    }

    StoreOption store_;
    std::optional<std::string> older_than_;
    bool is_dry_ = false;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_store_prune() {
    return std::make_unique<StorePruneCommand>();
}

}  // namespace parley::app
