// SPDX-License-Identifier: Apache-2.0
// `parley man`: prints the manual, or writes all its pages into a folder.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "app/command_line/global_options.h"
#include "app/command_line/manual.h"
#include "app/command_line/run_context.h"
#include "app/command_line/version.h"
#include "app/commands/commands.h"
#include "app/commands/described_table.h"
#include "core/text_rules.h"

namespace parley::app {

namespace {

class ManCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about = "Prints the manual page of a command, or that of parley, for man.",
            .arguments = {{.name = "COMMAND",
                           .help = "A command, such as ask or token create.",
                           .target = &words_,
                           .is_required = false}},
            .options = {{.names = "--markdown",
                         .help = "All commands as one page in Markdown",
                         .target = &wants_markdown_},
                        {.names = "--write",
                         .value = "FOLDER",
                         .help = "Write every page into this folder, which is made",
                         .target = &folder_,
                         .completion = Completion::file}},
            .examples = {{"parley man ask | man -l -", "Read the page of ask."},
                         {"parley man --write ~/.local/share/man/man1",
                          "Install all pages; `man parley-ask` finds them."}},
        };
    }

    ExitCode run(const RunContext& context) override {
        const DescribedTable table;
        GlobalArguments global;
        const CommandSpec spec = global.spec();
        if (folder_) return write_all(context, table, spec);
        if (wants_markdown_) {
            context.console.print(reference_page(table.commands(), spec));
            return ExitCode::done;
        }
        if (words_.empty()) {
            context.console.print(man_overview(table.commands(), spec, edition()));
            return ExitCode::done;
        }
        const std::string name = fmt::format("{}", fmt::join(words_, " "));
        for (const DescribedCommand& command : table.commands()) {
            if (command.name != name) continue;
            context.console.print(man_page(command, spec, edition()));
            return ExitCode::done;
        }
        return context.refuse_usage(fmt::format(
            "there is no command {}; 'parley --help' lists them", quoted_excerpt(name)));
    }

private:
    static Edition edition() {
        return {.version = PARLEY_VERSION, .date = std::string(source_date())};
    }

    ExitCode write_all(const RunContext& context, const DescribedTable& table,
                       const CommandSpec& global) const {
        const std::filesystem::path folder = *folder_;
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        bool is_written =
            write(folder, "parley", man_overview(table.commands(), global, edition()));
        for (const DescribedCommand& command : table.commands())
            is_written = is_written && write(folder, man_page_name(command.name),
                                             man_page(command, global, edition()));
        if (is_written) return ExitCode::done;
        context.complain(fmt::format("the pages could not be written into {}", folder.string()));
        return ExitCode::failed;
    }

    static bool write(const std::filesystem::path& folder, const std::string& page,
                      const std::string& text) {
        std::ofstream file(folder / (page + ".1"), std::ios::binary);
        file << text;
        return !file.flush().fail();
    }

    std::vector<std::string> words_;
    std::optional<std::string> folder_;
    bool wants_markdown_ = false;
};

}  // namespace

std::unique_ptr<Command> make_man() {
    return std::make_unique<ManCommand>();
}

}  // namespace parley::app
