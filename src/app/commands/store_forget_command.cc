// SPDX-License-Identifier: Apache-2.0
// parley store forget: what settled asks said goes; that they were asked and how they ended stays.
#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "app/commands/store_commands.h"
#include "app/keep/long_work.h"
#include "app/keep/running_broker.h"
#include "app/keep/store_option.h"
#include "app/keep/store_source.h"
#include "text/json_object.h"

namespace parley::app {

namespace {

// Of a store that no broker has for itself; nodes on PostgreSQL are told of it as of any write.
Result<void> forget_here(const std::string& url, std::span<const AskId> asks) {
    const SystemClock clock;
    TRY(engine, open_engine(url, clock));
    for (const AskId id : asks) {
        const std::array<Change, 1> change = {DeleteContent{id, clock.wall()}};
        TRY(report, engine->commit(change));
        const Verdict verdict = report.outcomes.front().verdict;
        if (verdict == Verdict::missing)
            return reject(ErrorCode::not_found, "there is no ask {}", id.str());
        if (verdict == Verdict::conflict)
            return reject(ErrorCode::conflict,
                          "ask {} is pending. To fix it: start the broker and withdraw it first",
                          id.str());
    }
    return {};
}

class StoreForgetCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Deletes what settled asks said and what was said to them: the texts of questions, "
                "options and context, the input that a permission was about, answers and notes. "
                "Ids, session, asker, how each ended, by whom, through which door and when stay, "
                "and the ask says that its content was deleted. A broker may be running.",
            .arguments = {{.name = "ASK",
                           .help = "Whole ids, as `parley list --all` shows them",
                           .target = &asks_}},
            .options = {store_.spec(),
                        {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
            .examples = {{"parley store forget que_01j8z3m4n5p6q7r8s9t0v1w2x3", "of one ask"}},
            .notes =
                "For the owner. What is pending is refused: withdraw it first. What an agent wrote "
                "into its session, messages, backups and exports that were made before, and logs "
                "with texts are not touched; docs/operations.md says more."};
    }

    ExitCode run(const RunContext& context) override {
        std::vector<AskId> asks;
        for (const std::string& text : asks_) {
            const auto id = AskId::parse(text);
            if (!id) return context.refuse_usage(fmt::format("{} is no id of an ask", text));
            asks.push_back(*id);
        }
        if (const auto url = store_.url(context.environment); !url)
            return context.refuse_usage(url.error().message);
        const LongWork work(context.console);
        const auto done = forget(context, asks);
        if (!done) return fail_store(context, done.error());
        if (wants_json_) {
            context.console.print_json(json::object_text(
                [&](json::Writer& out) { out.key("asks").number(std::uint64_t{asks.size()}); }));
        } else {
            context.console.tell(fmt::format("Deleted the content of {} ask{}.\n", asks.size(),
                                             asks.size() == 1 ? "" : "s"));
        }
        return ExitCode::done;
    }

private:
    [[nodiscard]] Result<void> forget(const RunContext& context,
                                      std::span<const AskId> asks) const {
        TRY(meant, find_meant_store(context, store_));
        return meant.is_brokers ? forget_in_broker(context, meant, asks)
                                : forget_here(meant.url, asks);
    }

    StoreOption store_;
    std::vector<std::string> asks_;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_store_forget() {
    return std::make_unique<StoreForgetCommand>();
}

}  // namespace parley::app
