// SPDX-License-Identifier: Apache-2.0
// The native wire beside asks and sessions: tokens, and the messages that an agent has not taken
// yet. Pure functions.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/event.h"
#include "core/names.h"
#include "core/token.h"
#include "parley/requests.h"

namespace parley {
template <>
inline constexpr std::array kAll<Role> = {Role::agent, Role::responder, Role::owner};
}

namespace parley::native {

struct TokenBody {
    std::string name;
    Role role = Role::responder;
    std::optional<Millis> life = {};
    std::optional<std::string> person = {};  // whose it is; absent: a new principal's of this name
    std::optional<std::string> session =
        {};  // that an agent's is made for: a live one's id or name
};
// {name, role?, expires_in_seconds?, as?, session?}
[[nodiscard]] Result<TokenBody> read_token(std::string_view body);
// `secret` only in the answer that makes the token.
std::string token_document(const Token& token, std::string_view secret);
std::string token_page(std::span<const TokenPtr> tokens);

// The client's side: what makes a token, and what comes back. A hash is never told.
std::string token_request(const TokenBody& body);
struct MadeToken {
    Token token;
    std::string secret;
};
[[nodiscard]] Result<MadeToken> read_token_document(std::string_view text);
[[nodiscard]] Result<std::vector<Token>> read_token_page(std::string_view text);

// An address that signs a browser in, once.
struct SignInLink {
    std::string url;
    Instant expires_at = {};
};
// What a server says of itself: {version, page, agent?}.
struct ServerBody {
    std::string version;
    std::string page;        // where people open it
    std::string agent = {};  // of the sessions that people begin; empty: they have none
};
std::string server_document(const ServerBody& body);
[[nodiscard]] Result<ServerBody> read_server_document(std::string_view text);

// {as?}: whom the link is for; absent: a new person.
[[nodiscard]] Result<std::optional<std::string>> read_link_body(std::string_view body);
std::string link_request(const std::optional<std::string>& person);
// {name}
[[nodiscard]] Result<std::string> read_name_body(std::string_view body);
// Where the page at `page` shows this ask.
std::string ask_address(std::string_view page, AskId id);
std::string sign_in_link_document(const SignInLink& link);
[[nodiscard]] Result<SignInLink> read_sign_in_link(std::string_view text);

// {up_to: "msg_…"}
[[nodiscard]] Result<MessageId> read_taken(std::string_view body);
std::string taken_request(MessageId up_to);

struct ListedMessage {
    const MessageAdded* message = nullptr;
    Instant at = {};
};
std::string message_page(std::span<const ListedMessage> messages);
// The client's side: id, text and speaker of each.
[[nodiscard]] Result<std::vector<MessageAdded>> read_message_page(std::string_view text);
std::string said_document(const Said& said);
[[nodiscard]] Result<Said> read_said_document(std::string_view text);

}  // namespace parley::native
