// SPDX-License-Identifier: Apache-2.0
#include "app/commands/ask_arguments.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "app/command_line/read_file.h"
#include "core/answers.h"
#include "core/limits.h"
#include "core/questions.h"
#include "core/text_rules.h"
#include "dialect/native/server.h"
#include "text/json.h"
#include "text/limits.h"
#include "text/time_text.h"

namespace parley::app {

namespace {

constexpr std::string_view kDefaultPrefix = "default=";

Rejection usage_fault(std::string message) {
    return reject(Error{.code = ErrorCode::invalid, .message = std::move(message)});
}

// Those that describe a question, and so cannot stand beside a file that has the questions.
std::string_view question_flag_given(const AskArguments& arguments) {
    if (arguments.question) return "a QUESTION";
    if (!arguments.options.empty()) return "--option";
    if (arguments.header) return "--header";
    if (arguments.is_multi) return "--multi";
    if (arguments.no_other) return "--no-other";
    if (!arguments.marked.empty()) return "--default";
    if (arguments.min) return "--min";
    if (arguments.max) return "--max";
    if (arguments.is_required) return "--required";
    if (arguments.is_optional) return "--optional";
    return {};
}

Result<std::optional<int>> read_count(const std::optional<std::string>& text,
                                      std::string_view option) {
    if (!text) return std::nullopt;
    int count = 0;
    const char* const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, count);
    if (error != std::errc() || stop != end || count < 0)
        return reject(ErrorCode::invalid, "{} {}: how many? give a whole number", option, *text);
    return count;
}

// What the asker wants of the answer.
Result<void> add_wishes(Question& question, const AskArguments& arguments) {
    if (arguments.is_required && arguments.is_optional)
        return reject(ErrorCode::invalid, "--required and --optional contradict each other");
    if (arguments.is_required || arguments.is_optional) question.required = arguments.is_required;
    TRY(min, read_count(arguments.min, "--min"));
    TRY(max, read_count(arguments.max, "--max"));
    question.min = min;
    question.max = max;
    auto marked = sort_texts(question, arguments.marked);
    if (!marked) return reject(ErrorCode::invalid, "--default: {}", marked.error().message);
    question.preset = *std::move(marked);
    return {};
}

Result<AskRequest> request_of_flags(const AskArguments& arguments) {
    Question question{.text = arguments.question.value_or(""),
                      .header = arguments.header.value_or(""),
                      .options = {},
                      .multi_select = arguments.is_multi,
                      .custom = !arguments.no_other};
    for (const std::string& option : arguments.options)
        question.options.push_back(split_option(option));
    CHECK_OK(add_wishes(question, arguments));
    AskRequest request;
    request.spec.questions.push_back(std::move(question));
    return request;
}

// A default is one of the options where there are any: a misspelt label must not become an answer.
Result<Answer> default_answer(Question question, std::vector<std::string> texts) {
    question.custom = question.options.empty();
    return sort_texts(question, std::move(texts));
}

// What --on-timeout says: nullopt for "deny".
Result<std::optional<Answers>> read_on_timeout(const std::vector<std::string>& given,
                                               const std::vector<Question>& questions) {
    std::vector<std::string> texts;
    for (const std::string& each : given) {
        if (each == "deny" && given.size() == 1) return std::nullopt;
        if (!each.starts_with(kDefaultPrefix)) {
            return usage_fault(fmt::format("--on-timeout {}: expected deny or default=LABEL",
                                           quoted_excerpt(each)));
        }
        texts.push_back(each.substr(kDefaultPrefix.size()));
    }
    Answers answers;
    if (questions.size() == 1) {
        TRY(answer, default_answer(questions.front(), std::move(texts)));
        answers.push_back(std::move(answer));
        return answers;
    }
    if (texts.size() != questions.size()) {
        return usage_fault(
            fmt::format("--on-timeout default=LABEL is given {} times for {}; give it "
                        "once for each question, in their order",
                        texts.size(), count_of(questions.size(), "question")));
    }
    for (std::size_t i = 0; i < questions.size(); ++i) {
        TRY(answer, default_answer(questions[i], {texts[i]}));
        answers.push_back(std::move(answer));
    }
    return answers;
}

// What both kinds of request may be given beside their questions.
Result<void> add_flags(const AskArguments& arguments, AskRequest& request) {
    AskSpec& spec = request.spec;
    if (arguments.session) request.session = *arguments.session;
    if (arguments.key) spec.key = *arguments.key;
    if (arguments.no_dismiss) spec.dismissible = false;
    if (arguments.context_file) {
        TRY(text, read_file(*arguments.context_file, limits::kAskBytes));
        spec.context = std::move(text);
    }
    if (arguments.timeout) {
        const auto timeout = parse_duration(*arguments.timeout);
        if (!timeout) return usage_fault(fmt::format("--timeout: {}", timeout.error().message));
        spec.timeout = *timeout;
    }
    if (arguments.on_timeout.empty()) return {};
    if (!spec.timeout) return usage_fault("--on-timeout needs a --timeout");
    auto defaults = read_on_timeout(arguments.on_timeout, spec.questions);
    if (!defaults) {
        const Error& error = defaults.error();
        if (error.faults.empty()) return reject(error);
        return usage_fault(fmt::format("--on-timeout: {}", error.faults.front().detail));
    }
    spec.default_answers = std::move(*defaults);
    return {};
}

std::optional<std::size_t> option_index(std::string_view path) {
    constexpr std::string_view kOptions = "/questions/0/options/";
    if (!path.starts_with(kOptions)) return std::nullopt;
    path.remove_prefix(kOptions.size());
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), index);
    if (error != std::errc()) return std::nullopt;
    return index;
}

// The argument that a path of the request was made from.
std::string argument_of(std::string_view path) {
    struct Origin {
        std::string_view path;
        std::string_view argument;
    };
    constexpr std::array kOrigins = {
        Origin{"/questions/0/question", "QUESTION"},
        Origin{"/questions/0/header", "--header"},
        Origin{"/questions/0/options", "--option"},
        Origin{"/questions/0/custom", "--no-other"},
        Origin{"/questions/0/default", "--default"},
        Origin{"/questions/0/min", "--min"},
        Origin{"/questions/0/max", "--max"},
        Origin{"/context", "--context"},
        Origin{"/key", "--key"},
        Origin{"/timeout_seconds", "--timeout"},
        Origin{"/on_timeout", "--on-timeout"},
    };
    if (const auto index = option_index(path)) return fmt::format("--option {}", *index + 1);
    for (const Origin& origin : kOrigins)
        if (path.starts_with(origin.path)) return std::string(origin.argument);
    return {};
}

// Whether a fault is about the file or about a flag that was given beside it.
bool is_of_file(std::string_view path, const AskArguments& arguments) {
    if (!arguments.file) return false;
    if (path == "/context") return !arguments.context_file;
    if (path == "/key") return !arguments.key;
    if (path == "/timeout_seconds") return !arguments.timeout;
    if (path.starts_with("/on_timeout")) return arguments.on_timeout.empty();
    return true;
}

Rejection in_words(Error error, const AskArguments& arguments) {
    const std::string file = arguments.file == "-" ? "the input" : arguments.file.value_or("");
    if (error.faults.empty()) {
        if (!file.empty()) error.message = fmt::format("{}: {}", file, error.message);
        return reject(std::move(error));
    }
    std::string message = "this cannot be asked:";
    for (const Fault& fault : error.faults) {
        std::string place = argument_of(fault.path);
        if (is_of_file(fault.path, arguments))
            place = fault.path.empty() ? file : fmt::format("{} at {}", file, fault.path);
        message += fmt::format("\n  {}{}{}", place, place.empty() ? "" : ": ", fault.detail);
    }
    error.message = std::move(message);
    return reject(std::move(error));
}

Result<AskRequest> read_request(const AskArguments& arguments) {
    if (!arguments.file) return request_of_flags(arguments);
    TRY(text, read_file(*arguments.file, limits::kJsonBytes));
    auto request = native::read_ask(text, ask_profile(arguments), Unknown::noted);
    if (!request) return in_words(std::move(request).error(), arguments);
    return request;
}

}  // namespace

Profile ask_profile(const AskArguments& arguments) {
    Profile profile = kOpenProfile;
    if (arguments.strict_header) {
        profile.header_chars = kStrictProfile.header_chars;
        profile.refuses_long_header = true;
    }
    return profile;
}

Option split_option(std::string_view text) {
    Option option;
    while (!text.empty()) {
        if (text.starts_with("\\::")) {
            option.label += "::";
            text.remove_prefix(3);
        } else if (text.starts_with("::")) {
            option.description = trim_blanks(text.substr(2));
            break;
        } else {
            option.label += text.front();
            text.remove_prefix(1);
        }
    }
    option.label = std::string(trim_blanks(option.label));
    return option;
}

Result<AskRequest> make_ask_request(const AskArguments& arguments) {
    const std::string_view flag = question_flag_given(arguments);
    if (arguments.file && !flag.empty()) {
        return usage_fault(fmt::format(
            "{} and --file both say what to ask; put everything into the file, or leave it out",
            flag));
    }
    if (!arguments.file && !arguments.question)
        return usage_fault("QUESTION is missing; write it in quotes, or give --file FILE");
    TRY(request, read_request(arguments));
    CHECK_OK(add_flags(arguments, request));
    auto checked = check_spec(std::move(request.spec), ask_profile(arguments));
    if (!checked) return in_words(std::move(checked).error(), arguments);
    request.spec = std::move(*checked);
    return request;
}

}  // namespace parley::app
