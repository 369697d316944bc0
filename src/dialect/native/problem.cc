// SPDX-License-Identifier: Apache-2.0
#include "dialect/native/problem.h"

#include <fmt/format.h>

#include <array>

#include "core/object_reader.h"
#include "core/push_refusal.h"
#include "core/value_json.h"
#include "dialect/native/client.h"
#include "dialect/native/settled_problem.h"
#include "text/json_object.h"
#include "text/time_text.h"

namespace parley::native {

namespace {

constexpr std::string_view kTypePrefix = "urn:parley:problem:";
constexpr std::string_view kNewerDraftName = "draft-newer";
constexpr std::string_view kTakenName = "name-taken";

struct CodeRow {
    ErrorCode code;
    int status;
    std::string_view title;
};

constexpr std::array kCodes = {
    CodeRow{ErrorCode::invalid, 400, "The request is not valid"},
    CodeRow{ErrorCode::not_found, 404, "There is no such thing"},
    CodeRow{ErrorCode::conflict, kConflict, "This cannot be done now"},
    CodeRow{ErrorCode::key_conflict, kConflict, "The key was used for another ask"},
    CodeRow{ErrorCode::denied, 403, "You may not do this"},
    CodeRow{ErrorCode::session_of_another, 403, "This session is another agent's"},
    CodeRow{ErrorCode::too_large, 413, "The request is too large"},
    CodeRow{ErrorCode::overloaded, 503, "The broker is overloaded"},
    CodeRow{ErrorCode::over_quota, 429, "You have too much open"},
    CodeRow{ErrorCode::unavailable, 503, "The broker cannot serve now"},
    CodeRow{ErrorCode::corrupt, 500, "Stored data cannot be read"},
    CodeRow{ErrorCode::unsupported, 501, "This is not supported"},
    CodeRow{ErrorCode::interrupted, 503, "The wait was interrupted"},
    CodeRow{ErrorCode::timed_out, 504, "The wait took too long"},
    CodeRow{ErrorCode::internal, 500, "Something went wrong in the broker"},
};

const CodeRow& row_of(ErrorCode code) {
    for (const CodeRow& row : kCodes)
        if (row.code == code) return row;
    return kCodes.back();
}

ErrorCode code_of(std::string_view type, int status) {
    if (type.starts_with(kTypePrefix)) {
        const std::string_view name = type.substr(kTypePrefix.size());
        if (name == kSettledName || name == kNewerDraftName || name == kTakenName)
            return ErrorCode::conflict;
        for (const CodeRow& row : kCodes)
            if (to_string(row.code) == name) return row.code;
    }
    if (status == 401) return ErrorCode::denied;
    for (const CodeRow& row : kCodes)
        if (row.status == status) return row.code;
    return status >= 400 && status < 500 ? ErrorCode::invalid : ErrorCode::unavailable;
}

void write_error(json::Writer& out, const Error& error, int status) {
    write_problem(out, to_string(error.code), row_of(error.code).title, status, error.message);
    if (error.faults.empty()) return;
    out.key("errors").begin_array();
    for (const Fault& fault : error.faults) {
        out.begin_object().field("path", fault.path).field("detail", fault.detail).end_object();
    }
    out.end_array();
}

std::vector<Fault> read_faults(const ObjectReader& object, Faults& faults) {
    std::vector<Fault> read;
    const json::Array* list = object.optional_array("errors");
    if (list == nullptr) return read;
    const json::Path at = object.at() / "errors";
    for (std::size_t i = 0; i < list->size(); ++i) {
        const json::Path fault_at = at / i;
        const ObjectReader fault((*list)[i], fault_at, faults);
        read.push_back({fault.required_string("path"), fault.required_string("detail")});
    }
    return read;
}

}  // namespace

void write_problem(json::Writer& out, std::string_view name, std::string_view title, int status,
                   std::string_view detail) {
    out.field("type", fmt::format("{}{}", kTypePrefix, name))
        .field("title", title)
        .field_int("status", status)
        .field("detail", detail);
}

int http_status(ErrorCode code) {
    return row_of(code).status;
}

std::string problem_document(const Error& error, int status) {
    return json::object_text([&](json::Writer& out) { write_error(out, error, status); });
}

std::string push_problem(const Error& error, int status) {
    return json::object_text([&](json::Writer& out) {
        write_error(out, error, status);
        out.field_int("applied", static_cast<std::int64_t>(applied_items(error)));
    });
}

std::string draft_problem(const Draft& draft) {
    return json::object_text([&](json::Writer& out) {
        write_problem(out, kNewerDraftName, "A newer draft stands", kConflict,
                      "another device has kept a newer draft; take it, or put yours again with its "
                      "version");
        out.key("draft").begin_object();
        write_draft_fields(out, draft);
        out.end_object();
    });
}

std::string name_problem(std::string_view detail) {
    return json::object_text([&](json::Writer& out) {
        write_problem(out, kTakenName, "The name is taken", kConflict, detail);
    });
}

std::string store_news_document(const StoreNews& news) {
    return json::object_text([&](json::Writer& out) {
        out.field("type", news.away ? kStoreAway : kStoreBack);
        if (!news.away) return;
        out.key("problem").begin_object();
        write_error(out, *news.away, http_status(news.away->code));
        out.end_object();
    });
}

std::optional<StoreNews> read_store_news(std::string_view event, std::string_view data) {
    if (event == kStoreBack) return StoreNews{};
    if (event != kStoreAway) return std::nullopt;
    Error away{ErrorCode::unavailable, "the broker cannot use its store"};
    const auto document = json::parse(data);
    if (document && document->is_object()) {
        Faults faults;
        const json::Path root;
        const ObjectReader object(*document, root, faults);
        const json::Value* problem = object.find("problem");
        if (problem != nullptr && problem->is_object())
            away.message = ObjectReader(*problem, root / "problem", faults)
                               .optional_string("detail")
                               .value_or(away.message);
    }
    return StoreNews{std::move(away)};
}

Problem read_problem(std::string_view text, int status) {
    Problem problem;
    const auto document = json::parse(text);
    Faults faults;
    const json::Path root;
    if (!document || !document->is_object()) {
        problem.error.code = code_of({}, status);
        problem.error.message = fmt::format("the server answered with status {}", status);
        return problem;
    }
    const ObjectReader object(*document, root, faults);
    problem.error.code = code_of(object.optional_string("type").value_or(""), status);
    problem.error.message = object.optional_string("detail").value_or(
        fmt::format("the server answered with status {}", status));
    problem.error.faults = read_faults(object, faults);
    if (const json::Value* ask = object.find("ask")) {
        if (auto read = read_ask_value(*ask)) problem.ask = std::move(*read);
    }
    if (const json::Value* draft = object.find("draft")) {
        problem.draft = std::make_shared<const Draft>(
            read_draft_fields(ObjectReader(*draft, root / "draft", faults), faults));
    }
    return problem;
}

}  // namespace parley::native
