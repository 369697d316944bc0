// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/run_lines.h"

#include <utility>
#include <variant>

#include "dialect/native/server.h"
#include "text/json.h"
#include "text/safe_text.h"

namespace parley::app {

namespace {

std::string_view word(Driver::Ending::Kind kind) {
    using Kind = Driver::Ending::Kind;
    switch (kind) {
        case Kind::done: return "done";
        case Kind::failed: return "failed";
        case Kind::stopped: return "stopped";
        case Kind::session_ended: return "session_ended";
    }
    return "failed";
}

}  // namespace

RunLines::RunLines(const RunContext& context, std::string session)
    : context_(context), session_(std::move(session)) {
    std::string line;
    json::Writer out(line);
    out.begin_object().field("type", "run.started").field("session", session_).end_object();
    context_.console.print(line + "\n");
}

void RunLines::show_frame(const Frame& frame) {
    const bool is_of_the_following =
        std::holds_alternative<SnapshotEnd>(frame) || std::holds_alternative<Reset>(frame);
    if (is_of_the_following || is_over_) return;
    const native::OneName name(session_);
    context_.console.print_json(native::write_frame(frame, {.names = &name}).data);
}

void RunLines::show_notice(const NoticeGiven& notice) {
    context_.complain(shown_text(notice.text, context_.console.err_style().charset));
}

void RunLines::end(const Driver::Ending& ending, ExitCode code) {
    is_over_ = true;
    std::string line;
    json::Writer out(line);
    out.begin_object().field("type", "run.ended").field("session", session_);
    out.field("outcome", word(ending.kind)).key("exit_code");
    out.number(static_cast<std::uint64_t>(code));
    if (!ending.result.empty()) out.field("result", ending.result);
    if (!ending.why.empty()) out.field("detail", ending.why);
    if (ending.usage) {
        out.key("usage").begin_object().field_int("input_tokens", ending.usage->input);
        out.field_int("cached_tokens", ending.usage->cached);
        out.field_int("output_tokens", ending.usage->output).end_object();
    }
    out.end_object();
    context_.console.print(line + "\n");
}

}  // namespace parley::app
