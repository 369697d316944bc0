// SPDX-License-Identifier: Apache-2.0
// parley wait: for what was asked before, by whichever way, and not waited for.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "app/commands/ask_report.h"
#include "app/commands/commands.h"
#include "app/commands/id_lookup.h"
#include "app/reach/with_server.h"
#include "app/terminal/local_time.h"
#include "core/text_rules.h"

namespace parley::app {

namespace {

class WaitCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Waits for asks that are open, and prints their answers in the order in which "
                "they are named, once all are settled. What is settled already is told at once.",
            .arguments = {{.name = "ASK",
                           .help = "Its id, or a beginning that no other has; as many as you like",
                           .target = &ids_,
                           .completion = Completion::ask}},
            .options = {{.names = "--any",
                         .help = "Until one of them is settled, and print that one.",
                         .target = &is_any_},
                        {.names = "--json",
                         .help = "Print the settled asks as JSON, one a line.",
                         .target = &wants_json_}},
            .examples = {{"parley wait que_01jd2m6x9k3v5w7y9z1a3b5c7d", "and print the answer"},
                         {"parley wait $first $second --any --json", "whichever comes first"}},
            .notes =
                "exit codes: as those of ask, the highest where there are several: 0 answered, 3 "
                "dismissed by the person, 4 timed out, 5 withdrawn or its session ended; 2 wrong "
                "usage, 6 no broker, 130 interrupted (the asks stay open)"};
    }

    ExitCode run(const RunContext& context) override {
        return with_server(context, [this](ServerVisit& session) { look_up(session, 0); });
    }

private:
    struct Awaited {
        AskPtr ask;
        LinkWait wait = {};
        std::string session = {};  // what its asker calls it
    };

    void look_up(ServerVisit& session, std::size_t at) {
        if (at == ids_.size()) return start(session);
        look_up_ask(session.link, ids_[at], [this, &session, at](Result<AskPtr> ask) {
            if (!ask) return session.fail(ask.error());
            if (std::ranges::none_of(all_,
                                     [&](const auto& each) { return each->ask->id == (*ask)->id; }))
                all_.push_back(std::make_unique<Awaited>(Awaited{.ask = *ask}));
            look_up(session, at + 1);
        });
    }

    void start(ServerVisit& session) {
        for (const auto& each : all_)
            if (is_any_ && !each->ask->is_pending()) return name_sessions(session, {each.get()});
        for (const auto& each : all_) {
            if (!each->ask->is_pending()) continue;
            ++open_;
            Awaited& awaited = *each;
            awaited.wait = session.link.wait(awaited.ask->id,
                                             [this, &session, &awaited](const Result<AskPtr>& ask) {
                                                 if (!ask) return session.fail(ask.error());
                                                 awaited.ask = *ask;
                                                 --open_;
                                                 if (is_any_)
                                                     return name_sessions(session, {&awaited});
                                                 if (open_ == 0) report_all(session);
                                             });
        }
        if (open_ == 0) return report_all(session);
        session.context.complain(fmt::format("waits for {}", count_of(open_, "ask")));
    }

    void report_all(ServerVisit& session) {
        std::vector<Awaited*> told;
        for (const auto& each : all_) told.push_back(each.get());
        name_sessions(session, std::move(told));
    }

    // A document has the session's own name, if it has one.
    void name_sessions(ServerVisit& session, std::vector<Awaited*> told) {
        if (std::exchange(is_done_, true)) return;
        name_next(session, std::move(told), 0);
    }

    void name_next(ServerVisit& session, std::vector<Awaited*> told, std::size_t at) {
        if (!wants_json_ || at == told.size()) return report(session, told);
        Awaited& awaited = *told[at];
        session.link.find_session(awaited.ask->session.str(),
                                  [this, &session, &awaited, told = std::move(told),
                                   at](const Result<SessionPtr>& found) mutable {
                                      // An agent sees its own asks, and no sessions.
                                      if (found) awaited.session = (*found)->name.value_or("");
                                      name_next(session, std::move(told), at + 1);
                                  });
    }

    void report(ServerVisit& session, const std::vector<Awaited*>& told) const {
        Console& console = session.context.console;
        ExitCode code = ExitCode::done;
        for (const Awaited* each : told) {
            const AskReport report =
                report_of(*each->ask, {.command = session.context.command,
                                       .form = wants_json_ ? AnswerForm::json : AnswerForm::plain,
                                       .session = each->session,
                                       .is_out_tty = console.is_out_tty(),
                                       .shown_time = local_time(each->ask->settlement->at),
                                       .charset = console.err_style().charset});
            console.tell(report.err);
            console.print(report.out);
            code = std::max(code, report.code);
        }
        session.finish(code);
    }

    std::vector<std::string> ids_;
    bool is_any_ = false;
    bool wants_json_ = false;
    std::vector<std::unique_ptr<Awaited>> all_;
    std::size_t open_ = 0;
    bool is_done_ = false;
};

}  // namespace

std::unique_ptr<Command> make_wait() {
    return std::make_unique<WaitCommand>();
}

}  // namespace parley::app
