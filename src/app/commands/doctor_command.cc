// SPDX-License-Identifier: Apache-2.0
// parley doctor: what is set up, what is not, and what to do about it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/command_line/run_context.h"
#include "app/commands/commands.h"
#include "app/reach/broker_access.h"
#include "app/setup/claude_setup.h"
#include "app/setup/codex_setup.h"
#include "app/setup/doctor.h"
#include "app/setup/model_check.h"
#include "client/broker_place.h"
#include "client/remote_link.h"
#include "net/loop.h"
#include "text/json.h"
#include "text/safe_text.h"

namespace parley::app {

namespace {

std::string_view word(Finding::Grade grade) {
    switch (grade) {
        case Finding::Grade::good: return "good";
        case Finding::Grade::note: return "note";
        case Finding::Grade::bad: return "bad";
    }
    return "";
}

void note_server(const native::ServerBody& about, Findings& findings) {
    findings.push_back({Finding::Grade::good, "page",
                        fmt::format("{}; `parley token qr` signs a browser in", about.page)});
    if (about.version == PARLEY_VERSION) {
        findings.push_back(
            {Finding::Grade::good, "version", fmt::format("the broker is {} too", about.version)});
    } else {
        findings.push_back({Finding::Grade::note, "version",
                            fmt::format("the broker is {}", about.version),
                            "start the broker again, so that both are of one version"});
    }
}

// Whether the broker that commands would use is there and takes us.
void check_broker(const RunContext& context, Findings& findings) {
    const auto sockets = broker_sockets(context.environment);
    if (!context.global.server && !sockets.empty()) {
        // One that listens, or else where it ought to.
        const auto held = std::ranges::find_if(
            sockets, [](const auto& path) { return find_socket_holder(path).has_value(); });
        const auto* socket = held == sockets.end() ? &sockets.front() : &*held;
        if (const auto holder = find_socket_holder(*socket)) {
            findings.push_back(
                {Finding::Grade::good, "broker",
                 fmt::format("process {} listens at {}{}", holder->pid, socket->string(),
                             holder->command.empty() ? "" : ": " + holder->command)});
            if (holder->command.find("--detached") != std::string::npos) {
                findings.push_back({Finding::Grade::note, "broker",
                                    "a command such as `parley mcp` started it in the background",
                                    fmt::format("none needed; `kill {}` stops it", holder->pid)});
            }
        } else if (std::error_code error; std::filesystem::exists(*socket, error)) {
            findings.push_back({Finding::Grade::note, "socket",
                                fmt::format("{} is left over: nobody listens", socket->string()),
                                "none needed: the next `parley serve` replaces it"});
        }
    }
    net::Loop loop;
    std::unique_ptr<BrokerAccess> access;
    open_server(
        {.loop = loop, .environment = context.environment, .global = context.global},
        [&](Result<std::unique_ptr<BrokerAccess>> opened) {
            if (opened) {
                access = std::move(*opened);
                findings.push_back({Finding::Grade::good, "broker", "answers, and takes us"});
                return access->remote()->describe_server([&](Result<native::ServerBody> about) {
                    if (about) note_server(*about, findings);
                    loop.stop();
                });
            }
            // The message says what to do.
            findings.push_back({Finding::Grade::bad, "broker", opened.error().message});
            loop.stop();
        });
    loop.run();
}

class DoctorCommand final : public Command {
public:
    CommandSpec spec() override {
        return {.about =
                    "Looks at what Parley needs on this machine and says what is wrong and how to "
                    "mend it. Changes nothing.",
                .options = {{.names = "--json", .help = "Print JSON", .target = &wants_json_}},
                .examples = {{"parley doctor", "why does nothing come?"}},
                .notes = "Ends with 1 if something is wrong."};
    }

    bool bears(const Error& error) override {
        settings_fault_ = error.message;
        return true;
    }

    std::vector<OptionSpec> seen_settings() override { return model_.settings(); }

    ExitCode run(const RunContext& context) override {
        Findings findings;
        findings.push_back(
            {Finding::Grade::good, "version", fmt::format("this program is {}", PARLEY_VERSION)});
        check_folders(context.environment, findings);
        if (settings_fault_)
            findings.push_back({Finding::Grade::bad, "config", *settings_fault_,
                                "mend that line; until then no other command runs"});
        check_token_file(context.environment, findings);
        check_page_name(findings);
        check_broker(context, findings);
        check_terminal(context.environment, context.console, findings);
        check_claude_hooks(context.environment, findings);
        check_agents(context.environment, findings);
        check_codex(context.environment, findings);
        if (!settings_fault_) model_.check(context, findings);
        const bool is_well = std::ranges::none_of(
            findings, [](const Finding& finding) { return finding.grade == Finding::Grade::bad; });
        if (wants_json_) {
            print_json(context.console, findings, is_well);
        } else {
            print(context.console, findings);
        }
        return is_well ? ExitCode::done : ExitCode::failed;
    }

private:
    static void print(Console& console, const Findings& findings) {
        for (const Finding& finding : findings) {
            console.print(shown_text(fmt::format("{:<5} {:<9} {}", word(finding.grade),
                                                 finding.subject, finding.detail),
                                     console.out_style().charset) +
                          "\n");
            if (!finding.fix.empty())
                console.print(shown_text(fmt::format("{:<16}{}", "", finding.fix),
                                         console.out_style().charset) +
                              "\n");
        }
    }

    static void print_json(Console& console, const Findings& findings, bool is_well) {
        std::string document;
        json::Writer out(document);
        out.begin_object().field_bool("ok", is_well).key("findings").begin_array();
        for (const Finding& finding : findings) {
            out.begin_object()
                .field("subject", finding.subject)
                .field("grade", word(finding.grade))
                .field("detail", finding.detail);
            if (!finding.fix.empty()) out.field("fix", finding.fix);
            out.end_object();
        }
        out.end_array().end_object();
        console.print_json(document);
    }

    ModelCheck model_;
    std::optional<std::string> settings_fault_;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_doctor() {
    return std::make_unique<DoctorCommand>();
}

}  // namespace parley::app
