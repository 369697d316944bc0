// SPDX-License-Identifier: Apache-2.0
#include "core/arbitrary_values_test.h"

#include <algorithm>
#include <memory>

#include "core/answers.h"
#include "core/event.h"
#include "core/permission.h"
#include "core/questions.h"
#include "core/test_asks.h"
#include "text/json.h"
#include "text/safe_text.h"

template class rc::Gen<parley::Answer>;
template class rc::Gen<parley::Answers>;
template class rc::Gen<parley::Ask>;
template class rc::Gen<parley::AskSpec>;
template class rc::Gen<parley::Decider>;
template class rc::Gen<parley::Instant>;
template class rc::Gen<parley::Question>;
template class rc::Gen<std::vector<parley::Question>>;
template class rc::Gen<parley::Session>;
template class rc::Gen<parley::Settlement>;

namespace parley::arbitrary {

namespace {

std::string joined_pieces(const std::vector<std::string>& pieces, int count_max) {
    std::string text;
    const int count = *rc::gen::inRange(1, count_max + 1);
    for (int i = 0; i < count; ++i) text += *rc::gen::elementOf(pieces);
    return text;
}

}  // namespace

rc::Gen<std::string> label() {
    static const std::vector<std::string> kPieces = {"a",
                                                     "B",
                                                     "Red",
                                                     "Blue",
                                                     "green",
                                                     "Dark mode",
                                                     ", ",
                                                     ",",
                                                     ",,",
                                                     " ",
                                                     "  ",
                                                     "\"",
                                                     "\\",
                                                     "\\\"",
                                                     "=",
                                                     "\"=\"",
                                                     ". ",
                                                     ": ",
                                                     "(",
                                                     ")",
                                                     " (note: ",
                                                     "Unanswered",
                                                     "Other",
                                                     "other",
                                                     "none",
                                                     "null",
                                                     "[]",
                                                     "[\"Red\"]",
                                                     "{}",
                                                     "\"Red\"",
                                                     "\"Red, Blue\"",
                                                     "q0",
                                                     "q1",
                                                     "0",
                                                     "1",
                                                     "-1",
                                                     "é",
                                                     "日本",
                                                     "👩‍👩‍👧",
                                                     "🇩🇪",
                                                     "(Recommended)",
                                                     "answers",
                                                     "</p>",
                                                     "$(x)",
                                                     "%s",
                                                     "\\u0041",
                                                     "~1",
                                                     "/"};
    return rc::gen::exec([] {
        std::string text = joined_pieces(kPieces, 4);
        if (is_blank(text) || find_unsafe(text)) text.insert(0, "Red");
        return text;
    });
}

rc::Gen<std::string> text() {
    static const std::vector<std::string> kRest = {
        "\n", "\t", "\x01", "\x1b[2J", "\u202e", "\u2028", "\x7f", std::string(1, '\0'), "\u200b"};
    return rc::gen::exec([] {
        std::string text = *label();
        if (*rc::gen::inRange(0, 3) == 0) text += joined_pieces(kRest, 2) + *label();
        return text;
    });
}

rc::Gen<std::optional<std::string>> maybe(rc::Gen<std::string> gen) {
    return rc::gen::exec([gen = std::move(gen)]() -> std::optional<std::string> {
        if (*rc::gen::inRange(0, 3) == 0) return *gen;
        return std::nullopt;
    });
}

rc::Gen<Question> question() {
    return rc::gen::exec([] {
        Question question;
        question.text = *text();
        question.header = *label();
        const int options = *rc::gen::inRange(0, 5);
        for (int i = 0; i < options; ++i) {
            Option option = {.label = *label(), .description = {}};
            if (*rc::gen::arbitrary<bool>()) option.description = *text();
            option.preview = *maybe(text());
            question.options.push_back(std::move(option));
        }
        question.multi_select = *rc::gen::arbitrary<bool>();
        question.custom = question.options.empty() || *rc::gen::inRange(0, 4) > 0;
        return question;
    });
}

rc::Gen<Answer> answer(const Question& question) {
    return rc::gen::exec([question] {
        Answer answer;
        const bool wants_text = question.custom && *rc::gen::inRange(0, 3) == 0;
        for (const Option& option : question.options) {
            if (!question.multi_select && (wants_text || !answer.selected.empty())) break;
            if (*rc::gen::inRange(0, 2) == 0) answer.selected.push_back(option.label);
        }
        if (wants_text) answer.other = *text();
        answer.note = *maybe(text());
        return answer;
    });
}

rc::Gen<std::vector<Question>> questions() {
    return rc::gen::exec([] {
        std::vector<Question> made;
        const int count = *rc::gen::inRange(1, 4);
        for (int i = 0; i < count; ++i) made.push_back(*question());
        auto checked = check_questions(made, kOpenProfile);
        // What may be wrong is only that texts or labels are alike; mend that by numbering.
        for (std::size_t i = 0; !checked && i < made.size(); ++i) {
            made[i].text += " #" + std::to_string(i);
            for (std::size_t j = 0; j < made[i].options.size(); ++j)
                made[i].options[j].label += " #" + std::to_string(j);
        }
        if (!checked) checked = check_questions(made, kOpenProfile);
        RC_ASSERT(checked.has_value());
        for (Question& question : *checked) {
            if (*rc::gen::inRange(0, 3) > 0) continue;
            question.required = false;
            question.preset = *answer(question);
        }
        checked = check_questions(*checked, kOpenProfile);
        RC_ASSERT(checked.has_value());
        return *checked;
    });
}

rc::Gen<Answers> answers(const std::vector<Question>& questions) {
    return rc::gen::exec([questions] {
        Answers made;
        for (const Question& question : questions) made.push_back(*answer(question));
        auto checked = check_answers(questions, made, {.completeness = Completeness::may_be_empty});
        RC_ASSERT(checked.has_value());
        return *checked;
    });
}

rc::Gen<Instant> instant() {
    return rc::gen::map(rc::gen::inRange<std::int64_t>(0, 4'102'444'800'000),
                        [](std::int64_t ms) { return Instant(Millis(ms)); });
}

rc::Gen<std::optional<PermissionRequest>> permission() {
    return rc::gen::exec([]() -> std::optional<PermissionRequest> {
        if (*rc::gen::inRange(0, 3) > 0) return std::nullopt;
        PermissionRequest request;
        request.tool = *rc::gen::element<std::string>("Bash", "Write", "Edit", "ExitPlanMode",
                                                      "mcp__github__create_issue");
        std::string input;
        json::Writer out(input);
        out.begin_object().field("command", *text()).field("file_path", *text());
        out.field("content", *text()).field("old_string", *text()).field("new_string", *text());
        out.field("plan", *text())
            .key("count")
            .number(std::int64_t{*rc::gen::arbitrary<std::int32_t>()})
            .end_object();
        request.input = std::move(input);
        request.diff = *maybe(text());
        Faults faults;
        permission::check(request, json::Path(), faults);
        RC_ASSERT(faults.empty());
        return request;
    });
}

rc::Gen<AskSpec> spec() {
    return rc::gen::exec([] {
        AskSpec spec;
        spec.questions = *questions();
        spec.context = *maybe(text());
        spec.key = *maybe(label());
        if (*rc::gen::arbitrary<bool>())
            spec.tool = ToolCall{.message_id = *rc::gen::element<std::string>("", "msg_1"),
                                 .call_id = *label()};
        spec.permission = *permission();
        spec.agent = *maybe(label());
        spec.urgency = *any_of<Urgency>();
        spec.dismissible = *rc::gen::arbitrary<bool>();
        if (*rc::gen::arbitrary<bool>())
            spec.timeout = Millis(*rc::gen::inRange<std::int64_t>(1, 100'000'000));
        return spec;
    });
}

rc::Gen<Decider> decider() {
    return rc::gen::exec([] {
        return Decider{.kind = *any_of<Decider::Kind>(),
                       .principal = *rc::gen::element<std::string>("", "ada", "uid:1000"),
                       .name = *maybe(label()),
                       .claimed = *maybe(label()),
                       .uid = *rc::gen::element<std::optional<std::uint32_t>>(std::nullopt, 1000U),
                       .pid = *rc::gen::element<std::optional<std::uint32_t>>(std::nullopt, 4242U)};
    });
}

rc::Gen<Settlement> settlement(const std::vector<Question>& questions) {
    return rc::gen::exec([questions] {
        Settlement settlement;
        settlement.outcome = *any_of<Outcome>();
        if (settlement.outcome == Outcome::answered) settlement.answers = *answers(questions);
        settlement.decider = *decider();
        settlement.door = *label();
        settlement.at = *instant();
        settlement.note = *maybe(text());
        return settlement;
    });
}

rc::Gen<Ask> ask() {
    return rc::gen::exec([] {
        Ask ask;
        ask.id = *id<AskId>();
        ask.session = *id<SessionId>();
        ask.spec = std::make_shared<const AskSpec>(*spec());
        ask.created_at = *instant();
        if (ask.spec->timeout) ask.deadline = ask.created_at + *ask.spec->timeout;
        if (*rc::gen::arbitrary<bool>())
            ask.settlement = std::make_shared<const Settlement>(*settlement(ask.spec->questions));
        return ask;
    });
}

rc::Gen<Session> session() {
    return rc::gen::exec([] {
        Session session;
        session.id = *id<SessionId>();
        session.name = *maybe(label());
        session.title = *maybe(label());
        if (*rc::gen::arbitrary<bool>()) session.parent = *id<SessionId>();
        session.agent = *maybe(label());
        session.directory = *maybe(label());
        session.on_dismiss = *any_of<OnDismiss>();
        session.activity = *any_of<Activity>();
        if (*rc::gen::arbitrary<bool>())
            session.ask_timeout = Millis(*rc::gen::inRange(1, 100'000'000));
        session.created_at = *instant();
        if (*rc::gen::arbitrary<bool>()) session.ended_at = *instant();
        return session;
    });
}

}  // namespace parley::arbitrary
