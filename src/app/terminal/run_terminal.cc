// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/run_terminal.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "app/limits.h"
#include "core/permission.h"
#include "core/text_rules.h"
#include "dialect/claude/permission.h"
#include "text/json.h"
#include "text/safe_text.h"
#include "text/width.h"

namespace parley::app {

namespace {

constexpr std::string_view kMessagePrompt = "> ";
constexpr std::string_view kStaysOpen =
    "the question stays open: answer it in 'parley inbox', or on the page";

std::string printed_line(std::string_view text) {
    std::string line = escape_unsafe(text);
    for (char& c : line)
        if (c == '\n' || c == '\t') c = ' ';
    return cut_to_clusters(line, limits::kToolLineChars);
}

// A tool's output is JSON; one that is a text is shown as that.
std::string output_text(const std::string& output) {
    const auto value = json::parse(output);
    return value && value->is_string() ? std::string(value->get_string()) : output;
}

// What it does in a line, as a permission for it would say.
std::string call_text(const Part& part) {
    PermissionRequest request{.tool = part.tool, .input = part.body};
    Faults faults;
    permission::check(request, {}, faults);
    if (request.summary.empty()) return fmt::format("{} {}", part.tool, part.body);
    if (request.summary.starts_with(part.tool)) return request.summary;
    return fmt::format("{} {}", part.tool, request.summary);
}

}  // namespace

RunTerminal::RunTerminal(Wiring wiring, bool takes_messages)
    : wiring_(wiring),
      is_interactive_(wiring.context.console.is_interactive()),
      takes_messages_(takes_messages && is_interactive_),
      is_accessible_(wiring.context.environment.find("ACCESSIBLE").has_value()) {}

void RunTerminal::show(const StreamItem& item) {
    if (const auto* delta = std::get_if<PartDelta>(&item)) {
        if (delta->kind == PartDelta::Kind::text) show_text(delta->text);
    } else if (const auto* part = std::get_if<StreamPart>(&item)) {
        if (part->part.kind == Part::Kind::text && part->has_body) show_text(part->part.body);
        show_part(part->part);
    }
}

void RunTerminal::show_text(std::string_view text) {
    if (text.empty()) return;
    is_mid_line_ = text.back() != '\n';
    const bool is_tty = wiring_.context.console.is_out_tty();
    write_out(Console::kOut, is_tty ? escape_unsafe(text) : std::string(text));
}

void RunTerminal::show_part(const Part& part) {
    switch (part.kind) {
        case Part::Kind::text: return end_line();
        case Part::Kind::tool_input:
            // A question is shown as itself.
            if (part.tool == claude::kAskTool) return;
            return say(fmt::format("* {}", call_text(part)));
        case Part::Kind::tool_output:
            if (part.is_error) say(fmt::format("  failed: {}", output_text(part.body)));
            return;
        case Part::Kind::tool_input_error:
        case Part::Kind::finish: return;
    }
}

void RunTerminal::say(std::string_view line) {
    end_line();
    write_out(Console::kErr, printed_line(line) + "\n");
}

void RunTerminal::end_line() {
    if (std::exchange(is_mid_line_, false)) write_out(Console::kOut, "\n");
}

// A prompt is not written into.
void RunTerminal::write_out(int stream, std::string text) {
    if (run_) {
        held_.emplace_back(stream, std::move(text));
        return;
    }
    if (stream == Console::kOut) {
        wiring_.context.console.print(text);
    } else {
        wiring_.context.console.tell(text);
    }
}

void RunTerminal::show_notice(const NoticeGiven& notice) {
    end_line();
    // In the place of a line that is waited for, which then stands below.
    write_out(Console::kErr,
              fmt::format("{}parley {}: {}\n{}", lines_ ? "\r\x1b[K" : "", wiring_.context.command,
                          shown_text(notice.text, wiring_.context.console.err_style().charset),
                          lines_ ? kMessagePrompt : ""));
    wiring_.loop.post(alive_.guard([this] {
        if (is_idle_) read_message();
    }));
}

void RunTerminal::show_asked(const AskRequest& request) {
    if (!is_interactive_) return;
    asks_.push_back(request);
    if (!run_) next_ask();
}

// Ctrl-C at a prompt means the turn, not the question alone.
void RunTerminal::interrupt_agent() {
    switch (agent_->interrupt()) {
        case Driver::Interruption::no_turn: return say(kStaysOpen);
        case Driver::Interruption::stopped: return;
        // Not inside the call of the prompt, which goes with it.
        case Driver::Interruption::again:
            return wiring_.loop.post(alive_.guard([this] { agent_->quit(); }));
    }
}

void RunTerminal::next_ask() {
    if (asks_.empty()) return;
    end_line();
    lines_.reset();
    AskRun::Options options{
        .request = std::move(asks_.front()),
        .prompt = PromptSetting{.in = Console::kIn, .is_accessible = is_accessible_},
        .form = AnswerForm::none,
        .is_of_agent = true};
    asks_.pop_front();
    run_ = std::make_unique<AskRun>(wiring_.context, wiring_.loop, wiring_.access,
                                    std::move(options), [this](ExitCode code) {
                                        if (code == ExitCode::interrupted && agent_ != nullptr)
                                            interrupt_agent();
                                        // Not inside its own call.
                                        wiring_.loop.post(alive_.guard([this] {
                                            run_.reset();
                                            write_held();
                                            next_ask();
                                            if (is_idle_) read_message();
                                        }));
                                    });
    run_->start();
}

void RunTerminal::show_idle(bool is_idle) {
    is_idle_ = is_idle;
    if (is_idle) {
        end_line();
        read_message();
    } else {
        lines_.reset();
    }
}

void RunTerminal::read_message() {
    if (!takes_messages_ || run_ || lines_ || agent_ == nullptr) return;
    wiring_.context.console.tell(fmt::format("\n{}", kMessagePrompt));
    lines_ = std::make_unique<LineReader>(Console::kIn, wiring_.loop);
    lines_->next([this](std::optional<std::string> line) {
        wiring_.loop.post(alive_.guard([this] { lines_.reset(); }));
        if (!line) return agent_->quit();
        if (trim_blanks(*line).empty()) {
            wiring_.loop.post(alive_.guard([this] { read_message(); }));
            return;
        }
        agent_->say(std::move(*line));
    });
}

void RunTerminal::write_held() {
    for (auto& [stream, text] : std::exchange(held_, {})) write_out(stream, std::move(text));
}

void RunTerminal::close() {
    // The command may go on for a while: nothing is read or asked any more.
    alive_.end();
    end_line();
    asks_.clear();
    run_.reset();
    write_held();
    // The line that was being typed stands as it is.
    if (lines_) wiring_.context.console.tell("\n");
    lines_.reset();
}

}  // namespace parley::app
