// SPDX-License-Identifier: Apache-2.0
#include "dialect/native/owner.h"

#include <fmt/format.h>

#include "core/object_reader.h"
#include "core/text_rules.h"
#include "core/value_json.h"
#include "dialect/limits.h"
#include "text/json.h"
#include "text/json_object.h"
#include "text/limits.h"
#include "text/time_text.h"

namespace parley::native {

namespace {

void write_token(json::Writer& out, const Token& token, std::string_view secret) {
    out.begin_object()
        .field("name", token.name)
        .field("role", to_string(token.role))
        .field("principal", token.principal)
        .field("person", shown_name(token))
        .field("created_at", format_rfc3339(token.created_at));
    if (token.expires_at) out.field("expires_at", format_rfc3339(*token.expires_at));
    if (token.used_at) out.field("last_used_at", format_rfc3339(*token.used_at));
    if (!token.device.empty()) out.field("device", token.device);
    if (token.session) out.field("session_id", token.session->str());
    if (!secret.empty()) out.field("token", secret);
    out.end_object();
}

Token read_token_value(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    Token token{.name = object.required_string("name"),
                .role = read_name<Role>(object, "role", faults).value_or(Role::agent),
                .hash = {},
                .created_at = read_time(object, "created_at", faults)};
    token.expires_at = read_optional_time(object, "expires_at", faults);
    token.used_at = read_optional_time(object, "last_used_at", faults);
    token.principal = object.optional_string("principal").value_or("");
    token.person = object.optional_string("person").value_or("");
    token.device = object.optional_string("device").value_or("");
    if (object.find("session_id") != nullptr)
        token.session = read_id<SessionId>(object, "session_id", faults);
    return token;
}

}  // namespace

Result<TokenBody> read_token(std::string_view body) {
    TRY(document, json::parse(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"name\"");
    object.only({"name", "role", "as", "expires_in_seconds", "session"});
    TokenBody token;
    token.name = object.required_string("name");
    check_text(token.name, name_rule("the token's name"), root / "name", faults);
    token.role = read_name<Role>(object, "role", faults).value_or(Role::responder);
    token.person = object.optional_string("as");
    token.session = object.optional_string("session");
    if (token.session && token.role != Role::agent)
        faults.add(root / "session", "only an agent's token is made for one session");
    token.life = object.optional_seconds("expires_in_seconds");
    if (token.life && (*token.life <= Millis::zero() || *token.life > limits::kTimeoutMax))
        faults.add(root / "expires_in_seconds", "expected a number of seconds above 0");
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

std::string token_request(const TokenBody& body) {
    std::string document;
    json::Writer out(document);
    out.begin_object().field("name", body.name).field("role", to_string(body.role));
    if (body.life)
        out.key("expires_in_seconds").number(static_cast<double>(body.life->count()) / 1000);
    write_optional(out, "as", body.person);
    write_optional(out, "session", body.session);
    out.end_object();
    return document;
}

Result<MadeToken> read_token_document(std::string_view text) {
    TRY(document, json::parse(text));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    MadeToken made{read_token_value(document, root, faults), object.required_string("token")};
    return std::move(faults).give(std::move(made));
}

Result<std::vector<Token>> read_token_page(std::string_view text) {
    TRY(document, json::parse(text));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    std::vector<Token> tokens;
    if (const json::Array* list = object.required_array("tokens")) {
        const json::Path at = root / "tokens";
        for (std::size_t i = 0; i < list->size(); ++i)
            tokens.push_back(read_token_value((*list)[i], at / i, faults));
    }
    return std::move(faults).give(std::move(tokens));
}

std::string server_document(const ServerBody& body) {
    return json::object_text([&](json::Writer& out) {
        out.field("version", body.version).field("page", body.page);
        if (!body.agent.empty()) out.field("agent", body.agent);
    });
}

Result<ServerBody> read_server_document(std::string_view text) {
    TRY(document, json::parse(text));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    ServerBody body{.version = object.required_string("version"),
                    .page = object.required_string("page"),
                    .agent = object.optional_string("agent").value_or("")};
    return std::move(faults).give(std::move(body));
}

Result<std::optional<std::string>> read_link_body(std::string_view body) {
    if (is_blank(body)) return std::nullopt;
    TRY(document, json::parse(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults);
    object.only({"as"});
    auto person = object.optional_string("as");
    if (person) check_text(*person, name_rule("the person's name"), root / "as", faults);
    return std::move(faults).give(std::move(person));
}

std::string link_request(const std::optional<std::string>& person) {
    return json::object_text([&](json::Writer& out) { write_optional(out, "as", person); });
}

Result<std::string> read_name_body(std::string_view body) {
    TRY(document, json::parse(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"name\"");
    object.only({"name"});
    std::string name = object.required_string("name");
    return std::move(faults).give(std::move(name));
}

std::string ask_address(std::string_view page, AskId id) {
    return fmt::format("{}#/ask/{}", page, id.str());
}

std::string sign_in_link_document(const SignInLink& link) {
    std::string document;
    json::Writer(document)
        .begin_object()
        .field("url", link.url)
        .field("expires_at", format_rfc3339(link.expires_at))
        .end_object();
    return document;
}

Result<SignInLink> read_sign_in_link(std::string_view text) {
    TRY(document, json::parse(text));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    SignInLink link{.url = object.required_string("url")};
    const auto until = parse_rfc3339(object.required_string("expires_at"));
    if (!until) faults.add(root / "expires_at", "expected a time");
    link.expires_at = until.value_or(Instant{});
    return std::move(faults).give(std::move(link));
}

Result<MessageId> read_taken(std::string_view body) {
    TRY(document, json::parse(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"up_to\"");
    object.only({"up_to"});
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
            .field("at", format_rfc3339(listed.at));
        write_decider(out.key("by"), listed.message->by);
        out.end_object();
    }
    out.end_array().end_object();
    return document;
}

Result<std::vector<MessageAdded>> read_message_page(std::string_view text) {
    TRY(document, json::parse(text, {.bytes_max = limits::kServerDocumentBytes}));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    std::vector<MessageAdded> messages;
    if (const json::Array* list = object.required_array("messages")) {
        const json::Path at = root / "messages";
        for (std::size_t i = 0; i < list->size(); ++i) {
            const json::Path entry_at = at / i;
            const ObjectReader entry((*list)[i], entry_at, faults);
            const auto id = MessageId::parse(entry.required_string("id"));
            if (!id) faults.add(entry_at / "id", "this is not the id of a message");
            MessageAdded message{id.value_or(MessageId()), entry.required_string("text"), {}};
            if (const json::Value* by = entry.find("by"))
                message.by = read_decider(*by, entry_at / "by", faults);
            messages.push_back(std::move(message));
        }
    }
    return std::move(faults).give(std::move(messages));
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
