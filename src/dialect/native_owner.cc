// SPDX-License-Identifier: Apache-2.0
#include "dialect/native_owner.h"

#include <cmath>

#include "core/object_reader.h"
#include "core/text_rules.h"
#include "text/json.h"
#include "text/time_text.h"

namespace parley::native {

namespace {

std::optional<Role> parse_role(std::string_view text) {
    for (const Role role : {Role::agent, Role::responder, Role::owner})
        if (to_string(role) == text) return role;
    return std::nullopt;
}

void write_token(json::Writer& out, const Token& token, std::string_view secret) {
    out.begin_object()
        .field("name", token.name)
        .field("role", to_string(token.role))
        .field("created_at", format_rfc3339(token.created_at));
    if (token.expires_at) out.field("expires_at", format_rfc3339(*token.expires_at));
    if (!secret.empty()) out.field("token", secret);
    out.end_object();
}

}  // namespace

Result<TokenBody> read_token(std::string_view body) {
    TRY(document, json::parse(body));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"name\"");
    TokenBody token;
    token.name = object.required_string("name");
    check_text(token.name, name_rule("the token's name"), root / "name", faults);
    if (const auto role = object.optional_string("role")) {
        const auto known = parse_role(*role);
        if (!known) faults.add(root / "role", "expected agent, responder or owner");
        token.role = known.value_or(Role::responder);
    }
    if (const auto seconds = object.optional_number("expires_in_seconds")) {
        const double longest = std::chrono::duration<double>(limits::kTimeoutMax).count();
        if (*seconds <= 0 || *seconds > longest)
            faults.add(root / "expires_in_seconds", "expected a number of seconds above 0");
        else
            token.life = Millis(std::llround(*seconds * 1000));
    }
    return std::move(faults).give(std::move(token));
}

std::string token_document(const Token& token, std::string_view secret) {
    std::string document;
    json::Writer out(document);
    write_token(out, token, secret);
    return document;
}

std::string token_page(std::span<const TokenPtr> tokens) {
    std::string document;
    json::Writer out(document);
    out.begin_object().key("tokens").begin_array();
    for (const TokenPtr& token : tokens) write_token(out, *token, {});
    out.end_array().end_object();
    return document;
}

Result<MessageId> read_taken(std::string_view body) {
    TRY(document, json::parse(body));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"up_to\"");
    const auto id = MessageId::parse(object.required_string("up_to"));
    if (!id) faults.add(root / "up_to", "expected the id of a message, like msg_…");
    return std::move(faults).give(id.value_or(MessageId{}));
}

std::string message_page(std::span<const ListedMessage> messages) {
    std::string document;
    json::Writer out(document);
    out.begin_object().key("messages").begin_array();
    for (const ListedMessage& listed : messages) {
        out.begin_object()
            .field("id", listed.message->id.str())
            .field("text", listed.message->text)
            .field("at", format_rfc3339(listed.at))
            .end_object();
    }
    out.end_array().end_object();
    return document;
}

std::string taken_request(MessageId up_to) {
    std::string document;
    json::Writer(document).begin_object().field("up_to", up_to.str()).end_object();
    return document;
}

std::string said_document(const Said& said) {
    std::string document;
    json::Writer(document)
        .begin_object()
        .field("id", said.id.str())
        .field_bool("queued", said.is_queued)
        .end_object();
    return document;
}

Result<Said> read_said_document(std::string_view text) {
    TRY(document, json::parse(text));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    const auto id = MessageId::parse(object.required_string("id"));
    if (!id) faults.add(root / "id", "expected the id of a message");
    const Said said{id.value_or(MessageId{}), object.optional_bool("queued").value_or(false)};
    return std::move(faults).give(said);
}

}  // namespace parley::native
