// SPDX-License-Identifier: Apache-2.0
// The owner's calls of the remote link: what the server is, tokens, links that sign a browser in,
// the keeping of the store.
#include <fmt/format.h>

#include <utility>

#include "client/remote_link.h"
#include "client/remote_reading.h"
#include "dialect/native/client.h"
#include "wire/url.h"

namespace parley {

void RemoteLink::describe_server(Done<native::ServerBody> done) {
    call(request(wire::Method::get, "/v1/server"), Millis::zero(),
         reading<native::ServerBody>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_server_document(response.body);
         }));
}

// Not repeated: the secret is told once, and the second try would find the name taken.
void RemoteLink::make_token(native::TokenBody body, Done<native::MadeToken> done) {
    call(request(wire::Method::post, "/v1/tokens", native::token_request(body)), Millis::zero(),
         reading<native::MadeToken>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_token_document(response.body);
         }));
}

void RemoteLink::list_tokens(Done<std::vector<Token>> done) {
    call(request(wire::Method::get, "/v1/tokens"), options_.patience,
         reading<std::vector<Token>>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_token_page(response.body);
         }));
}

void RemoteLink::drop_token(std::string_view name, Done<void> done) {
    call(request(wire::Method::del, "/v1/tokens/" + wire::percent_encode(name)), Millis::zero(),
         reading_nothing(std::move(done)));
}

void RemoteLink::rotate_token(std::string_view name, Done<native::MadeToken> done) {
    call(request(wire::Method::post, "/v1/tokens/" + wire::percent_encode(name) + "/rotate"),
         Millis::zero(),
         reading<native::MadeToken>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_token_document(response.body);
         }));
}

void RemoteLink::make_sign_in_link(const std::optional<std::string>& person,
                                   Done<native::SignInLink> done) {
    call(request(wire::Method::post, "/sign-in/links", native::link_request(person)),
         Millis::zero(),
         reading<native::SignInLink>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_sign_in_link(response.body);
         }));
}

void RemoteLink::find_store(Done<std::string> done) {
    call(request(wire::Method::get, "/v1/store"), Millis::zero(),
         reading<std::string>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_store_document(response.body);
         }));
}

void RemoteLink::begin_copy(Done<native::CopyBody> done) {
    call(request(wire::Method::post, "/v1/store/copies"), Millis::zero(),
         reading<native::CopyBody>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_copy_document(response.body);
         }));
}

void RemoteLink::look_at_copy(std::string_view id, Done<native::CopyBody> done) {
    call(request(wire::Method::get, "/v1/store/copies/" + wire::percent_encode(id)), Millis::zero(),
         reading<native::CopyBody>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_copy_document(response.body);
         }));
}

void RemoteLink::read_copy(std::string_view id, std::uint64_t offset, Done<std::string> done) {
    call(request(wire::Method::get, fmt::format("/v1/store/copies/{}/data?offset={}",
                                                wire::percent_encode(id), offset)),
         Millis::zero(),
         reading<std::string>(std::move(done), [](const net::ClientResponse& response) {
             return Result<std::string>(response.body);
         }));
}

void RemoteLink::drop_copy(std::string_view id, Done<void> done) {
    call(request(wire::Method::del, "/v1/store/copies/" + wire::percent_encode(id)), Millis::zero(),
         reading_nothing(std::move(done)));
}

void RemoteLink::delete_content(AskId id, Done<AskPtr> done) {
    call(request(wire::Method::del, fmt::format("/v1/asks/{}/content", id.str())), Millis::zero(),
         reading<AskPtr>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_ask_document(response.body);
         }));
}

void RemoteLink::prune(const native::PruneBody& before, Done<native::PrunedBody> done) {
    call(request(wire::Method::post, "/v1/store/prune", native::prune_request(before)),
         Millis::zero(),
         reading<native::PrunedBody>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_pruned_document(response.body);
         }));
}

}  // namespace parley
