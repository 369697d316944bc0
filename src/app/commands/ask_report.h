// SPDX-License-Identifier: Apache-2.0
// How `parley ask` tells what became of its question: the answer for the program on stdout, the
// rest for people on stderr, and the exit code. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/command_line/exit_codes.h"
#include "parley/values.h"
#include "prompt/plain_page.h"

namespace parley::app {

enum class AnswerForm : std::uint8_t { plain, json, none };  // on stdout

struct ReportOptions {
    std::string_view command = "ask";  // what runs, as messages name it
    AnswerForm form = AnswerForm::plain;
    std::string_view session = {};   // as the asker called it, for JSON
    bool is_out_tty = false;         // a person reads stdout, so nothing in it may act
    bool was_answered_here = false;  // the one who reads stderr typed the answer
    bool always_sums_up = false;     // the prompt is gone from the screen: say what was taken
    std::string shown_time = {};     // of the settlement, as this person reads it
    Charset charset = Charset::utf8;
};

struct AskReport {
    std::string out;
    std::string err;
    ExitCode code = ExitCode::done;
};

// The ask is settled.
AskReport report_of(const Ask& ask, const ReportOptions& options);

}  // namespace parley::app
