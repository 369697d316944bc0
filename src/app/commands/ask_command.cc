// SPDX-License-Identifier: Apache-2.0
// `parley ask`: asks, waits, prints the answer.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "app/command_line/run_context.h"
#include "app/commands/ask_arguments.h"
#include "app/commands/ask_run.h"
#include "app/commands/commands.h"
#include "app/reach/broker_access.h"
#include "net/loop.h"

namespace parley::app {

namespace {

class AskCommand final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    enum class Where : std::uint8_t { here, broker };

    Where where(const Console& console) const;
    Result<std::optional<int>> prompt_fd(Where where) const;
    std::optional<PromptSetting> prompt_setting(std::optional<int> fd) const;
    std::vector<OptionSpec> question_options();
    std::vector<OptionSpec> waiting_options();

    AskArguments arguments_;
    bool wants_json_ = false;
    bool here_ = false;
    bool broker_ = false;
    bool background_ = false;
    bool no_numbers_ = false;
    bool is_accessible_ = false;
};

std::vector<OptionSpec> AskCommand::question_options() {
    return {
        {.names = "-o,--option",
         .value = "LABEL[::TEXT]",
         .help =
             "A choice, with a description after \"::\" if you like; give it once for each. "
             "Without any, the answer is typed. A label that contains \"::\" has it as \"\\::\".",
         .target = &arguments_.options},
        {.names = "--header",
         .value = "TEXT",
         .help = "A short title, such as \"Database\".",
         .target = &arguments_.header},
        {.names = "--multi",
         .help = "Several choices may be made.",
         .target = &arguments_.is_multi},
        {.names = "--no-other",
         .help = "No answer in other words than the choices.",
         .target = &arguments_.no_other},
        {.names = "--default",
         .value = "LABEL",
         .help = "What is marked beforehand, or the text that is written; once for each label. A "
                 "person still sends it: what a timer answers is --on-timeout.",
         .target = &arguments_.marked},
        {.names = "--min",
         .value = "N",
         .help = "With --multi: at least so many choices.",
         .target = &arguments_.min},
        {.names = "--max",
         .value = "N",
         .help = "With --multi: at most so many choices.",
         .target = &arguments_.max},
        {.names = "--required",
         .help = "It may not be left empty, wherever it is answered.",
         .target = &arguments_.is_required},
        {.names = "--optional",
         .help = "It may be left empty: the answer is then nothing.",
         .target = &arguments_.is_optional},
        {.names = "--context",
         .value = "FILE",
         .help = "Markdown that is shown with the question.",
         .target = &arguments_.context_file,
         .completion = Completion::file},
        {.names = "--file",
         .value = "FILE",
         .help = "The questions as JSON, {\"questions\":[...]}, instead of QUESTION. - is stdin.",
         .target = &arguments_.file,
         .completion = Completion::file},
        {.names = "--strict-header",
         .help = "Refuse a header of more than 12 characters instead of shortening it.",
         .target = &arguments_.strict_header},
        {.names = "--no-dismiss",
         .help = "The person cannot dismiss it, only answer.",
         .target = &arguments_.no_dismiss},
    };
}

std::vector<OptionSpec> AskCommand::waiting_options() {
    return {
        {.names = "--session",
         .value = "ID",
         .help = "The conversation it belongs to: an id, or a name of your own. Also "
                 "PARLEY_SESSION.",
         .target = &arguments_.session,
         .setting = "session"},
        {.names = "--key",
         .value = "KEY",
         .help = "Makes this the same question when the command is run again: it waits on, or "
                 "prints what was answered.",
         .target = &arguments_.key},
        {.names = "--timeout",
         .value = "TIME",
         .help = "How long to wait: 90s, 10m, 1h30m. Default: for ever.",
         .target = &arguments_.timeout},
        {.names = "--on-timeout",
         .value = "WHAT",
         .help =
             "What happens then. deny, the default: no answer, exit code 4. default=LABEL: this "
             "answer, recorded as the timer's. With --multi, and with several questions, give "
             "it once for each label.",
         .target = &arguments_.on_timeout,
         .choices = {"deny", "default="}},
        {.names = "--here",
         .help =
             "Prompt here, also when the input is not a terminal: a line of input per answer. "
             "If a broker runs, the question can be answered there too; the first answer counts.",
         .target = &here_},
        {.names = "--broker",
         .help = "Ask through the broker and wait; do not prompt here. The default when the input "
                 "is not a terminal.",
         .target = &broker_},
        {.names = "--background",
         .help = "Ask through the broker and print the ask's id at once. It stays open; 'parley "
                 "wait ID' brings the answer.",
         .target = &background_},
        {.names = "--no-numbers",
         .help = "Show the choices without their numbers.",
         .target = &no_numbers_,
         .setting = "ask.no_numbers"},
        {.names = "--accessible",
         .help =
             "Prompt in plain lines, for screen readers: nothing is redrawn. Also ACCESSIBLE=1.",
         .target = &is_accessible_,
         .setting = "accessible"},
        {.names = "--json",
         .help = "Print the whole settled question as JSON.",
         .target = &wants_json_},
    };
}

CommandSpec AskCommand::spec() {
    CommandSpec spec{
        .about =
            "Asks a person a question, waits, and prints the answer: the chosen labels or the "
            "typed text, one per line.",
        .arguments = {{.name = "QUESTION",
                       .help = "What to ask, in quotes.",
                       .target = &arguments_.question,
                       .is_required = false}},
        .options = question_options(),
        .examples =
            {{"parley ask \"Tea or coffee?\" -o Tea -o Coffee",
              "One of the two, or an answer in other words."},
             {"parley ask \"Which features?\" --multi --no-other -o Dark -o Offline",
              "One or more of these and nothing else."},
             {"parley ask \"Which regions?\" --multi --min 2 -o eu -o us -o asia --default eu",
              "Two or more; the first is marked already."},
             {"db=$(parley ask \"Which database?\" -o \"PostgreSQL::The usual\" -o SQLite)",
              "For a script: the prompt is on stderr, the answer on stdout."},
             {"parley ask \"Deploy now?\" -o Yes -o No --timeout 10m --on-timeout default=No",
              "Goes on after ten minutes, and says that the timer decided."},
             {"id=$(parley ask \"Deploy now?\" -o Yes -o No --background)",
              "Asks and goes on; 'parley wait $id' brings the answer."},
             {"printf '2\\n' | parley ask --here \"Tea or coffee?\" -o Tea -o Coffee",
              "Answered by a program."}},
        .notes =
            "exit codes: 0 answered, 1 failed, 2 wrong usage or an invalid question, 3 "
            "dismissed by the person, 4 timed out, 5 withdrawn or its session ended, 6 no "
            "broker, 130 interrupted",
    };
    for (OptionSpec& option : waiting_options()) spec.options.push_back(std::move(option));
    return spec;
}

AskCommand::Where AskCommand::where(const Console& console) const {
    if (here_) return Where::here;
    if (broker_ || background_) return Where::broker;
    return console.is_interactive() ? Where::here : Where::broker;
}

Result<std::optional<int>> AskCommand::prompt_fd(Where where) const {
    if (where == Where::broker) return std::nullopt;
    if (arguments_.file != "-") return Console::kIn;
    // The input has brought the questions; the answers can only come from the terminal itself.
    const int fd = ::open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return reject(ErrorCode::invalid,
                      "--file - takes the questions from the input, and there is no terminal for "
                      "the answers; put the questions into a file, or use --broker");
    }
    return fd;
}

std::optional<PromptSetting> AskCommand::prompt_setting(std::optional<int> fd) const {
    if (!fd) return std::nullopt;
    return PromptSetting{.in = *fd,
                         .profile = ask_profile(arguments_),
                         .has_numbers = !no_numbers_,
                         .is_accessible = is_accessible_};
}

ExitCode AskCommand::run(const RunContext& context) {
    if (here_ && broker_)
        return context.refuse_usage("--here and --broker exclude each other; give one of them");
    if (here_ && background_)
        return context.refuse_usage(
            "--background does not wait, and --here would; give one of them");
    auto request = make_ask_request(arguments_);
    if (!request) return context.refuse_usage(request.error().message);
    for (const Fault& warning : request->warnings)
        context.complain(fmt::format("left out {}: {}", warning.path, warning.detail));
    const Where place = where(context.console);
    const auto fd = prompt_fd(place);
    if (!fd) return context.refuse_usage(fd.error().message);

    net::Loop loop;
    ExitCode code = ExitCode::failed;
    std::unique_ptr<BrokerAccess> access;
    std::optional<AskRun> ask;
    const auto finish = [&](ExitCode with) {
        code = with;
        loop.stop();
    };
    loop.on_signals({SIGINT, SIGTERM, SIGHUP}, [&](int) {
        if (ask) return ask->interrupt();
        finish(ExitCode::interrupted);
    });
    const ReachOptions options{.loop = loop,
                               .environment = context.environment,
                               .global = context.global,
                               .profile = ask_profile(arguments_)};
    AccessDone opened = [&](Result<std::unique_ptr<BrokerAccess>> result) {
        if (!result) return finish(context.fail(result.error()));
        access = std::move(*result);
        ask.emplace(context, loop, *access,
                    AskRun::Options{.request = std::move(*request),
                                    .prompt = prompt_setting(*fd),
                                    .form = wants_json_ ? AnswerForm::json : AnswerForm::plain,
                                    .is_background = background_},
                    finish);
        ask->start();
    };
    if (place == Where::here) {
        open_server_or_own(options, std::move(opened));
    } else {
        open_server(options, std::move(opened));
    }
    loop.run();
    return code;
}

}  // namespace

std::unique_ptr<Command> make_ask() {
    return std::make_unique<AskCommand>();
}

}  // namespace parley::app
