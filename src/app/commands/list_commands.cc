// SPDX-License-Identifier: Apache-2.0
// parley list, parley show: what is asked, and what became of it.
#include <fmt/format.h>

#include <utility>

#include "app/commands/commands.h"
#include "app/commands/id_lookup.h"
#include "app/reach/with_server.h"
#include "app/terminal/ask_text.h"
#include "app/terminal/list_lines.h"
#include "app/terminal/session_names.h"
#include "core/limits.h"
#include "core/names.h"
#include "dialect/native/server.h"

namespace parley::app {

namespace {

constexpr std::string_view kAllStates = "all";

class ListCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about = "Lists asks, the oldest first; those that wait, unless told otherwise.",
            .options = {{.names = "--state",
                         .value = "STATE",
                         .help = "pending (default), answered, dismissed, timed_out, withdrawn "
                                 "or all",
                         .target = &state_,
                         .choices = choices()},
                        {.names = "--session",
                         .value = "SESSION",
                         .help = "Only those of this session, by name, id or the beginning of one",
                         .target = &session_},
                        {.names = "--brief",
                         .help = "Of each the id, a tab and the title, whole: for scripts, and "
                                 "what shells complete with",
                         .target = &is_brief_},
                        {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
            .examples = {{"parley list", "what waits for an answer"},
                         {"parley list --state all --json", "everything, for a program"}}};
    }

    ExitCode run(const RunContext& context) override {
        return with_server(context, [this](ServerVisit& session) {
            if (!session_) return read_page(session, {});
            look_up_session(session.link, *session_, [this, &session](Result<SessionPtr> found) {
                if (!found) return session.fail(found.error());
                only_ = (*found)->id;
                read_page(session, {});
            });
        });
    }

private:
    static std::vector<std::string> choices() {
        std::vector<std::string> all;
        for (const AskState state : kAll<AskState>) all.emplace_back(to_string(state));
        all.emplace_back(kAllStates);
        return all;
    }

    void read_page(ServerVisit& session, std::optional<AskId> after) {
        const AskListing wanted{.state = from_name<AskState>(state()),
                                .session = only_,
                                .after = after,
                                .limit = limits::kListPageMax};
        session.link.list_asks(wanted, [this, &session](Result<AskPage> page) {
            if (!page) return session.fail(page.error());
            asks_.insert(asks_.end(), page->asks.begin(), page->asks.end());
            if (page->has_more) return read_page(session, page->last);
            if (asks_.empty()) return print(session);
            std::set<SessionId> wanted;
            for (const AskPtr& ask : asks_) wanted.insert(ask->session);
            find_session_names(session.link, wants_json_ ? NamedBy::own_name : NamedBy::title,
                               std::move(wanted), [this, &session](Result<NamesById> names) {
                                   if (!names) return session.fail(names.error());
                                   names_ = std::move(*names);
                                   print(session);
                               });
        });
    }

    void print(ServerVisit& session) {
        Console& console = session.context.console;
        if (wants_json_) {
            const JsonNames names(names_);
            console.print_json(native::ask_page(asks_, std::nullopt, {.names = &names}));
        } else {
            const Instant now = session.loop.clock().wall();
            for (const AskPtr& ask : asks_) {
                const std::string& name = names_[ask->session];
                console.print(is_brief_ ? brief_line(*ask, name, console.row_style())
                                        : list_line(*ask, name, now, console.row_style()));
            }
            if (asks_.empty() && !is_brief_)
                console.tell(state() == to_string(AskState::pending) ? "Nothing waits.\n"
                                                                     : "None.\n");
        }
        session.finish(ExitCode::done);
    }

    std::string state() const { return state_.value_or(std::string(kAllStates)); }

    std::optional<std::string> state_ = "pending";
    std::optional<std::string> session_;
    bool is_brief_ = false;
    bool wants_json_ = false;
    std::optional<SessionId> only_;
    std::vector<AskPtr> asks_;
    NamesById names_;
};

class ShowCommand final : public Command {
public:
    CommandSpec spec() override {
        return {.about = "Shows one ask whole: its questions, and how it ended.",
                .arguments = {{.name = "ASK",
                               .help = "Its id, or a beginning that no other has",
                               .target = &ask_,
                               .completion = Completion::ask}},
                .options = {{.names = "--json", .help = "Print JSON", .target = &wants_json_}},
                .examples = {{"parley show que_01jd2m6x9k3v5w7y9z1a3b5c7d", "read it"}}};
    }

    ExitCode run(const RunContext& context) override {
        return with_server(context, [this](ServerVisit& session) {
            look_up_ask(session.link, *ask_, [this, &session](Result<AskPtr> ask) {
                if (!ask) return session.fail(ask.error());
                print(session, *ask);
            });
        });
    }

private:
    void print(ServerVisit& session, const AskPtr& ask) {
        session.link.find_session(
            ask->session.str(), [this, &session, ask](const Result<SessionPtr>& found) {
                Console& console = session.context.console;
                // An agent sees its own asks, and no sessions.
                if (wants_json_) {
                    const native::OneName name(found ? name_of(**found, NamedBy::own_name) : "");
                    console.print_json(native::ask_document(*ask, {.names = &name}));
                    return session.finish(ExitCode::done);
                }
                const std::string name = found ? name_of(**found) : std::string();
                console.print(whole_text(*ask, name.empty() ? ask->session.str() : name,
                                         session.loop.clock().wall(), console.out_style()));
                session.finish(ExitCode::done);
            });
    }

    std::optional<std::string> ask_;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list() {
    return std::make_unique<ListCommand>();
}

std::unique_ptr<Command> make_show() {
    return std::make_unique<ShowCommand>();
}

}  // namespace parley::app
