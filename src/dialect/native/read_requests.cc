// SPDX-License-Identifier: Apache-2.0
// Requests of the native wire. Everything that is wrong with a body is said at once.
#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "base/sizes.h"
#include "core/limits.h"
#include "core/questions.h"
#include "core/text_rules.h"
#include "core/value_json.h"
#include "dialect/limits.h"
#include "dialect/native/server.h"
#include "text/limits.h"

namespace parley::native {

namespace {

// Where the DOM of a usual ask or answer fits; a longer one goes on in the heap.
struct BodyArena {
    alignas(std::max_align_t) unsigned char room[4 * limits::kKiB];
    json::Arena memory{room, sizeof(room)};
};

// The body as a document, with what is not JSON as a fault of the whole.
Result<json::Value> parse_body(std::string_view body, boost::json::storage_ptr storage = {}) {
    auto document = json::parse_into(body, std::move(storage));
    if (document) return document;
    Error error = std::move(document).error();
    if (error.code == ErrorCode::invalid) error.faults.push_back({"", error.message});
    return reject(std::move(error));
}

// The same where every field may be absent: no body is an empty object.
Result<json::Value> parse_optional_body(std::string_view body) {
    if (is_blank(body)) return json::Value(json::Object());
    return parse_body(body);
}

std::optional<std::string> read_checked_name(const ObjectReader& object, std::string_view key,
                                             std::string_view what, Faults& faults) {
    auto name = object.optional_string(key);
    if (name) check_text(*name, name_rule(what), object.at() / key, faults);
    return name;
}

Answers read_given_answers(const ObjectReader& object, Faults& faults) {
    const json::Path at = object.at() / "answers";
    if (const json::Value* answers = object.find("answers"))
        return read_answers(*answers, at, faults);
    faults.add(at, "there are no answers; give \"answers\", a list with one for each question");
    return {};
}

std::optional<Answers> read_on_timeout(const ObjectReader& object, Faults& faults) {
    const json::Value* value = object.find("on_timeout");
    if (value == nullptr) return std::nullopt;
    if (value->is_string() && value->get_string() == "deny") return std::nullopt;
    const json::Path at = object.at() / "on_timeout";
    if (const auto* policy = value->if_object()) {
        ObjectReader(*value, at, faults).only({"default"});
        if (const json::Value* answers = policy->if_contains("default"))
            return read_answers(*answers, at / "default", faults);
    }
    faults.add(at, "expected \"deny\" or {\"default\": [answers]}");
    return std::nullopt;
}

// 0 is how a client says that there is none.
std::optional<Millis> read_ask_timeout(const ObjectReader& object, Faults& faults) {
    const auto timeout = object.optional_seconds("ask_timeout_seconds");
    if (!timeout || *timeout == Millis::zero()) return std::nullopt;
    if (*timeout < Millis::zero() || *timeout > limits::kTimeoutMax)
        faults.add(object.at() / "ask_timeout_seconds",
                   fmt::format("expected 0 (none) to {} seconds",
                               std::chrono::seconds(limits::kTimeoutMax).count()));
    return timeout;
}

void check_permission_members(const ObjectReader& object, Faults& faults) {
    const json::Value* permission = object.find("permission");
    if (permission == nullptr || !permission->is_object()) return;
    const json::Path at = object.at() / "permission";
    const ObjectReader members(*permission, at, faults);
    if (members.find("input") == nullptr)
        faults.add(at / "input",
                   "the tool's input is missing; give all of it, or {} if it has none");
    if (members.find("summary") != nullptr)
        faults.add(at / "summary",
                   "the broker makes the summary from tool and input; leave it out");
}

// Every member of a request, and of its question if that stands flat among them.
void check_ask_members(const ObjectReader& object) {
    static constexpr std::initializer_list<std::string_view> kMembers = {
        "questions", "session", "key",   "timeout_seconds", "on_timeout", "dismissible",
        "urgency",   "tool",    "agent", "context",         "permission"};
    const bool is_flat = object.find("questions") == nullptr && object.find("question") != nullptr;
    object.only(kMembers, is_flat ? kQuestionMembers : std::initializer_list<std::string_view>{});
}

AskSpec read_spec(const ObjectReader& object, const json::Value& document, const Profile& profile,
                  Faults& faults) {
    check_ask_members(object);
    AskSpec spec;
    spec.questions = read_questions(document, profile, object.at(), faults);
    read_spec_fields(object, spec, faults);
    spec.timeout = object.optional_seconds("timeout_seconds");
    spec.default_answers = read_on_timeout(object, faults);
    check_permission_members(object, faults);
    check_spec_fields(spec, faults);
    return spec;
}

}  // namespace

Result<AskRequest> read_ask(std::string_view body, const Profile& profile, Unknown unknown) {
    BodyArena arena;
    TRY(given, parse_body(body, &arena.memory));
    Faults faults(unknown);
    const json::Path root;
    json::Value decoded;
    const json::Value* document = unwrap_document(given, decoded, root, faults);
    if (document == nullptr) return std::move(faults).reject();
    AskRequest ask;
    if (document->is_array()) {
        // A bare list of questions: there is no place for anything else.
        ask.spec.questions = read_questions(*document, profile, root, faults);
        check_spec_fields(ask.spec, faults);
        ask.warnings = faults.warnings();
        return std::move(faults).give(std::move(ask));
    }
    const ObjectReader object(*document, root, faults, "an object with \"questions\"");
    if (!object.is_object()) return std::move(faults).reject();
    ask.spec = read_spec(object, *document, profile, faults);
    ask.session = read_checked_name(object, "session", "the session", faults).value_or("");
    ask.warnings = faults.warnings();
    return std::move(faults).give(std::move(ask));
}

Result<AnswerBody> read_answer(std::string_view body) {
    BodyArena arena;
    TRY(document, parse_body(body, &arena.memory));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"answers\"");
    object.only({"answers", "by", "partial"});
    AnswerBody answer;
    answer.answers = read_given_answers(object, faults);
    answer.by = object.optional_string("by");
    if (object.optional_bool("partial").value_or(false))
        answer.rules.completeness = Completeness::partial;
    return std::move(faults).give(std::move(answer));
}

Result<ReasonBody> read_reason(std::string_view body) {
    TRY(document, parse_optional_body(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults);
    object.only({"reason", "by"});
    ReasonBody reason = {.reason = object.optional_string("reason"),
                         .by = object.optional_string("by")};
    return std::move(faults).give(std::move(reason));
}

Result<Millis> read_snooze(std::string_view body) {
    TRY(document, parse_body(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"seconds\"");
    object.only({"seconds"});
    const json::Path at = root / "seconds";
    const std::optional<Millis> duration = object.optional_seconds("seconds");
    if (!duration) {
        faults.add(at, "\"seconds\" is missing; say for how long");
    } else if (*duration < Millis::zero()) {
        faults.add(at, "must be more than 0 seconds, or 0 to end the snooze");
    } else if (*duration > limits::kTimeoutMax) {
        faults.add(at, fmt::format("may be at most {} seconds",
                                   std::chrono::seconds(limits::kTimeoutMax).count()));
    }
    return std::move(faults).give(duration.value_or(Millis::zero()));
}

Result<DraftRequest> read_draft(std::string_view body) {
    BodyArena arena;
    TRY(document, parse_body(body, &arena.memory));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"answers\"");
    object.only({"answers", "device", "version"});
    DraftRequest draft{.answers = read_given_answers(object, faults)};
    draft.device = read_checked_name(object, "device", "the device", faults).value_or("");
    if (const auto seen = object.optional_int("version")) {
        if (*seen < 0 || *seen > limits::kDraftVersionMax)
            faults.add(root / "version", "expected the version that was seen last, 0 for none");
        draft.seen = static_cast<std::uint64_t>(*seen);
    }
    return std::move(faults).give(std::move(draft));
}

Result<SessionBody> read_session(std::string_view body) {
    TRY(document, parse_optional_body(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults);
    object.only(
        {"name", "title", "parent", "agent", "directory", "on_dismiss", "ask_timeout_seconds"});
    SessionBody session;
    session.name = read_checked_name(object, "name", "the name", faults);
    session.title = read_checked_name(object, "title", "the title", faults);
    session.parent = read_checked_name(object, "parent", "the parent session", faults);
    session.agent = read_checked_name(object, "agent", "the agent's name", faults);
    session.directory = object.optional_string("directory");
    session.on_dismiss =
        read_name<OnDismiss>(object, "on_dismiss", faults).value_or(OnDismiss::tell);
    session.ask_timeout = read_ask_timeout(object, faults);
    return std::move(faults).give(std::move(session));
}

Result<MessageBody> read_message(std::string_view body) {
    TRY(document, parse_body(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"text\"");
    object.only({"text", "by"});
    MessageBody message;
    message.text = object.required_string("text");
    normalize_newlines_of(message.text);
    check_text(message.text, {.what = "the message", .bytes_max = limits::kAnswerTextBytes},
               root / "text", faults);
    message.by = read_checked_name(object, "by", "the name", faults);
    return std::move(faults).give(std::move(message));
}

Result<NoticeBody> read_notice(std::string_view body) {
    TRY(document, parse_body(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"text\"");
    object.only({"text", "level", "session"});
    NoticeBody notice;
    notice.notice.text = object.required_string("text");
    normalize_newlines_of(notice.notice.text);
    check_text(notice.notice.text, {.what = "the notice"}, root / "text", faults);
    notice.notice.level =
        read_name<NoticeGiven::Level>(object, "level", faults).value_or(NoticeGiven::Level::info);
    notice.session = read_checked_name(object, "session", "the session", faults).value_or("");
    return std::move(faults).give(std::move(notice));
}

Result<std::vector<StreamItem>> read_stream(std::string_view body) {
    TRY(document, parse_body(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    std::vector<StreamItem> items;
    if (const json::Array* list = document.if_array()) {
        items.reserve(list->size());
        for (std::size_t i = 0; i < list->size() && !faults.is_full(); ++i)
            if (auto item = read_item((*list)[i], root / i, faults))
                items.push_back(std::move(*item));
    } else {
        faults.add(root, expected_message("a list of stream events", document));
    }
    return std::move(faults).give(std::move(items));
}

}  // namespace parley::native
