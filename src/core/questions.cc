// SPDX-License-Identifier: Apache-2.0
// The rules over questions that are already values. Reading them from JSON: read_questions.cc.
#include "core/questions.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/answers.h"
#include "core/limits.h"
#include "core/permission.h"
#include "core/profile.h"
#include "core/question_kinds.h"
#include "core/question_rules.h"
#include "core/text_rules.h"
#include "text/limits.h"
#include "text/safe_text.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {

namespace {

void normalize(Question& question) {
    normalize_newlines_of(question.text);
    for (Option& option : question.options) {
        normalize_newlines_of(option.description);
        if (option.preview) normalize_newlines_of(*option.preview);
    }
    if (is_blank(question.header)) question.header = make_header(question.text);
}

std::size_t text_bytes(const Question& question) {
    std::size_t bytes = question.text.size() + question.header.size();
    for (const Option& option : question.options) {
        bytes += option.label.size() + option.description.size();
        if (option.preview) bytes += option.preview->size();
    }
    for (const std::string& label : question.preset->selected) bytes += label.size();
    return bytes + (question.preset->other ? question.preset->other->size() : 0);
}

void check_name(const std::optional<std::string>& name, std::string_view what, const json::Path& at,
                Faults& faults) {
    if (name) check_text(*name, name_rule(what), at, faults);
}

void check_timer(AskSpec& spec, Faults& faults) {
    const json::Path root;
    if (spec.timeout && *spec.timeout <= Millis::zero()) {
        faults.add(root / "timeout_seconds",
                   "the timeout must be more than 0 seconds; leave it out to wait for ever");
    } else if (spec.timeout && *spec.timeout > limits::kTimeoutMax) {
        faults.add(root / "timeout_seconds",
                   fmt::format("the timeout may be at most {} seconds; leave it out to wait for "
                               "ever",
                               std::chrono::seconds(limits::kTimeoutMax).count()));
    }
    if (!spec.default_answers) return;
    const json::Path on_timeout = root / "on_timeout";
    check_answers(spec.questions, *spec.default_answers, {}, on_timeout / "default", faults);
}

}  // namespace

std::string range_of(std::size_t min, std::size_t max) {
    return min == max ? fmt::format("{}", min) : fmt::format("{} to {}", min, max);
}

void check_question(Question& question, const Profile& profile, const json::Path& at,
                    Faults& faults) {
    normalize(question);
    check_text(question.text, {.what = "the question"}, at / "question", faults);
    check_text(question.header,
               {.what = "the header",
                .shape = TextShape::label,
                .chars_max = profile.refuses_long_header ? profile.header_chars : 0},
               at / "header", faults);
    rules_of(question).check(question, profile, at, faults);
}

std::size_t text_bytes(const std::vector<Question>& questions) {
    std::size_t bytes = 0;
    for (const Question& question : questions) bytes += text_bytes(question);
    return bytes;
}

void check_ask_bytes(std::size_t bytes, const json::Path& at, Faults& faults) {
    if (bytes <= limits::kAskBytes) return;
    faults.add(at, fmt::format("the ask has {} bytes of text, but at most {} are allowed; shorten "
                               "descriptions and previews, or ask in parts",
                               bytes, limits::kAskBytes));
}

void check_questions(std::vector<Question>& questions, const Profile& profile,
                     const json::Path& list, Faults& faults) {
    const std::size_t checked = std::min(questions.size(), profile.questions_max);
    const auto text_of = [](const Question& each) -> std::string_view { return each.text; };
    for (std::size_t i = 0; i < checked; ++i) {
        const json::Path at = list / i;
        check_question(questions[i], profile, at, faults);
        if (const std::size_t alike = first_alike(questions, i, text_of); alike != i) {
            faults.add(at / "question", fmt::format("the text is the same as that of question {}; "
                                                    "give each question a text of its own",
                                                    alike + 1));
        }
    }
    if (questions.empty()) {
        faults.add(list,
                   fmt::format("there is no question; ask {}", range_of(1, profile.questions_max)));
    } else if (questions.size() > profile.questions_max) {
        faults.add(list,
                   fmt::format("{}, but at most {} may be asked at once; ask the rest "
                               "afterwards",
                               count_of(questions.size(), "question"), profile.questions_max));
    }
}

std::string make_header(std::string_view question_text) {
    std::string_view line = trim_blanks(question_text);
    line = trim_blanks(line.substr(0, line.find('\n')));
    while (!line.empty() && (line.back() == '?' || line.back() == ':' || line.back() == '.'))
        line.remove_suffix(1);
    std::string header(trim_blanks(line));
    while (const auto unsafe = find_unsafe(header))
        header.erase(unsafe->offset,
                     std::max<std::size_t>(
                         1, utf8::next(std::string_view(header).substr(unsafe->offset)).bytes));
    if (is_blank(header)) return "Question";
    if (utf8::count_clusters(header) <= kOpenProfile.header_chars) return header;
    // Cut at a word where the header then still says something.
    std::string cut = cut_to_clusters(header, kOpenProfile.header_chars - 1, "");
    const std::size_t space = cut.rfind(' ');
    if (space != std::string::npos && space >= cut.size() / 2) cut.resize(space);
    return cut + "…";
}

void check_spec_fields(AskSpec& spec, Faults& faults) {
    const json::Path root;
    std::size_t bytes = text_bytes(spec.questions);
    tidy_optional(spec.context);
    if (spec.context) {
        // A plan or a diff may be long; it is bounded by the ask as a whole.
        check_text(*spec.context, {.what = "the context", .bytes_max = limits::kAskBytes},
                   root / "context", faults);
        bytes += spec.context->size();
    }
    check_name(spec.key, "the key", root / "key", faults);
    check_name(spec.agent, "the agent's name", root / "agent", faults);
    if (spec.tool) {
        const json::Path tool = root / "tool";
        check_text(spec.tool->call_id, name_rule("the call id"), tool / "call_id", faults);
        TextRule message_rule = name_rule("the message id");
        message_rule.may_be_blank = true;
        check_text(spec.tool->message_id, message_rule, tool / "message_id", faults);
    }
    if (spec.permission) permission::check(*spec.permission, root / "permission", faults);
    check_timer(spec, faults);
    check_ask_bytes(bytes, root, faults);
}

void check_spec(AskSpec& spec, const Profile& profile, Faults& faults) {
    const json::Path root;
    check_questions(spec.questions, profile, root / "questions", faults);
    check_spec_fields(spec, faults);
    if (spec.default_answers && !spec.timeout)
        faults.add(root / "on_timeout", "a default answer needs a timeout; add timeout_seconds");
}

bool asks_the_same(const AskSpec& a, const AskSpec& b) {
    if (a.questions != b.questions) return false;
    if (!a.permission || !b.permission) return a.permission.has_value() == b.permission.has_value();
    return permission::is_same(*a.permission, *b.permission);
}

Result<AskSpec> check_spec(AskSpec spec, const Profile& profile) {
    Faults faults;
    check_spec(spec, profile, faults);
    return std::move(faults).give(std::move(spec));
}

}  // namespace parley
