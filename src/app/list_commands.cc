// SPDX-License-Identifier: Apache-2.0
// parley list, parley show: what is asked, and what became of it.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "app/ask_text.h"
#include "app/commands.h"
#include "app/with_server.h"
#include "base/limits.h"
#include "dialect/native.h"

namespace parley::app {

namespace {

const std::vector<std::string> kStates = {"pending", "answered", "dismissed", "timed_out",
                                          "withdrawn"};

class List final : public Command {
public:
    CommandSpec spec() override {
        return {.about = "Lists asks, the oldest first; those that wait, unless told otherwise.",
                .options = {{.names = "--state",
                             .value = "STATE",
                             .help = "pending (default), answered, dismissed, timed_out, withdrawn "
                                     "or all",
                             .target = &state_,
                             .choices = choices()},
                            {.names = "--session",
                             .value = "SESSION",
                             .help = "Only those of this session, by name or id",
                             .target = &session_},
                            {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
                .examples = {{"parley list", "what waits for an answer"},
                             {"parley list --state all --json", "everything, for a program"}}};
    }

    ExitCode run(const RunContext& context) override {
        if (*state_ != "all" && !parse_state())
            return context.refuse_usage(
                "--state must be pending, answered, dismissed, timed_out, "
                "withdrawn or all");
        return with_server(context, [this](ServerSession& session) {
            if (!session_) return read_page(session, {});
            session.link.find_session(*session_, [this, &session](Result<SessionPtr> found) {
                if (!found) return session.fail(found.error());
                only_ = (*found)->id;
                read_page(session, {});
            });
        });
    }

private:
    static std::vector<std::string> choices() {
        std::vector<std::string> all = kStates;
        all.emplace_back("all");
        return all;
    }

    std::optional<AskState> parse_state() const {
        for (std::size_t i = 0; i < kStates.size(); ++i)
            if (kStates[i] == *state_) return static_cast<AskState>(i);
        return std::nullopt;
    }

    void read_page(ServerSession& session, std::optional<AskId> after) {
        const AskQuery query{.state = parse_state(),
                             .session = only_,
                             .after = after,
                             .limit = limits::kListPageMax};
        session.link.list_asks(query, [this, &session](Result<AskPage> page) {
            if (!page) return session.fail(page.error());
            asks_.insert(asks_.end(), page->asks.begin(), page->asks.end());
            if (page->has_more && !page->asks.empty())
                return read_page(session, page->asks.back()->id);
            if (wants_json_ || asks_.empty()) return print(session);
            read_names(session, {});
        });
    }

    // What people call the sessions; one without title and name is shown without.
    void read_names(ServerSession& session, std::optional<SessionId> after) {
        session.link.list_sessions(
            {.after = after, .limit = limits::kListPageMax},
            [this, &session](Result<SessionPage> page) {
                // An agent sees its own asks, and no sessions.
                if (!page && page.error().code == ErrorCode::denied) return print(session);
                if (!page) return session.fail(page.error());
                for (const SessionPtr& listed : page->sessions)
                    if (const auto& name = listed->title ? listed->title : listed->name)
                        names_.emplace(listed->id, *name);
                if (page->has_more && !page->sessions.empty())
                    return read_names(session, page->sessions.back()->id);
                print(session);
            });
    }

    void print(ServerSession& session) {
        Console& console = session.context.console;
        if (wants_json_) {
            console.print_json(native::ask_page(asks_, std::nullopt));
        } else {
            const Instant now = session.loop.clock().wall();
            for (const AskPtr& ask : asks_)
                console.print(list_line(*ask, names_[ask->session], now, console.row_style()));
            if (asks_.empty()) console.tell(*state_ == "pending" ? "Nothing waits.\n" : "None.\n");
        }
        session.finish(ExitCode::done);
    }

    std::optional<std::string> state_ = "pending";
    std::optional<std::string> session_;
    bool wants_json_ = false;
    std::optional<SessionId> only_;
    std::vector<AskPtr> asks_;
    std::map<SessionId, std::string> names_;
};

class Show final : public Command {
public:
    CommandSpec spec() override {
        return {.about = "Shows one ask whole: its questions, and how it ended.",
                .arguments = {{.name = "ASK", .help = "Its id", .target = &ask_}},
                .options = {{.names = "--json", .help = "Print JSON", .target = &wants_json_}},
                .examples = {{"parley show que_01jd2m6x9k3v5w7y9z1a3b5c7d", "read it"}}};
    }

    ExitCode run(const RunContext& context) override {
        const auto id = AskId::parse(*ask_);
        if (!id) return context.refuse_usage(fmt::format("{} is not the id of an ask", *ask_));
        return with_server(context, [this, id = *id](ServerSession& session) {
            session.link.find_ask(id, [this, &session](Result<AskPtr> ask) {
                if (!ask) return session.fail(ask.error());
                Console& console = session.context.console;
                if (wants_json_) {
                    console.print_json(native::ask_document(**ask));
                } else {
                    console.print(whole_text(**ask, (*ask)->session.str(),
                                             session.loop.clock().wall(), console.out_style()));
                }
                session.finish(ExitCode::done);
            });
        });
    }

private:
    std::optional<std::string> ask_;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list() {
    return std::make_unique<List>();
}

std::unique_ptr<Command> make_show() {
    return std::make_unique<Show>();
}

}  // namespace parley::app
