// SPDX-License-Identifier: Apache-2.0
#include "store/archive/lines.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/record.h"
#include "core/value_json.h"
#include "store/limits.h"
#include "text/json_object.h"
#include "text/limits.h"

namespace parley {

namespace {

using json::Writer;

constexpr std::string_view kHead = "parley-export";
constexpr std::string_view kEnd = "end";

void write_cursor(Writer& out, const json::Key& name, Cursor cursor) {
    out.key(name).number(cursor.value);
}

void write_ms(Writer& out, const json::Key& name, std::optional<Instant> at) {
    if (at) out.field_int(name, at->time_since_epoch().count());
}

template <class Kind>
void write_if_there(Writer& out, const json::Key& name, const std::optional<Id<Kind>>& id) {
    if (id) write_id(out, name, *id);
}

void write_row(Writer& out, const ArchivedSession& row) {
    write_if_there(out, "taken", row.taken);
    out.key("record").raw(to_record(*row.session));
}

void write_row(Writer& out, const ArchivedAsk& row) {
    const Ask& ask = *row.ask;
    write_id(out, "id", ask.id);
    write_id(out, "session", ask.session);
    write_ms(out, "created_ms", ask.created_at);
    write_ms(out, "deadline_ms", ask.deadline);
    out.key("spec").raw(to_record(*ask.spec));
    if (!ask.settlement || !row.settled) return;
    write_cursor(out, "settled", *row.settled);
    out.key("settlement").raw(to_record(*ask.settlement));
}

void write_row(Writer& out, const QueuedMessage& row) {
    write_id(out, "session", row.session);
    write_ms(out, "at_ms", row.at);
    out.key("record").raw(to_record(row.message));
}

void write_row(Writer& out, const KeptDraft& row) {
    write_id(out, "ask", row.ask);
    out.field("principal", row.principal);
    out.key("record").raw(to_record(*row.draft));
}

void write_row(Writer& out, const Snooze& row) {
    write_id(out, "ask", row.ask);
    out.field("principal", row.principal);
    write_ms(out, "until_ms", row.until);
}

void write_row(Writer& out, const TokenPtr& token) {
    out.field("name", token->name);
    out.field("role", to_string(token->role));
    out.field("hash", token->hash);
    write_ms(out, "created_ms", token->created_at);
    write_ms(out, "expires_ms", token->expires_at);
    out.field("principal", token->principal);
    out.field("person", token->person);
    out.field("device", token->device);
    write_ms(out, "used_ms", token->used_at);
    write_if_there(out, "session", token->session);
}

void write_row(Writer& out, const MarkPtr& mark) {
    out.field("key", mark->key);
    out.field("value", mark->value);
    write_ms(out, "at_ms", mark->at);
    write_ms(out, "expires_ms", mark->expires_at);
}

void write_row(Writer& out, const ArchivedEvent& event) {
    write_cursor(out, "cursor", event.cursor);
    out.field_int("event", event.type);
    write_ms(out, "at_ms", event.at);
    if (!event.session.is_nil()) write_id(out, "session", event.session);
    write_if_there(out, "ask", event.ask);
    write_if_there(out, "message", event.message);
    write_optional(out, "doc", event.doc);
}

// The names of kinds in lines, in the order of ArchiveRow.
constexpr std::array<std::string_view, std::variant_size_v<ArchiveRow>> kTypes = {
    "session", "ask", "message", "draft", "snooze", "token", "mark", "event"};

// One line as it is read: its members, and what is wrong with them.
class LineMembers {
public:
    explicit LineMembers(const json::Value& value)
        : object_(value, root_, faults_, "one JSON object in a line") {}

    std::string text(std::string_view name) const { return object_.required_string(name); }
    std::optional<std::string> optional_text(std::string_view name) const {
        return object_.optional_string(name);
    }
    template <class IdType>
    IdType id(std::string_view name) {
        return read_id<IdType>(object_, name, faults_);
    }
    template <class IdType>
    std::optional<IdType> optional_id(std::string_view name) {
        if (object_.find(name) == nullptr) return std::nullopt;
        return id<IdType>(name);
    }
    std::optional<Instant> optional_ms(std::string_view name) const {
        const auto ms = object_.optional_int(name);
        return ms ? std::optional(Instant(Millis(*ms))) : std::nullopt;
    }
    Instant ms(std::string_view name) { return Instant(Millis(number(name))); }
    std::int64_t number(std::string_view name) {
        const auto found = object_.optional_int(name);
        if (!found || *found < 0) faults_.add(root_ / name, "expected a whole number");
        return found.value_or(0);
    }
    Cursor cursor(std::string_view name) { return {static_cast<std::uint64_t>(number(name))}; }
    // A record as stores keep it, read by `read`.
    template <class Read>
    auto record(std::string_view name, Read read) {
        using T = typename decltype(read(std::string_view()))::value_type;
        const json::Value* value = object_.find(name);
        if (value == nullptr) {
            faults_.add(root_ / name, "is missing");
            return std::make_shared<const T>();
        }
        auto found = read(json::serialize(*value));
        if (!found) faults_.add(root_ / name, found.error().message);
        return found ? std::make_shared<const T>(std::move(*found)) : std::make_shared<const T>();
    }
    bool has(std::string_view name) const { return object_.find(name) != nullptr; }
    Role role(std::string_view name) {
        const std::string found = text(name);
        for (const Role role : {Role::agent, Role::responder, Role::owner})
            if (to_string(role) == found) return role;
        faults_.add(root_ / name, fmt::format("{} is no role", json::quoted(found)));
        return Role::agent;
    }

    [[nodiscard]] Result<void> judge() const {
        if (faults_.empty()) return {};
        const Fault& fault = faults_.list().front();
        return reject(ErrorCode::invalid, "{} {}", fault.path, fault.detail);
    }

private:
    json::Path root_;
    Faults faults_;
    ObjectReader object_;
};

ArchiveRow read_session_row(LineMembers& line) {
    return ArchivedSession{.session = line.record("record", session_from_record),
                           .taken = line.optional_id<MessageId>("taken")};
}

ArchiveRow read_ask_row(LineMembers& line) {
    auto ask = std::make_shared<Ask>();
    ask->id = line.id<AskId>("id");
    ask->session = line.id<SessionId>("session");
    ask->created_at = line.ms("created_ms");
    ask->deadline = line.optional_ms("deadline_ms");
    ask->spec = line.record("spec", spec_from_record);
    ArchivedAsk row{.ask = ask, .settled = {}};
    if (!line.has("settled") && !line.has("settlement")) return row;
    ask->settlement = line.record("settlement", settlement_from_record);
    row.settled = line.cursor("settled");
    return row;
}

ArchiveRow read_message_row(LineMembers& line) {
    return QueuedMessage{.session = line.id<SessionId>("session"),
                         .at = line.ms("at_ms"),
                         .message = *line.record("record", message_from_record)};
}

ArchiveRow read_draft_row(LineMembers& line) {
    return KeptDraft{.ask = line.id<AskId>("ask"),
                     .principal = line.text("principal"),
                     .draft = line.record("record", draft_from_record)};
}

ArchiveRow read_snooze_row(LineMembers& line) {
    return Snooze{.ask = line.id<AskId>("ask"),
                  .principal = line.text("principal"),
                  .until = line.ms("until_ms")};
}

ArchiveRow read_token_row(LineMembers& line) {
    return std::make_shared<const Token>(Token{.name = line.text("name"),
                                               .role = line.role("role"),
                                               .hash = line.text("hash"),
                                               .created_at = line.ms("created_ms"),
                                               .expires_at = line.optional_ms("expires_ms"),
                                               .principal = line.text("principal"),
                                               .person = line.text("person"),
                                               .device = line.text("device"),
                                               .used_at = line.optional_ms("used_ms"),
                                               .session = line.optional_id<SessionId>("session")});
}

ArchiveRow read_mark_row(LineMembers& line) {
    return std::make_shared<const Mark>(Mark{.key = line.text("key"),
                                             .value = line.text("value"),
                                             .at = line.ms("at_ms"),
                                             .expires_at = line.optional_ms("expires_ms")});
}

ArchiveRow read_event_row(LineMembers& line) {
    return ArchivedEvent{.cursor = line.cursor("cursor"),
                         .type = static_cast<int>(line.number("event")),
                         .at = line.ms("at_ms"),
                         .session = line.optional_id<SessionId>("session").value_or(SessionId()),
                         .ask = line.optional_id<AskId>("ask"),
                         .message = line.optional_id<MessageId>("message"),
                         .doc = line.optional_text("doc")};
}

constexpr std::array kReaders = {read_session_row, read_ask_row,    read_message_row,
                                 read_draft_row,   read_snooze_row, read_token_row,
                                 read_mark_row,    read_event_row};
static_assert(kReaders.size() == kTypes.size());

Result<ExportLine> read_head(LineMembers& line) {
    const std::int64_t format = line.number("format");
    if (format > kExportFormat)
        return reject(ErrorCode::unsupported,
                      "it has format {}, and this program knows only formats up to {}. To fix it: "
                      "run the newer version of Parley that wrote it",
                      format, kExportFormat);
    const ArchiveBounds bounds{.oldest = line.cursor("oldest"), .head = line.cursor("head")};
    CHECK_OK(line.judge());
    return bounds;
}

}  // namespace

std::string to_line(const ArchiveBounds& head) {
    return json::typed_object_text(kHead, [&](Writer& out) {
        out.field_int("format", kExportFormat);
        write_cursor(out, "oldest", head.oldest);
        write_cursor(out, "head", head.head);
    });
}

std::string to_line(const ArchiveRow& row) {
    return json::typed_object_text(kTypes[row.index()], [&](Writer& out) {
        std::visit([&](const auto& one) { write_row(out, one); }, row);
    });
}

std::string to_line(const ArchiveCounts& end) {
    return json::typed_object_text(kEnd, [&](Writer& out) {
        for (std::size_t i = 0; i < kArchiveKinds.size(); ++i)
            out.key(kArchiveKinds[i]).number(end.of[i]);
    });
}

Result<ExportLine> read_line(std::string_view text) {
    // One level more than a record has.
    TRY(value, json::parse(text, {.bytes_max = limits::kExportLineBytes,
                                  .depth_max = limits::kJsonDepth + 1}));
    LineMembers line(value);
    CHECK_OK(line.judge());
    const std::string type = line.text("type");
    CHECK_OK(line.judge());
    if (type == kHead) return read_head(line);
    if (type == kEnd) {
        ArchiveCounts counts;
        for (std::size_t i = 0; i < kArchiveKinds.size(); ++i)
            counts.of[i] = static_cast<std::uint64_t>(line.number(kArchiveKinds[i]));
        CHECK_OK(line.judge());
        return counts;
    }
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
        if (kTypes[i] != type) continue;
        ArchiveRow row = kReaders[i](line);
        CHECK_OK(line.judge());
        return row;
    }
    return reject(ErrorCode::invalid, "/type {} is no kind of row", json::quoted(type));
}

}  // namespace parley
